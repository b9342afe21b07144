/** Wires a run: the store on a thread of its own, recovery of what died before, the session, the agent, its end. */
import { finishOpenUnlessBusy } from "../../../app/acts/finish-open.ts";
import { HANDOFF_VARIABLE } from "../../../app/handoff/brief-file.ts";
import { workspaceHere } from "../../../app/place/workspace-here.ts";
import { recover } from "../../../app/recovery/recover.ts";
import { type CommitAt, commitAt, endedCommitter } from "../../../app/run/commit-ended.ts";
import { bundleFolder, RunBundle } from "../../../app/run/run-bundle.ts";
import { NOTICE_VARIABLE, showNotice, startNotice } from "../../../app/run/start-notice.ts";
import { ensureError, RefloatError } from "../../../model/errors.ts";
import type { SessionId } from "../../../model/ids.ts";
import type { Owner } from "../../../model/owner.ts";
import { giveBack, keepAlive, takeClaim } from "../../../session/claims.ts";
import { isPostgres, storePath } from "../../../store/open-raw-store.ts";
import type { Store } from "../../../store/store.ts";
import type { Agent } from "../../../supervise/agent.ts";
import { type BegunRun, beginRun } from "../../../supervise/begin-run.ts";
import { codeOfSignal } from "../../../supervise/decide-end.ts";
import { abandonRun, endRun } from "../../../supervise/end-run.ts";
import type { HeardSignals } from "../../../supervise/hear-stop.ts";
import { deadlineVariable } from "../../../supervise/keep-time.ts";
import { type PreparedRun, prepareRun, type RunSetting } from "../../../supervise/prepare-run.ts";
import { endedReport, failedReport, type RunReport } from "../../../supervise/run-report.ts";
import type { NotStarted, Streams } from "../../../supervise/running-agent.ts";
import { startPiped } from "../../../supervise/start-piped.ts";
import { loadPty, startPty } from "../../../supervise/start-pty.ts";
import {
  type AgentLife,
  type Limits,
  type StartAgent,
  superviseAgent,
} from "../../../supervise/supervise.ts";
import { sessionOwner } from "../../../workflow/claim-owner.ts";
import { type KeeperEars, keepSteps } from "../../../workflow/keep-steps.ts";
import { openTrusted } from "../../../workspace/trust/open-trusted.ts";
import type { Context } from "../../context/context.ts";
import { teller } from "../../context/tell.ts";
import { Narration } from "../../screen/narration.ts";
import { shortId } from "../../screen/short-id.ts";
import { count, oneLine } from "../../screen/words.ts";

export interface RunOrder {
  readonly command: readonly string[];
  /** As it was typed, where the brief is filled in; left out: as it is. */
  readonly typed?: readonly string[];
  /** The file found for its first word. */
  readonly file: string;
  readonly place: string;
  readonly home: string;
  readonly agent: Agent;
  readonly owner: Owner;
  readonly name: string | null;
  readonly ifBusy: "fail" | "wait" | "skip";
  readonly limits: Limits;
  /** Added to the agent's environment. */
  readonly childEnv?: Readonly<Record<string, string>>;
  /** Goes on with this session, as its next attempt; left out: a new one. */
  readonly resumes?: SessionId;
  /** Of a loop, read once before its first session (T2); left out: as the config says before this one. */
  readonly commitAt?: CommitAt;
  /** As it was typed; null: none is asked for. */
  readonly bundle: { readonly folder: string; readonly isRaw: boolean } | null;
}

export interface RunOutcome {
  readonly exitCode: number;
  readonly report: RunReport;
}

interface RunClaim {
  readonly session: SessionId;
  readonly attempt: number;
}

/** How often a busy name is looked at again. */
const BUSY_LOOK_MS = 500;

export async function runSession(
  context: Context,
  order: RunOrder,
  signals: HeardSignals,
): Promise<RunOutcome> {
  const store = await context.openOrMakeStore({ thread: true });
  const here = await workspaceHere(context, store);
  const { workspace } = here;
  await finishOpenUnlessBusy({ store: store.raw, workspace, env: context.env }, teller(context));
  await recover({
    ...{ store: store.raw, env: context.env, home: order.home },
    where: { kind: "workspace", workspace, place: order.place },
  });
  const bundleOrder = order.bundle && {
    ...order.bundle,
    home: order.home,
    folder: bundleFolder(workspace, order.bundle.folder),
  };
  const narration = new Narration(context.out);
  const say = (line: string): void => narration.say(line);
  const at = order.commitAt ?? (await commitAt(store.raw, workspace, order.resumes, say));
  const notice = isToldInFull(order) ? null : await startNotice(context, store, here);
  const begun = await begin(store.raw, workspace.root, order, signals);
  if (typeof begun === "number") return { exitCode: begun, report: failedReport(begun, null) };
  const setting: RunSetting = {
    store: store.raw,
    agent: order.agent,
    command: order.command,
    ...(order.typed ? { typed: order.typed } : {}),
    file: order.file,
    workspace: () => openTrusted(store.raw, order.place, process.env),
    place: order.place,
    home: order.home,
    env: process.env,
    hasTerminal: process.stdin.isTTY === true,
    childEnv: {
      ...order.childEnv,
      ...(notice ? { [NOTICE_VARIABLE]: notice.text } : {}),
      ...(await storeForChild(context)),
    },
    tell: say,
    commitEnded:
      at === "operation-end" && workspace.kind === "git" ? endedCommitter(context, order.place) : null,
  };
  if (notice) await showNotice(store.raw, workspace, notice, { to: begun.session, narration });
  const heartbeat = keepAlive(store.raw, begun.session, begun.attempt, (error) =>
    narration.say(`the session was taken over: ${error.message}`),
  );
  const bundle =
    bundleOrder && new RunBundle(bundleOrder, store, begun.session, (line) => narration.say(line));
  bundle?.start();
  try {
    return await runAgent(order, setting, begun, signals, narration);
  } finally {
    await bundle?.end();
    heartbeat.stop();
    narration.release();
  }
}

/** `resume` and `loop` hand the whole brief over: a notice beside it would say less, later. */
const isToldInFull = ({ resumes, childEnv }: RunOrder): boolean =>
  resumes !== undefined || childEnv?.[HANDOFF_VARIABLE] !== undefined;

/** What was said of the store holds for the agent's own calls, too, in whatever folder it makes them. */
async function storeForChild(context: Context): Promise<Record<string, string>> {
  if (context.flags.store === null && !process.env.REFLOAT_STORE) return {};
  const address = await context.storeAddress();
  return { REFLOAT_STORE: isPostgres(address) ? address : storePath(address) };
}

/** A number: the exit code of a run that does not begin. */
async function begin(
  store: Store,
  workspace: string,
  { agent, name, owner, ifBusy, resumes }: RunOrder,
  signals: HeardSignals,
): Promise<RunClaim | number> {
  if (resumes !== undefined) {
    // Recovered and settled by now: nothing is open that the claim would have to settle (C4).
    const { attempt } = await takeClaim(store, { session: resumes, owner, records: () => [] });
    return { session: resumes, attempt };
  }
  for (;;) {
    const begun: BegunRun = await beginRun(store, { agent: agent.name, workspace, name, owner });
    if (begun.kind === "begun") return begun;
    const about = { name: name ?? "", session: begun.by.id };
    if (begun.kind === "suspended") throw new RefloatError("E_RUN_SUSPENDED", about);
    if (ifBusy === "skip") return 0;
    if (ifBusy === "fail") throw new RefloatError("E_RUN_BUSY", about);
    await store.clock.sleep(BUSY_LOOK_MS);
    if (signals.early !== null) return codeOfSignal(signals.early);
  }
}

async function runAgent(
  order: RunOrder,
  setting: RunSetting,
  claim: RunClaim,
  signals: HeardSignals,
  narration: Narration,
): Promise<RunOutcome> {
  const { clock } = setting.store;
  const startedMs = clock.nowMs();
  const lived = await toItsEnd(order, setting, claim, signals, narration);
  if (typeof lived === "number") return { exitCode: lived, report: failedReport(lived, null) };
  const { run, life } = lived;
  // The agent has run and ended: whatever fails now, its exit code is not ours to take away.
  const ended = await endRun(setting, run, life).catch((thrown: unknown) => {
    run.troubles.add("the end was not recorded", ensureError(thrown));
    return null;
  });
  sayEnd(narration, run, life);
  const about = { name: order.name, agent: order.agent.name, workspace: setting.workspace().root };
  const report = endedReport({ about, run, life, ended, startedMs, endedMs: clock.nowMs() });
  return { exitCode: life.end.exitCode, report };
}

/** A number: a signal came before the agent was started, and this is the exit code. */
async function toItsEnd(
  order: RunOrder,
  setting: RunSetting,
  claim: RunClaim,
  signals: HeardSignals,
  narration: Narration,
): Promise<{ run: PreparedRun; life: AgentLife } | number> {
  let run: PreparedRun | null = null;
  try {
    run = await prepareRun(setting, claim);
    if (signals.early !== null) {
      await abandon(order, setting, claim, run);
      return codeOfSignal(signals.early);
    }
    const deadline = deadlineVariable({
      nowMs: setting.store.clock.nowMs(),
      timeoutMs: order.limits.timeoutMs,
      env: setting.env,
    });
    const program = { ...run.program, env: { ...run.program.env, ...deadline } };
    const start = await starter({ ...run, program }, narration);
    const steps = keepSteps(
      setting.store,
      sessionOwner(claim.session, claim.attempt),
      earsOf(run, narration),
    );
    // No heartbeat is written once the agent is gone: the end capture sees the file as it was left.
    const life = await superviseAgent(setting, run, start, { signals, limits: order.limits }).finally(() =>
      steps.stop(),
    );
    narration.release();
    if ("kind" in life) throw notStarted(order, life);
    return { run, life };
  } catch (thrown) {
    await abandon(order, setting, claim, run);
    throw thrown;
  }
}

function earsOf({ troubles }: PreparedRun, narration: Narration): KeeperEars {
  return {
    onLost: ({ file, step, by }) =>
      narration.sayTyped(
        `step ${step} of ${oneLine(file)} is ${oneLine(by)}'s now, by the file's word. See: refloat claim status`,
      ),
    onTrouble: (error) => troubles.add("a step's heartbeat was not written", error),
  };
}

/** A session that was to be gone on with is not over because its agent did not start: it stays what it was. */
async function abandon(
  order: RunOrder,
  { store }: RunSetting,
  claim: RunClaim,
  run: PreparedRun | null,
): Promise<void> {
  if (order.resumes === undefined) return abandonRun(store, claim, run);
  run?.keeper.close();
  await giveBack(store, { ...claim, owner: order.owner });
}

/** A terminal of its own only when all three of our streams are one (issue: colours, size, keys), else pipes. */
async function starter({ program, folder }: PreparedRun, narration: Narration): Promise<StartAgent> {
  const { stdin, stdout, stderr } = process;
  const streams: Streams = { stdin, stdout, stderr };
  // Whoever reads us may go away; what that means is the agent's to decide, as without us.
  for (const stream of [stdout, stderr]) stream.removeAllListeners("error");
  const isTerminal = stdin.isTTY === true && stdout.isTTY === true && stderr.isTTY === true;
  const pty = isTerminal ? await loadPty() : null;
  if (pty && "spawn" in pty) {
    narration.hold();
    return (onPiece) => startPty(pty.spawn, program, streams, onPiece);
  }
  if (pty) narration.say(`no terminal for the agent, it gets pipes: ${pty.missing}`);
  return (onPiece) => startPiped(program, streams, { onPiece, folder });
}

function notStarted({ command }: RunOrder, { kind, why }: NotStarted): RefloatError {
  const program = command[0] ?? "";
  switch (kind) {
    case "not-found":
      return new RefloatError("E_RUN_NOT_FOUND", { program });
    case "not-executable":
      return new RefloatError("E_RUN_NOT_EXECUTABLE", { program, why });
    case "failed":
      return new RefloatError("E_RUN_NOT_STARTED", { program, why });
    default:
      return kind satisfies never;
  }
}

/** A run that ended well says nothing, but for what was committed meanwhile. */
function sayEnd(narration: Narration, { session, asItGoes }: PreparedRun, { end, exit }: AgentLife): void {
  const last = asItGoes?.committed.at(-1);
  if (asItGoes && last)
    narration.sayTyped(
      `committed as it went: ${count(asItGoes.committed.length, "commit")}, the last is ${last.commit.slice(0, 12)}. Taken back by: refloat undo`,
    );
  if (end.state === "finished") return;
  const how = {
    timeout: "our timeout ended it",
    signal: end.isOfWarning
      ? `it died of our warning, ${exit.signal} (--warn-signal)`
      : "it was told to stop",
    limit: "its usage limit was reached",
    crash: "it died by a signal that did not come from us",
    oom: "the kernel killed it for want of memory",
    clean: "it ended",
  }[end.cause];
  narration.sayTyped(
    `session ${shortId(session)} was cut off: ${how}. See: refloat show ${shortId(session)}`,
  );
}
