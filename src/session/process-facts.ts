/** What the kernel says of every process, in the words of the leftover rules. Null where it does not tell. */
import {
  environmentOf,
  isInOurNamespace,
  listProcesses,
  type ProcessRow,
  userOf,
} from "../platform/process-list.ts";
import type { ProcessFacts } from "./leftovers.ts";
import { MARK_VARIABLE } from "./mark.ts";

export function gatherProcesses(): ProcessFacts[] | null {
  return listProcesses()?.map(processFacts) ?? null;
}

function processFacts(row: ProcessRow): ProcessFacts {
  const found = environmentOf(row.pid, MARK_VARIABLE);
  const mark = found.kind === "is" ? found.value : null;
  // Asked only of those it matters for: most processes of a machine carry no mark.
  const isOurs = mark !== null && userOf(row.pid) === ourUser() && isInOurNamespace(row.pid);
  return { ...row, mark, isOurs };
}

const ourUser = (): number => process.geteuid?.() ?? -1;
