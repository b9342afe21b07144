/** Where a plan was made: whoever types its id may stand anywhere (T6). */

import { existsSync } from "node:fs";
import { ACTS_PREFIX } from "../../acts/plans/acts-session.ts";
import { planRecordId } from "../../acts/plans/plans.ts";
import { READ_PAGE_ROWS } from "../../model/limits.ts";
import { bodyAs, type StoredRecord } from "../../model/record.ts";
import type { Store } from "../../store/store.ts";
import { isLongEnough } from "../../text/by-beginning.ts";

/** The top of its tree; null: there is no such plan, several fit, or its tree is gone. */
export async function planPlace(store: Store, typed: string): Promise<string | null> {
  const places = new Set<string>();
  for (const { id: session } of await store.sessions({ prefix: ACTS_PREFIX })) {
    const exact = await store.recordById(session, planRecordId(typed) as StoredRecord["id"]);
    const page = exact ? [exact] : await begun(store, session, typed);
    for (const record of page) {
      const path = bodyAs(record, "plan.made")?.workspace.path;
      if (path !== undefined && existsSync(path)) places.add(path);
    }
  }
  return places.size === 1 ? ([...places][0] ?? null) : null;
}

/** Among the newest, as undo looks for it. */
async function begun(store: Store, session: StoredRecord["session"], typed: string): Promise<StoredRecord[]> {
  if (!isLongEnough(typed)) return [];
  const kinds = ["plan.made"] as const;
  const page = await store.records({ session, kinds, order: "backward", limit: READ_PAGE_ROWS });
  return page.filter((record) => bodyAs(record, "plan.made")?.plan.startsWith(typed) === true);
}
