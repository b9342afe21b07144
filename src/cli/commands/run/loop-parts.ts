/** Wires a loop: sessions by `run`, recovery, the brief, the goal, and what is told to whom. */

import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { withHandoff, writeHandoffFile } from "../../../app/handoff/brief-file.ts";
import { recover } from "../../../app/recovery/recover.ts";
import type { LoopSignals } from "../../../app/run/loop-signals.ts";
import { runUserCommand } from "../../../app/run/user-command.ts";
import { summaryOf } from "../../../app/sessions/find-session.ts";
import type { RefloatStore } from "../../../app/store/open-store.ts";
import { RefloatError } from "../../../model/errors.ts";
import type { SessionId } from "../../../model/ids.ts";
import type { StoredRecord } from "../../../model/record.ts";
import type { Policy } from "../../../salvage/settle/policy.ts";
import { causeFrom } from "../../../session/causes.ts";
import { newRecord } from "../../../session/new-record.ts";
import { EVIDENCE_KINDS, EVIDENCE_RECORDS, progressIn } from "../../../session/progress.ts";
import type { SessionRow } from "../../../store/contract/driver.ts";
import type { SessionEnd } from "../../../supervise/decide-loop.ts";
import type { HandoffFile, LoopNews, LoopParts, SessionStart } from "../../../supervise/loop.ts";
import type { RunReport } from "../../../supervise/run-report.ts";
import type { Workspace } from "../../../workspace/opening/workspace.ts";
import type { Context } from "../../context/context.ts";
import { teller } from "../../context/tell.ts";
import { untrustedLines } from "../../screen/news-lines.ts";
import { settleByPolicy } from "./loop-settle.ts";
import { type RunOrder, runSession } from "./run-session.ts";

export interface LoopOrder {
  /** Its name is the loop's. */
  readonly run: RunOrder & { readonly name: string };
  readonly until: string | null;
  readonly stopFile: string | null;
}

export interface LoopWiring {
  readonly context: Context;
  readonly store: RefloatStore;
  readonly workspace: Workspace;
  readonly order: LoopOrder;
  readonly signals: LoopSignals;
  readonly policy: Policy;
  readonly say: (line: string) => void;
  readonly tell: (news: LoopNews) => Promise<void>;
  readonly onUnsettled: (session: string) => Promise<void>;
}

/** A goal that is asked longer than this is work of its own. */
const UNTIL_TIMEOUT_MS = 10 * 60_000;
const UNTIL_OUTPUT_BYTES = 16 * 1024 * 1024;

export function loopParts(wiring: LoopWiring): LoopParts {
  const { context, store, order, signals } = wiring;
  const say = (session: string, kind: "session.lifted" | "session.suspended", reason: string) =>
    store.raw.append(session as SessionId, "anyone", [newRecord(store.raw.clock, kind, { reason })]);
  const onUntrusted = saidOnce((line) => wiring.say(context.out.typed(line)));
  return {
    clock: context.clock,
    recover: () => recoverFirst(wiring),
    settle: (session) => settle(wiring, session, onUntrusted),
    lift: async (session) => {
      await say(session, "session.lifted", "this loop goes on longer (--suspend-after)");
    },
    suspend: async (session, reason) => {
      await say(session, "session.suspended", reason);
    },
    handoff: () => handoff(wiring),
    session: (start) => session(wiring, start),
    isGoalReached: () => isGoalReached(order.until),
    hasStopFile: () => order.stopFile !== null && existsSync(resolve(order.run.place, order.stopFile)),
    signal: () => signals.first,
    tell: wiring.tell,
  };
}

async function recoverFirst({
  context,
  store,
  workspace,
  order,
}: LoopWiring): Promise<{ suspended: string | null }> {
  const { home, place } = order.run;
  const tell = teller(context);
  await recover({
    ...{ store: store.raw, env: context.env, home },
    where: { kind: "workspace", workspace, place },
    stops: "earlier-sessions",
    tell: (news) => (news.kind === "recovery" ? undefined : tell(news)),
  });
  const row = await newest(store, workspace, order.run.name);
  return { suspended: typeof row?.facts.suspended === "string" ? row.id : null };
}

/** The newest session of this loop: whose work the next one takes up. */
async function newest(store: RefloatStore, workspace: Workspace, name: string): Promise<SessionRow | null> {
  const [summary] = await store.sessions({ workspace: workspace.root, name });
  return summary ? store.raw.session(summary.id as SessionId) : null;
}

/** By the policy; somebody may want to know what still waits then. */
async function settle(
  wiring: LoopWiring,
  session: string,
  onUntrusted: (command: string) => void,
): Promise<void> {
  const { context, store, order, policy, signals, say, onUnsettled } = wiring;
  const { home } = order.run;
  await settleByPolicy({ context, store, home, policy, signals, say, onUntrusted }, session);
  const row = await store.raw.session(session as SessionId);
  const summary = row && (await summaryOf(store, row));
  if (summary?.unsettled) await onUnsettled(session);
}

/** Every session of the loop would say the same. */
function saidOnce(say: (line: string) => void): (command: string) => void {
  const said = new Set<string>();
  return (command) => {
    if (said.has(command)) return;
    said.add(command);
    for (const line of untrustedLines(command)) say(line);
  };
}

async function handoff({ store, workspace, order }: LoopWiring): Promise<HandoffFile> {
  const { home, name } = order.run;
  const row = await newest(store, workspace, name);
  return writeHandoffFile(store, { home, workspace: workspace.root, name }, row);
}

async function session(
  { context, store, order, signals }: LoopWiring,
  { handoff: brief, timeoutMs }: SessionStart,
): Promise<SessionEnd> {
  const { run } = order;
  const heard = signals.forSession();
  const given: RunOrder = {
    ...run,
    limits: { ...run.limits, timeoutMs: least(run.limits.timeoutMs, timeoutMs) },
    ...withHandoff(run.command, brief),
  };
  try {
    const { report } = await runSession(context, given, heard);
    return await endOf(store, report);
  } finally {
    heard.stop();
  }
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
async function isGoalReached(until: string | null): Promise<boolean | null> {
  if (until === null) return null;
  const outcome = await runUserCommand(until, {
    maxOutputBytes: UNTIL_OUTPUT_BYTES,
    timeoutMs: UNTIL_TIMEOUT_MS,
  });
  return outcome.kind === "ended" && outcome.code === 0;
}
