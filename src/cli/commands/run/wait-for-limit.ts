/** `run --on-limit wait`: waits for a usage limit's end and goes on in the same session. Bounded, and ended by a signal. */

import { withHandoff, writeHandoffFile } from "../../../app/handoff/brief-file.ts";
import { workspaceHere } from "../../../app/place/workspace-here.ts";
import type { LoopSignals } from "../../../app/run/loop-signals.ts";
import type { SessionId } from "../../../model/ids.ts";
import {
  AFTER_RESET_MS,
  LONGEST_LIMIT_WAIT_MS,
  MOST_LIMITS_IN_A_ROW,
} from "../../../supervise/decide-loop.ts";
import { durationText } from "../../../text/counting.ts";
import type { Context } from "../../context/context.ts";
import { timeText } from "../../screen/words.ts";
import { Countdown } from "./countdown.ts";
import { type RunOrder, type RunOutcome, runSession } from "./run-session.ts";

/** How soon a signal is seen. */
const LOOK_MS = 1000;

export async function runThroughLimits(
  context: Context,
  order: RunOrder,
  signals: LoopSignals,
): Promise<RunOutcome> {
  let ended = await oneRun(context, order, signals);
  for (let waits = 0; waits < MOST_LIMITS_IN_A_ROW; waits++) {
    const { cause, resets_at, session } = ended.report;
    if (cause !== "limit" || resets_at === null || session === null) break;
    if (!(await isOver(context, Date.parse(resets_at), signals))) break;
    ended = await oneRun(context, await goingOn(context, order, session as SessionId), signals);
  }
  return ended;
}

async function oneRun(context: Context, order: RunOrder, signals: LoopSignals): Promise<RunOutcome> {
  const heard = signals.forSession();
  try {
    return await runSession(context, order, heard);
  } finally {
    heard.stop();
  }
}

/** False: it ends too late, or somebody asked for the end. */
async function isOver(context: Context, resetsAtMs: number, signals: LoopSignals): Promise<boolean> {
  const { clock, out } = context;
  const untilMs = resetsAtMs + AFTER_RESET_MS;
  const leftMs = untilMs - clock.nowMs();
  if (leftMs > LONGEST_LIMIT_WAIT_MS) return false;
  out.narrate(
    `refloat: waits for the usage limit's end, until ${timeText(untilMs)} (${durationText(Math.max(0, leftMs))})`,
  );
  const countdown = new Countdown();
  while (clock.nowMs() < untilMs && signals.first === null) {
    const line = countdown.line(untilMs - clock.nowMs());
    if (line !== null) out.narrate(`refloat: ${line}`);
    await clock.sleep(Math.min(LOOK_MS, Math.max(1, untilMs - clock.nowMs())));
  }
  if (signals.first !== null)
    out.narrate("refloat: it was told to end: the wait is over before the limit is");
  return signals.first === null;
}

async function goingOn(context: Context, order: RunOrder, session: SessionId): Promise<RunOrder> {
  const store = await context.openOrMakeStore({ thread: true });
  const { workspace } = await workspaceHere(context, store);
  const place = { home: order.home, workspace: workspace.root, name: order.name ?? session };
  const brief = await writeHandoffFile(store, place, await store.raw.session(session));
  return { ...order, ...withHandoff(order.typed ?? order.command, brief), resumes: session };
}
