/** Wires a loop: sessions by `run`, recovery, the brief, the goal, and what is told to whom. */

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { causeFrom } from "../../model/causes.ts";
import { RefloatError } from "../../model/errors.ts";
import type { SessionId } from "../../model/ids.ts";
import type { StoredRecord } from "../../model/record.ts";
import type { Policy } from "../../salvage/settle/policy.ts";
import { newRecord } from "../../session/new-record.ts";
import { EVIDENCE_KINDS, EVIDENCE_RECORDS, progressIn } from "../../session/progress.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import { suspendedFor } from "../../store/contract/session-facts.ts";
import type { SessionEnd } from "../../supervise/decide-loop.ts";
import type { HandoffFile, LoopNews, LoopParts, SessionStart } from "../../supervise/loop.ts";
import type { RunReport } from "../../supervise/run-report.ts";
import type { Workspace } from "../../workspace/opening/workspace.ts";
import { withHandoff, writeHandoffFile } from "../handoff/brief-file.ts";
import type { AppPlace } from "../place/app-place.ts";
import { recover } from "../recovery/recover.ts";
import { summaryOf } from "../sessions/find-session.ts";
import type { RefloatStore } from "../store/open-store.ts";
import { type SettleByPolicy, type SettlingNews, settlesByPolicy } from "./loop-settle.ts";
import type { LoopSignals } from "./loop-signals.ts";
import type { LoopStory, LoopWords } from "./loop-story.ts";
import { runHeard } from "./run.ts";
import type { RunFace, RunOrder } from "./run-order.ts";
import { runUserCommand } from "./user-command.ts";

export interface LoopOrder {
  /** Its name is the loop's. */
  readonly run: RunOrder & { readonly name: string };
  readonly until: string | null;
  readonly stopFile: string | null;
  /** What becomes of what a session left; null: as configured, else it is left. */
  readonly policy: Policy | null;
  /** Is told the news; null: as configured, where that is trusted (loop.ts). */
  readonly notify: string | null;
}

/** What happens in a loop, for its log; of each session the run's own news tell. */
export type LoopTold =
  | LoopNews
  | SettlingNews
  /** The configured command is not told: it came with the repository, and nobody trusted it (T2). */
  | { readonly kind: "notify-untrusted"; readonly command: string }
  /** It could not be told. */
  | { readonly kind: "notify-trouble"; readonly line: string };

export interface LoopFace {
  /** Of each session. */
  readonly run: RunFace;
  /** Of the loop itself. */
  tell(news: LoopTold): void;
  readonly words: LoopWords;
}

export interface LoopWiring {
  readonly at: AppPlace;
  readonly store: RefloatStore;
  readonly workspace: Workspace;
  readonly order: LoopOrder & { readonly policy: Policy };
  readonly signals: LoopSignals;
  readonly face: LoopFace;
  readonly story: LoopStory;
}

/** A goal that is asked longer than this is work of its own. */
const UNTIL_TIMEOUT_MS = 10 * 60_000;
const UNTIL_OUTPUT_BYTES = 16 * 1024 * 1024;

export function loopParts(wiring: LoopWiring): LoopParts {
  const { at, store, order, signals, face, story } = wiring;
  const byPolicy = settlesByPolicy(at, { policy: order.policy, signals, tell: (news) => face.tell(news) });
  const say = (session: string, kind: "session.lifted" | "session.suspended", reason: string) =>
    store.raw.append(session as SessionId, "anyone", [newRecord(store.raw.clock, kind, { reason })]);
  return {
    clock: at.clock,
    recover: () => recoverFirst(wiring),
    settle: (session) => settle(wiring, byPolicy, session),
    lift: async (session) => {
      await say(session, "session.lifted", "this loop goes on longer (--suspend-after)");
    },
    suspend: async (session, reason) => {
      await say(session, "session.suspended", reason);
    },
    handoff: () => handoff(wiring),
    session: (start) => session(wiring, start),
    isGoalReached: () => isGoalReached(wiring),
    hasStopFile: () => order.stopFile !== null && existsSync(resolve(order.run.place, order.stopFile)),
    signal: () => signals.first,
    tell: async (news) => {
      face.tell(news);
      await story.hear(news);
    },
  };
}

async function recoverFirst(wiring: LoopWiring): Promise<{ suspended: string | null }> {
  const { at, store, workspace, order, face } = wiring;
  const { home, place, name } = order.run;
  await recover({
    ...{ store: store.raw, env: at.env, home },
    where: { kind: "workspace", workspace, place },
    stops: "earlier-sessions",
    // The loop tells itself how each of its sessions ended.
    tell: (news) => (news.kind === "recovery" ? undefined : face.run.tell(news)),
  });
  const row = await newest(store, workspace, name);
  return { suspended: row && suspendedFor(row) !== null ? row.id : null };
}

/** The newest session of this loop: whose work the next one takes up. */
async function newest(store: RefloatStore, workspace: Workspace, name: string): Promise<SessionRow | null> {
  const [summary] = await store.sessions({ workspace: workspace.root, name });
  return summary ? store.raw.session(summary.id as SessionId) : null;
}

/** Somebody may want to know what still waits then. */
async function settle(
  { store, story }: LoopWiring,
  byPolicy: SettleByPolicy,
  session: string,
): Promise<void> {
  await byPolicy(session);
  const row = await store.raw.session(session as SessionId);
  const summary = row && (await summaryOf(store, row));
  if (summary?.unsettled) await story.unsettled(session);
}

async function handoff({ at, store, workspace, order }: LoopWiring): Promise<HandoffFile> {
  const { home, name, place: stands } = order.run;
  const row = await newest(store, workspace, name);
  const place = { home, env: at.env, stands, workspace: workspace.root, name };
  return writeHandoffFile(store, place, row);
}

async function session(
  { at, store, order, signals, face }: LoopWiring,
  { handoff: brief, timeoutMs }: SessionStart,
): Promise<SessionEnd> {
  const { run } = order;
  const given: RunOrder = {
    ...run,
    limits: { ...run.limits, timeoutMs: least(run.limits.timeoutMs, timeoutMs) },
    ...withHandoff(run.command, brief),
  };
  const { report } = await runHeard(at, given, face.run, signals);
  return endOf(store, report);
}

const least = (a: number | null, b: number | null): number | null =>
  a === null ? b : b === null ? a : Math.min(a, b);

/** Looked at before recovery writes its own records: what comes after them would count from there. */
async function endOf(store: RefloatStore, report: RunReport): Promise<SessionEnd> {
  const { session: id, exit_code: code, state, cause, resets_at } = report;
  if (typeof id !== "string") throw new RefloatError("E_LOOP_NO_SESSION", { code });
  const newestFirst = await store.raw.records({
    session: id as SessionId,
    kinds: EVIDENCE_KINDS,
    order: "backward",
    limit: EVIDENCE_RECORDS,
  });
  return {
    session: id,
    code,
    state: state === "finished" ? "finished" : "interrupted",
    cause: causeFrom(cause),
    hasProgress: progressIn(beforeItsEnd(newestFirst).toReversed()) !== null,
    call: null,
    resetsAtMs: typeof resets_at === "string" ? Date.parse(resets_at) : null,
  };
}

/** `run` settles what was cut off itself, and writes that last: what got done came before it, not after (L2). */
const beforeItsEnd = (newestFirst: readonly StoredRecord[]): readonly StoredRecord[] =>
  newestFirst[0]?.kind === "recovered" ? newestFirst.slice(1) : newestFirst;

/** The user's own command, by the shell; only its exit code counts. */
async function isGoalReached({ at, order: { until, run } }: LoopWiring): Promise<boolean | null> {
  if (until === null) return null;
  const bounds = { maxOutputBytes: UNTIL_OUTPUT_BYTES, timeoutMs: UNTIL_TIMEOUT_MS };
  const outcome = await runUserCommand(until, { cwd: run.place, env: at.env }, bounds);
  return outcome.kind === "ended" && outcome.code === 0;
}
