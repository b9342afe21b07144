/** Wires a run: the store on a thread of its own, recovery of what died before, the session, the agent, its end. */
import { resolve } from "node:path";
import { isSharedServer } from "../../agents/shared-servers.ts";
import { ensureError, RefloatError } from "../../model/errors.ts";
import type { SessionId } from "../../model/ids.ts";
import { tellBegun } from "../../platform/observed.ts";
import { isPostgres, storePath } from "../../platform/store-address.ts";
import { claimResumed } from "../../session/claim-resumed.ts";
import { giveBack, keepAlive } from "../../session/claims.ts";
import type { Store } from "../../store/store.ts";
import { type BegunRun, beginRun } from "../../supervise/begin-run.ts";
import { codeOfSignal } from "../../supervise/decide-end.ts";
import { abandonRun, endRun } from "../../supervise/end-run.ts";
import type { HeardSignals } from "../../supervise/hear-stop.ts";
import type { OpenHearing } from "../../supervise/hearing.ts";
import { deadlineVariable } from "../../supervise/keep-time.ts";
import { type PreparedRun, prepareRun, type RunSetting } from "../../supervise/prepare-run.ts";
import { endedReport, failedReport } from "../../supervise/run-report.ts";
import type { NotStarted } from "../../supervise/running-agent.ts";
import { startPiped } from "../../supervise/start-piped.ts";
import { loadPty, startPty } from "../../supervise/start-pty.ts";
import { type AgentLife, type StartAgent, superviseAgent } from "../../supervise/supervise.ts";
import { sessionOwner } from "../../workflow/claim-owner.ts";
import { keepSteps } from "../../workflow/keep-steps.ts";
import type { KeeperEars } from "../../workflow/renew-steps.ts";
import type { Workspace } from "../../workspace/opening/workspace.ts";
import { openTrusted } from "../../workspace/trust/open-trusted.ts";
import { finishOpenUnlessBusy } from "../acts/finish-open.ts";
import { PUT_BACK } from "../acts/held.ts";
import { HANDOFF_VARIABLE } from "../handoff/brief-file.ts";
import type { AppPlace } from "../place/app-place.ts";
import { workspaceAt } from "../place/workspace-here.ts";
import { recover } from "../recovery/recover.ts";
import type { RefloatStore } from "../store/open-store.ts";
import { assertNotOlder } from "./assert-not-older.ts";
import { commitAt, endedCommitter } from "./commit-ended.ts";
import { type HeardRun, hearingOf, supervisedAs } from "./hear-agent.ts";
import type { RunBundle } from "./run-bundle.ts";
import type { RunFace, RunOrder, RunOutcome } from "./run-order.ts";
import { NOTICE_VARIABLE, showNotice, startNotice } from "./start-notice.ts";

interface RunClaim {
  readonly session: SessionId;
  readonly attempt: number;
}

/** How often a busy name is looked at again. */
const BUSY_LOOK_MS = 500;

export async function runSession(
  at: AppPlace,
  order: RunOrder,
  face: RunFace,
  signals: HeardSignals,
): Promise<RunOutcome> {
  const store = await at.openOrMakeStore({ thread: true });
  const { env } = at;
  const { home, place } = order;
  const { workspace } = await workspaceAt(at, store, place);
  if (order.resumes === undefined && !order.acceptsOlder)
    await assertNotOlder({ store: store.raw, workspace, env }, place);
  await finishOpenUnlessBusy({ store: store.raw, workspace, env }, face.tell);
  await recover({ store: store.raw, env, home, where: { kind: "workspace", workspace, place } });
  const bundled = await bundleOf(order, workspace, env);
  const committing = (error: Error): void => face.tell({ kind: "commits-nothing", error });
  const committed =
    order.commitAt ??
    (await commitAt(store.raw, workspace, { resumes: order.resumes?.tree.id, env }, committing));
  const looking = { workspace, clock: at.clock, env, home, stands: place };
  const notice = isToldInFull(order)
    ? null
    : await startNotice(store, looking, (error) => face.tell({ kind: "notice-failed", error }));
  const agent = order.protocol === "acp" ? order.agent : supervisedAs(order.agent, order.command);
  const begun = await begin(store.raw, workspace.root, { ...order, agent }, signals);
  if (typeof begun === "number") return { exitCode: begun, report: failedReport(begun, null) };
  const { resumes } = order;
  const found = { state: resumes === undefined ? "live" : "interrupted", recovered: 0 };
  const { session, attempt } = begun;
  tellBegun({ session, attempt, atMs: store.raw.clock.nowMs(), agent: agent.name, ...found });
  const asItGoes = committed === "operation-end" && workspace.kind === "git";
  const heard = { store: store.raw, command: order.command, place, env, home };
  const hearing = await hearingFor(order, heard);
  const setting: RunSetting = {
    store: store.raw,
    agent,
    ...(hearing ? { openHearing: hearing } : {}),
    ...(order.resumes === undefined ? {} : { isResumed: true }),
    isSharedServer,
    command: order.command,
    ...(order.typed ? { typed: order.typed } : {}),
    file: order.file,
    workspace: () => openTrusted(store.raw, place, env),
    ...{ place, home, env },
    hasTerminal: face.streams.stdin.isTTY === true && !face.isUnattended,
    childEnv: {
      ...order.childEnv,
      ...(notice ? { [NOTICE_VARIABLE]: notice.text } : {}),
      ...(await storeForChild(at, order)),
    },
    tell: (line) => face.tell({ kind: "said", line }),
    commitEnded: asItGoes ? endedCommitter(place, order.store) : null,
  };
  if (notice) {
    const say = (line: string): void => face.tell({ kind: "noticed", line });
    await showNotice(store.raw, workspace, notice, { to: begun.session, say });
  }
  const heartbeat = keepAlive(store.raw, begun.session, begun.attempt, (error) =>
    face.tell({ kind: "taken-over", error }),
  );
  const bundle = bundled?.(store, begun.session, face);
  bundle?.start();
  try {
    return await runAgent(order, setting, begun, signals, face);
  } finally {
    await bundle?.end();
    heartbeat.stop();
    face.release();
  }
}

/** What few runs ask for is loaded with the asking. */
async function bundleOf(
  { bundle, home, place }: RunOrder,
  workspace: Workspace,
  env: NodeJS.ProcessEnv,
): Promise<((store: RefloatStore, session: SessionId, face: RunFace) => RunBundle) | null> {
  if (!bundle) return null;
  const { bundleFolder, RunBundle } = await import("./run-bundle.ts");
  const folder = bundleFolder(workspace, resolve(place, bundle.folder), bundle.folder);
  const order = { ...bundle, ...{ home, env, stands: place, folder } };
  return (...having) => new RunBundle(order, ...having);
}

async function hearingFor({ protocol }: RunOrder, heard: HeardRun): Promise<OpenHearing | null> {
  if (protocol !== "acp") return hearingOf(heard);
  const { acpHearingOf } = await import("./hear-acp.ts");
  return acpHearingOf(heard);
}

/** `resume` and `loop` hand the whole brief over: a notice beside it would say less, later. */
const isToldInFull = ({ resumes, childEnv }: RunOrder): boolean =>
  resumes !== undefined || childEnv?.[HANDOFF_VARIABLE] !== undefined;

/** What was said of the store holds for the agent's own calls, too, in whatever folder it makes them. */
async function storeForChild(at: AppPlace, { store }: RunOrder): Promise<Record<string, string>> {
  if (store === null && !at.env.REFLOAT_STORE) return {};
  const address = await at.storeAddress();
  return { REFLOAT_STORE: isPostgres(address) ? address : storePath(address) };
}

/** A number: the exit code of a run that does not begin. */
async function begin(
  store: Store,
  workspace: string,
  { agent, name, owner, ifBusy, resumes, begun: given }: RunOrder,
  signals: HeardSignals,
): Promise<RunClaim | number> {
  if (given) return given;
  if (resumes) {
    // Recovered and settled by now: nothing is open that the claim would have to settle (C4).
    const { tree, looked } = resumes;
    return { session: tree.id, attempt: await claimResumed(store, tree, { owner, why: PUT_BACK, looked }) };
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
  face: RunFace,
): Promise<RunOutcome> {
  const { clock } = setting.store;
  const startedMs = clock.nowMs();
  const lived = await toItsEnd(order, setting, claim, signals, face);
  if (typeof lived === "number") return { exitCode: lived, report: failedReport(lived, null) };
  const { run, life } = lived;
  // The agent has run and ended: whatever fails now, its exit code is not ours to take away.
  const ended = await endRun(setting, run, life).catch((thrown: unknown) => {
    run.troubles.add("the end was not recorded", ensureError(thrown));
    return null;
  });
  tellEnd(face, run, life);
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
  face: RunFace,
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
    const start = await starter({ ...run, program }, face);
    const steps = keepSteps(setting.store, sessionOwner(claim.session, claim.attempt), earsOf(run, face));
    // No heartbeat is written once the agent is gone: the end capture sees the file as it was left.
    const life = await superviseAgent(setting, run, start, { signals, limits: order.limits }).finally(() =>
      steps.stop(),
    );
    face.release();
    if ("kind" in life) throw notStarted(order, life);
    return { run, life };
  } catch (thrown) {
    await abandon(order, setting, claim, run);
    throw thrown;
  }
}

function earsOf({ troubles }: PreparedRun, face: RunFace): KeeperEars {
  return {
    onLost: ({ file, step, by }) => face.tell({ kind: "step-lost", file, step, by }),
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
  if (order.resumes === undefined && !order.begun) return abandonRun(store, claim, run);
  run?.keeper.close();
  await giveBack(store, { ...claim, owner: order.owner });
}

/** A terminal of its own only when all three of our streams are one (issue: colours, size, keys), else pipes. */
async function starter({ program, folder, hearing }: PreparedRun, face: RunFace): Promise<StartAgent> {
  const { streams } = face;
  const { stdin, stdout, stderr } = streams;
  // Whoever reads us may go away; what that means is the agent's to decide, as without us.
  for (const stream of [stdout, stderr]) stream.removeAllListeners("error");
  const onInput = hearing?.takeInput?.bind(hearing);
  const isTerminal =
    !onInput && !face.isUnattended && stdin.isTTY === true && stdout.isTTY === true && stderr.isTTY === true;
  const pty = isTerminal ? await loadPty() : null;
  if (pty && "spawn" in pty) {
    face.hold();
    return (onPiece) => startPty(pty.spawn, program, streams, onPiece);
  }
  if (pty) face.tell({ kind: "no-terminal", why: pty.missing });
  return (onPiece) =>
    startPiped(program, streams, {
      onPiece,
      folder,
      onInput,
      ...(face.isUnattended ? { isAlone: true } : {}),
    });
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
function tellEnd(face: RunFace, { session, asItGoes }: PreparedRun, { end, exit }: AgentLife): void {
  const last = asItGoes?.committed.at(-1);
  if (asItGoes && last)
    face.tell({ kind: "committed-as-it-went", commits: asItGoes.committed.length, last: last.commit });
  if (end.state === "finished") return;
  const warnedBy = end.isOfWarning ? exit.signal : null;
  face.tell({ kind: "cut-off", session, cause: end.cause, warnedBy });
}
