/** Ids of sessions alone, page by page: no row of theirs is read. */
import type { SessionId } from "../model/ids.ts";
import { SESSION_PAGE_ROWS } from "../model/limits.ts";
import type { Driver, SessionFilter } from "./contract/driver.ts";

export async function sessionIds(
  driver: Pick<Driver, "listSessionIds">,
  filter: SessionFilter = {},
): Promise<readonly SessionId[]> {
  const found: SessionId[] = [];
  for (let after = filter.after; ; after = found.at(-1)) {
    const page = await driver.listSessionIds({ ...filter, ...(after ? { after } : {}) });
    found.push(...page);
    if (page.length < SESSION_PAGE_ROWS) return found;
  }
}
