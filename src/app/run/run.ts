/** Running an agent: one session, or through usage limits to its end; or, with refloat switched off, the command alone. */

import { RefloatError } from "../../model/errors.ts";
import type { SessionId } from "../../model/ids.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import { boundedWait } from "../../supervise/bounded-wait.ts";
import { AFTER_RESET_MS, limitWaitMs } from "../../supervise/decide-loop.ts";
import { plainRun } from "../../supervise/plain-run.ts";
import { failedReport, type RunReport } from "../../supervise/run-report.ts";
import { withHandoff, writeHandoffFile } from "../handoff/brief-file.ts";
import type { AppPlace } from "../place/app-place.ts";
import { workspaceAt } from "../place/workspace-here.ts";
import type { RefloatStore } from "../store/open-store.ts";
import type { LoopSignals } from "./loop-signals.ts";
import { programOf, type RunFace, type RunOrder, type RunOutcome } from "./run-order.ts";
import { runSession } from "./run-session.ts";

/** REFLOAT_OFF=1: the command once, as if refloat were not there; its exit code. */
export async function runPlainly(
  { env }: AppPlace,
  command: readonly string[],
  cwd: string,
): Promise<number> {
  return plainRun({ file: programOf(command, cwd, env), args: command.slice(1), cwd, env });
}

/** What is reported of a run that failed before anything was started. */
export const notRun = (exitCode: number, thrown: unknown): RunReport =>
  failedReport(exitCode, thrown instanceof RefloatError ? thrown : null);

/** Waits for a usage limit's end and goes on in the same session. Bounded, and ended by a signal. */
export async function runThroughLimits(
  at: AppPlace,
  order: RunOrder,
  face: RunFace,
  signals: LoopSignals,
): Promise<RunOutcome> {
  let ended = await runHeard(at, order, face, signals);
  for (let inARow = 1; ; inARow++) {
    const { cause, resets_at, session } = ended.report;
    const resetsAtMs = typeof resets_at === "string" ? Date.parse(resets_at) : null;
    if (cause !== "limit" || resetsAtMs === null || session === null) return ended;
    const ms = limitWaitMs({ resetsAtMs, wallMs: at.clock.nowMs(), inARow });
    if (ms === null) return ended;
    // What becomes of it while it waits is seen: it may be suspended, or gone on with by somebody else (K1, L4).
    const store = await at.openOrMakeStore({ thread: true });
    const row = await store.raw.session(session as SessionId);
    if (!row || !(await isWaitedFor(at, resetsAtMs, ms, face, signals))) return ended;
    ended = await runHeard(at, await goingOn(at, store, order, row), face, signals);
  }
}

/** One session, which gets the signals that come while it runs. */
export async function runHeard(
  at: AppPlace,
  order: RunOrder,
  face: RunFace,
  signals: LoopSignals,
): Promise<RunOutcome> {
  const heard = signals.forSession();
  try {
    return await runSession(at, order, face, heard);
  } finally {
    heard.stop();
  }
}

/** False: somebody asked for the end. */
async function isWaitedFor(
  { clock }: AppPlace,
  resetsAtMs: number,
  ms: number,
  face: RunFace,
  signals: LoopSignals,
): Promise<boolean> {
  face.tell({ kind: "limit-waits", untilMs: resetsAtMs + AFTER_RESET_MS, ms });
  await boundedWait({
    ...{ clock, ms, why: "limit" },
    isEnded: () => signals.first !== null,
    onLeft: (leftMs) => face.tell({ kind: "limit-left", leftMs }),
  });
  if (signals.first !== null) face.tell({ kind: "limit-unwaited" });
  return signals.first === null;
}

async function goingOn(
  at: AppPlace,
  store: RefloatStore,
  order: RunOrder,
  row: SessionRow,
): Promise<RunOrder> {
  const { workspace, env, place: stands } = await workspaceAt(at, store, order.place);
  const place = { home: order.home, env, stands, workspace: workspace.root, name: order.name ?? row.id };
  const brief = await writeHandoffFile(store, place, await store.raw.session(row.id));
  return {
    ...order,
    ...withHandoff(order.typed ?? order.command, brief),
    resumes: { tree: row, looked: row },
  };
}
