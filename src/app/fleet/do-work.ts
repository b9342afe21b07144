/** Doing what a worker found: in a work tree of its own, under supervision as `run` does it, or gone on with as `resume` does it. */
import { existsSync } from "node:fs";
import { type FoundAccountLimit, recordLimit } from "../../fleet/accounts.ts";
import { promptOf } from "../../fleet/read-queue.ts";
import { endItemOf } from "../../fleet/tend-queue.ts";
import { ensureError, RefloatError } from "../../model/errors.ts";
import type { SessionId } from "../../model/ids.ts";
import { isJsonObject } from "../../model/json.ts";
import { hostId, selfOwner } from "../../platform/identity.ts";
import { claimResumed } from "../../session/claim-resumed.ts";
import { giveBack, keepAlive } from "../../session/claims.ts";
import { newRecord } from "../../session/new-record.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import { workspaceIn } from "../../store/contract/session-facts.ts";
import { PUT_BACK, putBackFirst } from "../acts/held.ts";
import { withHandoff, writeHandoffFile } from "../handoff/brief-file.ts";
import { recover } from "../recovery/recover.ts";
import { settlesByPolicy } from "../run/loop-settle.ts";
import { resume } from "../run/resume.ts";
import { type RunFace, type RunOutcome, runOrder } from "../run/run-order.ts";
import { runSession } from "../run/run-session.ts";
import type { WorkFound } from "./find-work.ts";
import { itemTrees, makeItemTree } from "./item-tree.ts";
import { PROMPT_VARIABLE, withPrompt } from "./prompt-words.ts";
import type { WorkerRepository, WorkerSetting } from "./worker-order.ts";

/** Of the time to drain: the rest is for the captures at the end. */
const AGENTS_SHARE = 0.7;
/** What a session is told that has no prompt of its own: its brief says the rest. */
const GO_ON = "Go on with the work that was interrupted.";

/** Never throws for one session's sake: that is told, and the next is begun. */
export async function doWork(setting: WorkerSetting, work: WorkFound): Promise<RunOutcome | null> {
  const { store, face, signals, order } = setting;
  const session = work.kind === "item" ? work.session : work.row.id;
  const heard = signals.forSession();
  const run: RunFace = {
    streams: face.streams(),
    isUnattended: true,
    hold: () => undefined,
    release: () => undefined,
    tell: (news) => {
      face.tell({ kind: "of-session", session, news });
      // Somebody else has it: what this agent still does is nobody's (K1).
      if (news.kind === "taken-over") heard.tell("SIGTERM");
    },
  };
  const startedMs = setting.at.clock.monotonicMs();
  try {
    const outcome =
      work.kind === "item"
        ? await doItem(setting, work, { run, heard })
        : await goOn(setting, work, { run, heard });
    const { state, cause, resets_at } = outcome.report;
    const ms = setting.at.clock.monotonicMs() - startedMs;
    face.tell({ kind: "ended", session, what: work.kind, code: outcome.exitCode, state, cause, ms });
    if (cause === "limit")
      await paused(setting, { session, resetsAtMs: resets_at === null ? null : Date.parse(resets_at) });
    const tell = (news: Parameters<Parameters<typeof settlesByPolicy>[1]["tell"]>[0]): void =>
      face.tell({ kind: "settles", session, news });
    await settlesByPolicy(work.repository.at, { policy: order.policy.settle, signals, tell })(session);
    return outcome;
  } catch (thrown) {
    // A fault of ours in one session, too: the agents of the other slots are not killed for it.
    if (thrown instanceof RefloatError) face.tell({ kind: "not-done", session, error: thrown });
    else face.tell({ kind: "trouble", error: ensureError(thrown), session });
    return null;
  } finally {
    heard.stop();
    if (work.kind === "resumed") await work.reservation.release();
    await endItemOf(store.raw, session).catch((thrown: unknown) =>
      face.tell({ kind: "trouble", error: ensureError(thrown) }),
    );
  }
}

async function paused(setting: WorkerSetting, found: Omit<FoundAccountLimit, "account">): Promise<void> {
  const { store, account, face } = setting;
  const untilMs = await recordLimit(store.raw, { ...found, account });
  face.tell({ kind: "paused", account, untilMs });
}

interface Hands {
  readonly run: RunFace;
  readonly heard: ReturnType<WorkerSetting["signals"]["forSession"]>;
}

/** Claimed with its item; nothing of it was begun. */
async function doItem(
  setting: WorkerSetting,
  { session, attempt, prompt, repository }: Extract<WorkFound, { kind: "item" }>,
  hands: Hands,
): Promise<RunOutcome> {
  const { store, owner } = setting;
  const beat = keepAlive(store.raw, session, attempt, () => hands.heard.tell("SIGTERM"));
  try {
    return await beginIn(setting, repository, { session, attempt, prompt }, hands);
  } catch (thrown) {
    // It stays what it is, an item that was begun by nobody, for whoever can.
    await giveBack(store.raw, { session, attempt, owner });
    throw thrown;
  } finally {
    beat.stop();
  }
}

interface ClaimedItem {
  readonly session: SessionId;
  readonly attempt: number;
  readonly prompt: string;
}

async function beginIn(
  setting: WorkerSetting,
  { workspace, at }: WorkerRepository,
  { session, attempt, prompt }: ClaimedItem,
  { run, heard }: Hands,
): Promise<RunOutcome> {
  const { store, order, face, owner } = setting;
  const tree = await makeItemTree(await workspace.repository(), session);
  const row = await store.raw.session(session);
  if (row && workspaceIn(row) !== tree.path) {
    const body = { from: workspaceIn(row), to: tree.path, reason: PUT_BACK, host: hostId() };
    // Under its claim: a machine that stood still meanwhile must not say where a session is that goes on elsewhere (K1).
    await store.raw.append(session, { attempt }, [newRecord(store.raw.clock, "session.moved", body)]);
  }
  const place = tree.path;
  face.tell({ kind: "begins", session, what: "item", place });
  const given = withPrompt(order.command, prompt);
  const handing = { home: await at.home(), env: at.env, stands: place, workspace: place, name: session };
  const filled = withHandoff(given.command, await writeHandoffFile(store, handing, null), given.verbatim);
  const asked = await runOrder(at, { ...askedOf(setting), command: filled.command, place });
  const going = {
    ...asked,
    owner,
    // The machine it was to begin on may have had a newer clone: nothing of it was done there.
    acceptsOlder: true,
    typed: given.command,
    childEnv: { ...filled.childEnv, [PROMPT_VARIABLE]: prompt },
    begun: { session, attempt },
  };
  return runSession(at, going, run, heard);
}

function askedOf({ order }: WorkerSetting) {
  const drainMs = order.drainMs === null ? null : Math.round(order.drainMs * AGENTS_SHARE);
  const { agent, limit, store, policy } = order;
  return { agent, limit, store, drainMs, timeoutMs: policy.timeoutMs, owner: "refloat worker" as const };
}

async function goOn(
  setting: WorkerSetting,
  work: Extract<WorkFound, { kind: "resumed" }>,
  hands: Hands,
): Promise<RunOutcome> {
  const { store, order, face } = setting;
  const { row, repository, isUnbegun } = work;
  const prompt = (await promptOf(store.raw, row)) ?? textOr(row.facts.goal, GO_ON);
  // Its first capture may have been taken: of a tree in which nothing was done yet.
  if (isUnbegun || (row.facts.captured_head === undefined && typeof row.facts.queue === "string"))
    return unbegun(setting, { row, repository, prompt }, hands);
  face.tell({ kind: "begins", session: row.id, what: "resumed", place: repository.workspace.root });
  const prompted = withPrompt(order.command, prompt);
  const outcome = await resume(
    repository.at,
    store,
    row,
    {
      ...{ named: null, isAll: false, isRecreated: true, agent: null, acceptsOlder: false },
      ...{ travel: { to: await treeFor(repository, row), from: null }, store: order.store },
      by: { ...askedOf(setting), ...prompted, childEnv: { [PROMPT_VARIABLE]: prompt } },
    },
    {
      run: hands.run,
      mayAct: true,
      // In a tree of somebody's own that stands elsewhere by now, nobody goes on by himself.
      ask: async ({ row: asked }) => workspaceIn(asked) !== repository.workspace.root,
      putBack: (opened, here, held) => putBackFirst({ store: opened, here }, held, null, hands.run.tell),
    },
    () => hands.heard,
  );
  if (outcome.kind === "ran") return outcome;
  throw new RefloatError("E_RESUME_HELD", { session: row.id, path: workspaceIn(row) });
}

/** Null: its own is here. Else one of its own beside the clone, at a place where nothing is: it may have been here before, and gone on elsewhere. */
async function treeFor({ workspace }: WorkerRepository, row: SessionRow): Promise<string | null> {
  const { capture } = row.facts;
  const host = isJsonObject(capture) ? capture.host : null;
  if (host === hostId() && existsSync(workspaceIn(row))) return null;
  const { path } = (await itemTrees(await workspace.repository()))(row.id);
  return existsSync(path) ? `${path}-${row.claim.attempt + 1}` : path;
}

const textOr = (value: unknown, otherwise: string): string =>
  typeof value === "string" && value.trim() !== "" ? value : otherwise;

/** Its worker died before its agent started, or before anything of it was captured: it is begun anew, here, as the next try. */
async function unbegun(
  setting: WorkerSetting,
  { row, repository, prompt }: { row: SessionRow; repository: WorkerRepository; prompt: string },
  hands: Hands,
): Promise<RunOutcome> {
  const { store, at } = setting;
  const where = { kind: "session", row, workspace: null } as const;
  await recover({ store: store.raw, env: at.env, home: await at.home(), where });
  const owner = selfOwner("refloat worker");
  // Begun by another meanwhile, or ended by order, it is not begun here (K1, L4).
  const attempt = await claimResumed(store.raw, row, { owner, why: PUT_BACK });
  const mine = { ...setting, owner };
  return doItem(mine, { kind: "item", session: row.id, attempt, prompt, repository }, hands);
}
