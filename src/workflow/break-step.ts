/** What `claim break` on a step leaves in the file: the claim is free, from whom and why is in the event log (K4). */
import { existsSync } from "node:fs";
import type { SessionRow } from "../store/driver.ts";
import type { Store } from "../store/store.ts";
import { changeState } from "./change-state.ts";
import { stepOfSession } from "./claim-ids.ts";
import { textOf } from "./state-doc.ts";
import { withBrokenClaim } from "./step-claims.ts";
import { validateText } from "./validate.ts";

/** Does nothing for sessions that are no step's, and for a file that is gone or broken: the store's word stands. */
export async function freeInFile(store: Store, row: SessionRow, reason: string): Promise<void> {
  const step = stepOfSession(row.id);
  const file = textOf(row.facts.workspace);
  if (step === null || file === null || !existsSync(file)) return;
  await changeState(store, file, async ({ text, around, shape, nowMs }) => {
    const doc = text === null ? null : (validateText("", text, around).doc?.value ?? null);
    const next = doc === null ? null : withBrokenClaim({ doc, shape, step }, reason, nowMs);
    return { doc: next === doc ? null : next, what: "claim break", step, result: null };
  });
}
