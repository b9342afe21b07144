/**
 * The end of a run (steps 6 to 8 of supervise.ts): what ended is recorded, what is open is closed, what is left is
 * stopped and captured. And the end of one whose agent never started.
 */

import { closeLeftOpen, type OpenThing, unseenResult } from "../conversation/close-left-open.ts";
import { findDirtyEnd, suspension } from "../conversation/dirty-end.ts";
import { openThings } from "../conversation/open-things.ts";
import { ensureError } from "../model/errors.ts";
import type { SessionId } from "../model/ids.ts";
import type { NewRecord, TurnEndedBy, TurnOutcome } from "../model/record.ts";
import { seenEnd } from "../model/run-kinds.ts";
import type { Clock } from "../platform/clock.ts";
import { crashPoint } from "../platform/crash-point.ts";
import { selfPid } from "../platform/identity.ts";
import { removeScratch } from "../platform/scratch.ts";
import { within } from "../platform/within.ts";
import { newRecord } from "../session/new-record.ts";
import { liveOwners, sharedByCommand } from "../session/process-facts.ts";
import { type LeftoverEnd, stopLeftovers } from "../session/stop-leftovers.ts";
import type { OpenRow } from "../store/contract/driver.ts";
import type { Store } from "../store/store.ts";
import { redactCommand } from "../text/redact-part.ts";
import type { PreparedRun, RunSetting } from "./prepare-run.ts";
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
  const terminal = life.agent.terminal?.size() ?? null;
  const lastOutput = await keeper.lastLines({ isEnded: life.exit.code !== null, terminal });
  const kept = { attempt: run.attempt, text: lastOutput ?? "", bytes_seen: keeper.bytesSeen };
  await journal.write(journal.record("output.kept", kept), ...leftoverRecords(run, leftovers));
  await run.captures.idle();
  await run.asItGoes?.end({ isHurried: life.isSignalled });
  crashPoint("run.before-end-capture");
  const captured = await captures.end();
  crashPoint("run.before-release");
  const isRecorded = await journal.release(
    ...(await lastRecords(setting, run, life, { isCaptured: captured !== null })),
  );
  keeper.close();
  // What it held is in the journal now; what is not, recovery still needs.
  if (isRecorded) removeScratch(run.folder);
  return { lastOutput, leftovers, isRecorded };
}

/** S2: `run` stops at its own end what its agent left, after saying so. */
async function stopRest(setting: RunSetting, run: PreparedRun, { seen }: AgentLife): Promise<LeftoverEnd[]> {
  const { store, tell, isSharedServer } = setting;
  const query = { mark: run.mark, seen, self: selfPid(), isShared: sharedByCommand(isSharedServer) };
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
  await within(clock, OUTPUT_WAIT_MS, agent.drained);
  agent.letGo();
}

/** Finished: everything is closed. Interrupted: settled as recovery would, by one who saw how it ended (C4, L2). */
async function lastRecords(
  { store }: RunSetting,
  { session, journal, troubles }: PreparedRun,
  { end, exit }: AgentLife,
  { isCaptured }: { readonly isCaptured: boolean },
): Promise<NewRecord[]> {
  const { clock } = store;
  const finished = end.turn === null ? [] : [journal.record("session.finished", { cause: end.cause })];
  try {
    const things = await openThings(store, session, { open: await store.open(session) });
    if (end.turn !== null) return [...closeOpen(clock, things, end.turn, end.turnBy), ...finished];
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

/**
 * What is written about things that are open when an agent has exited by itself (DESIGN 9): its turn ends as it did,
 * its open calls get a result that says nobody saw them end (C4), its open messages are cut off (C3). Operations
 * stay open: only their author can say that they are done. Pure.
 */
export function closeOpen(
  clock: Clock,
  things: readonly OpenThing[],
  outcome: TurnOutcome,
  by: TurnEndedBy = "exit",
): NewRecord[] {
  const order: readonly OpenRow["what"][] = ["call", "message", "turn"];
  return order.flatMap((what) =>
    things.filter(({ row }) => row.what === what).flatMap((thing) => closing(clock, thing, outcome, by)),
  );
}

function closing(clock: Clock, thing: OpenThing, outcome: TurnOutcome, by: TurnEndedBy): NewRecord[] {
  const { row } = thing;
  switch (row.what) {
    case "call": {
      const result = unseenResult(thing, outcome === "cancelled" ? "stopped" : "ended");
      return [newRecord(clock, "call.ended", { call: row.id, ...result })];
    }
    case "message":
      return [newRecord(clock, "message.ended", { message: row.id, state: "cut-off", parts: [] })];
    case "turn":
      return [newRecord(clock, "turn.ended", { turn: row.id, outcome, reason: null, by })];
    default:
      return [];
  }
}

/** Ends a session whose agent never started: nothing happened in it, so it is finished, and its claim is free. */
export async function abandonRun(
  store: Store,
  { session, attempt }: { readonly session: SessionId; readonly attempt: number },
  run: PreparedRun | null,
): Promise<void> {
  run?.keeper.close();
  try {
    const things = await openThings(store, session, { open: await store.open(session) });
    await store.release(session, attempt, [
      ...closeOpen(store.clock, things, "cancelled"),
      newRecord(store.clock, "session.finished", { cause: "clean" }),
      newRecord(store.clock, "claim.released", { attempt }),
    ]);
    if (run) removeScratch(run.folder);
  } catch (_unreachable) {
    // Why nothing was started is the news; a claim that could not be given back is free when this process ends (K2).
  }
}
