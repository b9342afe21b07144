/** What a dead session left running, as every command that judges its work must know it (S2): listed, never signalled. */
import {
  type ListedProcess,
  listLeftovers,
  listUnreadable,
  liveOwnersIn,
} from "../recover/list-leftovers.ts";
import { surveySession } from "../recover/survey-session.ts";
import type { FoundLeftover } from "../salvage/salvage.ts";
import { redactCommand } from "../supervise/redact-command.ts";
import type { ChosenSession } from "./choose-session.ts";
import type { Context } from "./context.ts";
import { homeOf } from "./store-home.ts";

export async function leftoversHere(
  context: Context,
  { store, here, chosen }: ChosenSession,
): Promise<FoundLeftover[]> {
  if (!store || !chosen) return [];
  const { life, story } = await surveySession(store.raw, chosen.row);
  if (life.isHeld || story.mark === null) return [];
  const found = listLeftovers({
    session: chosen.row.id,
    story,
    home: await homeOf(context),
    liveOwners: await liveOwnersIn(store.raw, chosen.row.id),
  });
  // Nobody can tell whose these are; they may be writing here all the same.
  const untold = listUnreadable(here.workspace.root) ?? [];
  return Promise.all([...(found ?? []), ...untold].map(shown));
}

async function shown({ pid, command, started_at }: ListedProcess): Promise<FoundLeftover> {
  return { pid, command: (await redactCommand(command.split(" "))).join(" "), startedAt: started_at };
}
