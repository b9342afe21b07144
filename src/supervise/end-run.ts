/** The end of a run (steps 6 to 8 of supervise.ts): what ended is recorded, what is left is stopped and captured. */
import { openThings } from "../conversation/begin.ts";
import { closeLeftOpen } from "../conversation/close-left-open.ts";
import { findDirtyEnd } from "../conversation/dirty-end.ts";
import { suspension } from "../conversation/suspension.ts";
import { ensureError } from "../model/errors.ts";
import { seenEnd } from "../model/exit-causes.ts";
import type { NewRecord } from "../model/record.ts";
import type { Clock } from "../platform/clock.ts";
import { crashPoint } from "../platform/crash-point.ts";
import { selfPid } from "../platform/identity.ts";
import { removeScratch } from "../platform/scratch.ts";
import { liveOwners } from "../session/live-owners.ts";
import { type LeftoverEnd, stopLeftovers } from "../session/stop-leftovers.ts";
import { closeOpen } from "./close-open.ts";
import type { PreparedRun, RunSetting } from "./prepare-run.ts";
import { redactCommand } from "./redact-command.ts";
import type { AgentLife } from "./supervise.ts";

/** How long output may still come once its writers are over: what is in the pipe is read in far less. */
const OUTPUT_WAIT_MS = 1000;

export interface EndedRun {
  readonly lastOutput: string | null;
  readonly leftovers: readonly LeftoverEnd[];
  /** False: something of this end is not on disk; the next start finds it out for itself. */
  readonly isRecorded: boolean;
}

export async function endRun(setting: RunSetting, run: PreparedRun, life: AgentLife): Promise<EndedRun> {
  const { journal, captures, keeper } = run;
  const { why, turn, isAsked: asked } = life.end;
  const exited = { attempt: run.attempt, ...life.exit, why, turn, asked };
  void journal.write(journal.record("agent.exited", exited));
  const leftovers = await stopRest(setting, run, life);
  await drain(life, setting.store.clock);
  const lastOutput = keeper.lastLines({ isEnded: life.exit.code !== null });
  const kept = { attempt: run.attempt, text: lastOutput ?? "", bytes_seen: keeper.bytesSeen };
  await journal.write(journal.record("output.kept", kept), ...leftoverRecords(run, leftovers));
  await run.captures.idle();
  await run.asItGoes?.end({ isHurried: life.isSignalled });
  crashPoint("run.before-end-capture");
  const captured = await captures.end();
  crashPoint("run.before-release");
  const isRecorded = await journal.release(...(await lastRecords(setting, run, life, captured !== null)));
  keeper.close();
  // What it held is in the journal now; what is not, recovery still needs.
  if (isRecorded) removeScratch(run.folder);
  return { lastOutput, leftovers, isRecorded };
}

/** S2: `run` stops at its own end what its agent left, after saying so. */
async function stopRest(setting: RunSetting, run: PreparedRun, { seen }: AgentLife): Promise<LeftoverEnd[]> {
  const { store, tell } = setting;
  const query = { mark: run.mark, seen, self: selfPid() };
  try {
    const owners = await liveOwners(store);
    const ended = await stopLeftovers(query, {
      clock: store.clock,
      liveOwners: owners,
      onFound: (found) => {
        for (const { pid, command } of found) tell(`stopping what it left running: ${pid} ${command}`);
      },
    });
    const redacted = (ended ?? []).map(async (one) => ({
      ...one,
      command: (await redactCommand([one.command])).join(""),
    }));
    const all = await Promise.all(redacted);
    for (const { pid, command, because } of all)
      if (because !== null) tell(`left running: ${pid} ${command} (${because})`);
    return all;
  } catch (thrown) {
    run.troubles.add("leftovers were not looked for", ensureError(thrown));
    return [];
  }
}

function leftoverRecords({ journal, attempt }: PreparedRun, leftovers: readonly LeftoverEnd[]): NewRecord[] {
  if (leftovers.length === 0) return [];
  return [journal.record("leftovers.found", { attempt, processes: leftovers.map((one) => ({ ...one })) })];
}

/** A process that was left running may hold the pipe open for ever: it is let go then. */
async function drain({ agent }: AgentLife, clock: Clock): Promise<void> {
  const over = new AbortController();
  const waited = clock.sleep(OUTPUT_WAIT_MS, over.signal).catch(() => undefined);
  await Promise.race([agent.drained, waited]);
  over.abort();
  agent.letGo();
}

/** Finished: everything is closed. Interrupted: settled as recovery would, by one who saw how it ended (C4, L2). */
async function lastRecords(
  { store }: RunSetting,
  { session, journal, troubles }: PreparedRun,
  { end, exit }: AgentLife,
  isCaptured: boolean,
): Promise<NewRecord[]> {
  const { clock } = store;
  const finished = end.turn === null ? [] : [journal.record("session.finished", { cause: end.cause })];
  try {
    const things = await openThings(store, session, { open: await store.open(session) });
    if (end.turn !== null) return [...closeOpen(clock, things, end.turn), ...finished];
    const row = await store.session(session);
    const found = await findDirtyEnd(store, row, things, end.cause, end);
    const evidence = [seenEnd(end.why, exit)];
    const end_capture = isCaptured ? "none" : "owed";
    const { records } = closeLeftOpen(clock, things, found, {
      evidence,
      end_capture,
      ...(end.isAsked ? { asked: true } : {}),
    });
    return [...records, ...suspension(clock, row, found)];
  } catch (thrown) {
    troubles.add("what is open was not closed", ensureError(thrown));
    return finished;
  }
}
