/**
 * Takes an export or a bundle in. Whoever made it may be anybody: what it brings is told apart from what was said here, and
 * the journals in which refloat keeps the user's own word (plans, verdicts, trust, a workflow's state, a gateway's
 * deliveries) do not come, because the next start would act on them in his name (T2). `isOwn`: he says that it is his.
 */
import { GATEWAY_PREFIX, IMPORTS_SESSION, type SessionId } from "../../model/ids.ts";
import { type ImportResult, importLines } from "../../store/import.ts";
import type { Store } from "../../store/store.ts";
import { isOwnJournal } from "../../workflow/own-journal.ts";
import { markImported } from "../../workspace/sessions/imports.ts";

/** What the next start would act on in the user's name. A gateway's journal is shown like a session and is no agent's either. */
export const speaksForUser = (id: string): boolean => isOwnJournal(id) || id.startsWith(GATEWAY_PREFIX);

export interface TakeInOptions {
  /** The one session a bundle may bring. */
  readonly only: SessionId | null;
  readonly isOwn: boolean;
}

export function takeIn(
  store: Store,
  lines: AsyncIterable<string>,
  { only, isOwn }: TakeInOptions,
): Promise<ImportResult> {
  const one = only === null ? {} : { only };
  if (isOwn) return importLines(store, lines, { ...one, leavesOut: (id) => id === IMPORTS_SESSION });
  return importLines(store, lines, {
    ...one,
    leavesOut: speaksForUser,
    onTaking: (range) => markImported(store, range),
  });
}
