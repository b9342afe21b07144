/** What a dead agent said of itself, for whoever closes or shows its end. What knows agents is loaded only where there is something to hear. */
import { mayHaveAgents } from "../../agents/agents-here.ts";
import type { PrintedWords } from "../../recover/attempt-story.ts";
import { atOnce, type RecoveryTurns } from "../../recover/recover-one.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import { workspaceIn } from "../../store/contract/session-facts.ts";
import type { Store } from "../../store/store.ts";
import type { RestPlace } from "./hear-rest.ts";

/** What it printed last, in words. */
export const wordsOf: PrintedWords = async (command, text) => {
  const { printedWords } = await import("../../agents/stream/printed-words.ts");
  return printedWords(command, text);
};

/** What is left of its transcript, into its journal. */
export async function hearRest(
  store: Store,
  row: SessionRow,
  where: RestPlace,
  inTurn: RecoveryTurns = atOnce,
): Promise<void> {
  const isSupervised = row.facts.native_id !== undefined;
  if (row.claim.owner === null || !(isSupervised || mayHaveAgents(where.env, workspaceIn(row)))) return;
  // In step with all others that wait for it.
  const { takeRest } = await inTurn("loading", () => import("./hear-rest.ts"));
  await takeRest(store, row, where, inTurn);
}
