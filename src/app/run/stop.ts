/**
 * Stopping a session, to its end: the order that `store.stop` gives, too, and then what an order alone does not do: it waits until the
 * owner has heeded it; an agent whose supervisor is dead is ended by its own identity; one whose owner is gone is recovered and
 * finished at once, cause `signal`. What its agent started is left running (S2), and is named (T1).
 */

import { orderStop } from "../../conversation/order-stop.ts";
import { RefloatError } from "../../model/errors.ts";
import type { SessionId } from "../../model/ids.ts";
import { isWorkflowSession } from "../../model/workflow-ids.ts";
import { endAgent, finishStopped, loneAgent } from "../../recover/stop-session.ts";
import type { FoundLeftover } from "../../salvage/judging/salvage.ts";
import type { SessionSummary } from "../../session/describe.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import { shellLineWord } from "../../text/escape.ts";
import { sessionOf } from "../../workflow/claim-owner.ts";
import type { AppPlace } from "../place/app-place.ts";
import { recover } from "../recovery/recover.ts";
import { leftoversOf } from "../salvage/leftovers-of.ts";
import { rowNow, summaryOf } from "../sessions/find-session.ts";
import type { RefloatStore } from "../store/open-store.ts";
import type { AppNews } from "../telling/news.ts";

const LOOK_AGAIN_MS = 100;
/** How often somebody who waits is told so. */
const TELL_EVERY_MS = 5000;
/** A drain takes 20 s by default, and the capture after it a while: longer than this is not normal. */
export const STOP_WAIT_MS = 120_000;

export interface StopOptions {
  readonly reason: string;
  readonly waitMs: number;
  readonly tell?: (news: StopNews) => void;
}

export type StopNews =
  | AppNews
  | { readonly kind: "asked"; readonly session: SessionId }
  | { readonly kind: "still-running"; readonly ms: number }
  | { readonly kind: "ends-agent"; readonly pid: number; readonly signal: NodeJS.Signals };

export interface StopOutcome {
  /** `ended-before`: it had ended already, and nothing was done. `still-running`: the order stands, and its owner lives on. */
  readonly kind: "stopped" | "ended-before" | "still-running";
  readonly summary: SessionSummary;
  /** Inputs that waited for it and are not begun. */
  readonly dropped: readonly string[];
  /** What its agent started and left running. */
  readonly leftovers: readonly FoundLeftover[];
}

export async function stopSession(
  at: AppPlace,
  store: RefloatStore,
  row: SessionRow,
  { reason, waitMs, tell = () => undefined }: StopOptions,
): Promise<StopOutcome> {
  const { id } = row;
  if (isWorkflowSession(id)) throw notASession(row);
  const before = await summaryNow(store, id);
  if (before.state === "finished")
    return { kind: "ended-before", summary: before, dropped: [], leftovers: await leftIn(at, store, id) };
  const dropped = await orderStop(store.raw, id, reason);
  const agent = loneAgent(row);
  if (agent)
    await endAgent(agent, at.clock, (signal) => tell({ kind: "ends-agent", pid: agent.pid, signal }));
  else if (before.state === "live") await waitForEnd(at, store, id, { waitMs, tell });
  await recover({
    ...{ store: store.raw, env: at.env, home: await at.home() },
    where: { kind: "session", row: await rowNow(store, id) },
    tell,
  });
  const after = await summaryNow(store, id);
  if (after.state === "live") return { kind: "still-running", summary: after, dropped, leftovers: [] };
  if (after.state !== "finished") await finishStopped(store.raw, id);
  const [summary, leftovers] = [await summaryNow(store, id), await leftIn(at, store, id)];
  return { kind: "stopped", summary, dropped, leftovers };
}

/** A state file's row, or a step's: nothing runs under it that could be stopped. */
function notASession({ id, claim: { owner } }: SessionRow): RefloatError {
  const holder = owner && sessionOf(owner);
  const instead = holder
    ? `the session that holds it: \`refloat stop ${shellLineWord(holder.session)}\`.`
    : `\`refloat claim break ${shellLineWord(id)} --reason WHY\` ends its claim.`;
  return new RefloatError("E_USAGE", { why: `${id} is a workflow's, and no session that runs: ${instead}` });
}

async function waitForEnd(
  { clock }: AppPlace,
  store: RefloatStore,
  session: SessionId,
  { waitMs, tell }: { readonly waitMs: number; readonly tell: (news: StopNews) => void },
): Promise<void> {
  const fromMs = clock.monotonicMs();
  let toldMs = fromMs;
  tell({ kind: "asked", session });
  while (clock.monotonicMs() - fromMs < waitMs) {
    if ((await summaryNow(store, session)).state !== "live") return;
    const nowMs = clock.monotonicMs();
    if (nowMs - toldMs >= TELL_EVERY_MS) {
      toldMs = nowMs;
      tell({ kind: "still-running", ms: nowMs - fromMs });
    }
    await clock.sleep(LOOK_AGAIN_MS);
  }
}

async function leftIn(at: AppPlace, store: RefloatStore, id: SessionId): Promise<readonly FoundLeftover[]> {
  const row = await rowNow(store, id);
  const root = typeof row.facts.workspace === "string" ? row.facts.workspace : at.place();
  return leftoversOf(store, row, root, await at.home());
}

const summaryNow = async (store: RefloatStore, id: SessionId): Promise<SessionSummary> =>
  summaryOf(store, await rowNow(store, id));
