/**
 * `refloat/workspace`: what the command line can do with a tree, for programs. The same use cases (app/), so the same verdicts, plans
 * and receipts (S7); asking comes as a function, and nothing is printed. Loaded only by who imports it.
 */
import { realpathSync, statSync } from "node:fs";
import { capture } from "../app/captures/capture.ts";
import { type Diff, diff } from "../app/captures/diff.ts";
import { type WhyOutcome, why } from "../app/captures/why.ts";
import { keepNotice } from "../app/handoff/keep-notice.ts";
import { briefHere } from "../app/handoff/session-brief.ts";
import { type OpenedPlace, openPlace } from "../app/place/open-place.ts";
import { scopeOf } from "../app/place/scope.ts";
import { pathFrom, workspaceHere } from "../app/place/workspace-here.ts";
import { STOP_WAIT_MS, type StopOutcome, stopSession } from "../app/run/stop.ts";
import { inspect } from "../app/salvage/inspect.ts";
import { type ToldCheck, toldCheck } from "../app/salvage/told-check.ts";
import { findSession } from "../app/sessions/find-session.ts";
import { type Status, status } from "../app/status/status.ts";
import { tellsNobody } from "../app/telling/news.ts";
import { type GuardOutcome, guard as guardFolder } from "../app/worktrees/guard.ts";
import type { Brief } from "../handoff/write-brief.ts";
import { throwIfAborted } from "../model/aborted.ts";
import { RefloatError } from "../model/errors.ts";
import { MAX_BUDGET_TOKENS, MIN_BUDGET_TOKENS } from "../model/limits.ts";
import type { Manifest } from "../model/manifest.ts";
import type { Policy } from "../salvage/settle/policy.ts";
import type { TakenCapture } from "../workspace/captures/take-capture.ts";
import {
  type ActOptions,
  quietFace,
  redoHere,
  restoreHere,
  type SettleOptions,
  settleHere,
  undoHere,
  unparkHere,
  type WorkspaceReceipt,
} from "./workspace-acts.ts";

export type {
  ActOptions,
  AskWorkspace,
  SettleOptions,
  WorkspaceAct,
  WorkspaceConflict,
  WorkspacePlan,
  WorkspaceReceipt,
} from "./workspace-acts.ts";
export type { Brief, Diff, GuardOutcome, Manifest, Policy, Status, StopOutcome, TakenCapture, WhyOutcome };

export interface OpenWorkspaceOptions {
  /** The store's address, as of `openStore`; left out: as the environment says. */
  readonly store?: string;
  /** Left out: this process' own. */
  readonly env?: NodeJS.ProcessEnv;
}

/** Which session is meant: an id, a name or the beginning of an id; left out: the newest unsettled one here, else the newest. */
export interface OfSession {
  readonly session?: string;
}

export interface InspectOptions extends OfSession {
  /** Your check, which is run and from then on trusted (T2); left out: the one you trust already, if there is one. */
  readonly verify?: string;
  /** Stops the check. */
  readonly signal?: AbortSignal;
  readonly onProgress?: (done: number, total: number) => void;
}

/** The manifest (DESIGN 10), as of `refloat inspect --json`. */
export type Inspection = Manifest & {
  /** Whether your check is in the verdicts; null: there is none. */
  readonly check: ToldCheck | null;
};

export interface DiffOptions {
  /** A capture's id, the beginning of one, or HEAD; left out: the newest capture, or HEAD where there is none. */
  readonly from?: string;
  /** The same, or `now`; left out: now. */
  readonly to?: string;
  readonly path?: string;
}

export interface CaptureHereOptions {
  readonly note?: string;
  /** From the folder that was opened; left out: all of it. */
  readonly paths?: readonly string[];
  readonly onProgress?: (done: number, total: number) => void;
}

export interface StopSessionOptions {
  readonly reason?: string;
  /** How long an owner that lives may take; two minutes unless said. */
  readonly waitMs?: number;
}

export interface RefloatWorkspace {
  /** The top of the tree, without symlinks. */
  readonly root: string;
  readonly kind: "git" | "folder";
  /** What a session left, judged. Changes nothing. */
  inspect(options?: InspectOptions): Promise<Inspection>;
  /** Where things stand in the whole repository. Changes nothing. */
  status(): Promise<Status>;
  /** What changed between captures, HEAD and now, and whose it is; left out: since the newest capture. */
  diff(options?: DiffOptions): Promise<Diff>;
  /** Whose a path is, or a line of it, with what tells so. */
  why(path: string, line?: number): Promise<WhyOutcome>;
  /** By a policy: what is safe is committed, what is half done is parked, ... Without `ask` it is only planned. */
  settle(options?: SettleOptions & { readonly policy?: Policy }): Promise<WorkspaceReceipt>;
  commit(options?: SettleOptions): Promise<WorkspaceReceipt>;
  park(options?: SettleOptions): Promise<WorkspaceReceipt>;
  discard(options?: SettleOptions): Promise<WorkspaceReceipt>;
  /** Brings a parked group back, by its name or the beginning of it. */
  unpark(name: string, options?: ActOptions): Promise<WorkspaceReceipt>;
  /** Puts back what a capture, or the newest of a session, holds. */
  restore(
    of: string,
    options?: ActOptions & { readonly paths?: readonly string[] },
  ): Promise<WorkspaceReceipt>;
  /** Takes the newest act back, or the plan or order that is named: a receipt for each tree it was done in. */
  undo(options?: ActOptions & { readonly plan?: string }): Promise<readonly WorkspaceReceipt[]>;
  redo(options?: ActOptions): Promise<WorkspaceReceipt>;
  /** The brief for whoever goes on; null: there is nothing to tell. */
  handoff(options?: OfSession & { readonly budget?: number }): Promise<Brief | null>;
  /** Holds the tree as it is. */
  capture(options?: CaptureHereOptions): Promise<TakenCapture>;
  /** Stops a session to its end, as `refloat stop`: `store.stop` only gives the order. Throws E_NOT_STOPPED. */
  stop(session: string, options?: StopSessionOptions): Promise<StopOutcome>;
  close(): Promise<void>;
}

export async function openWorkspace(
  directory: string = process.cwd(),
  { store, env = process.env }: OpenWorkspaceOptions = {},
): Promise<RefloatWorkspace> {
  const folder = folderAt(directory);
  const at = openPlace({ place: () => folder, env, store: store ?? null });
  const { workspace } = await workspaceHere(at, await at.findStore());
  return {
    root: workspace.root,
    kind: workspace.kind,
    inspect: (options = {}) => inspectHere(at, options),
    status: () => status(at, scopeOf(folder, "repository"), quietFace(undefined)),
    diff: ({ from, to, path } = {}) =>
      diff(
        at,
        {
          ...{ from: from ?? null, to: to ?? null, captureName: (id) => id },
          only: (here) => (path === undefined ? null : pathFrom(here, path)),
        },
        tellsNobody,
      ),
    why: (path, line) => why(at, (here) => [{ path: pathFrom(here, path), line: line ?? null }]),
    settle: ({ policy, ...options } = {}) =>
      settleHere(at, { kind: "settle", policy: policy ?? null }, options),
    commit: (options = {}) => settleHere(at, { kind: "commit" }, options),
    park: (options = {}) => settleHere(at, { kind: "park" }, options),
    discard: (options = {}) => settleHere(at, { kind: "discard" }, options),
    unpark: (name, options = {}) => unparkHere(at, name, options),
    restore: (of, options = {}) => restoreHere(at, of, options),
    undo: (options = {}) => undoHere(at, options),
    redo: (options = {}) => redoHere(at, options),
    handoff: (options = {}) => handoff(at, options),
    capture: (options = {}) => captureHere(at, options),
    stop: (session, options = {}) => stop(at, session, options),
    close: async () => {
      await keepNotice(at, await at.openedStore());
      await at.close();
    },
  };
}

export interface GuardFolderOptions extends OpenWorkspaceOptions {
  /** Holds everything in it first. */
  readonly hold?: boolean;
}

/** Whether a folder may go without anything being lost, as `refloat guard`: delete it only where the verdict is `removable`. */
export async function guard(
  path: string,
  { hold = false, store, env = process.env }: GuardFolderOptions = {},
): Promise<GuardOutcome> {
  const at = openPlace({ place: () => process.cwd(), env, store: store ?? null });
  try {
    return await guardFolder(at, { path, holds: hold });
  } finally {
    await at.close();
  }
}

/** Without symlinks. */
function folderAt(directory: string): string {
  try {
    const folder = realpathSync(directory);
    if (statSync(folder).isDirectory()) return folder;
  } catch (error) {
    throw new RefloatError("E_USAGE", { why: `There is no folder ${directory} that can be opened.` }, error);
  }
  throw new RefloatError("E_USAGE", { why: `${directory} is not a folder.` });
}

async function inspectHere(at: OpenedPlace, options: InspectOptions): Promise<Inspection> {
  const { session = null, verify = null, signal, onProgress } = options;
  const order = { session, verify, isLinking: false, stopsLeftovers: false };
  const inspecting = inspect(at, order, quietFace(onProgress, signal));
  const { manifest, judged } = await inspecting.catch((thrown: unknown) => {
    // What stops a check throws the signal's reason as it is.
    throwIfAborted(signal, "The inspection");
    throw thrown;
  });
  return { ...manifest, check: await toldCheck(judged) };
}

async function handoff(
  at: OpenedPlace,
  { session, budget }: OfSession & { readonly budget?: number },
): Promise<Brief | null> {
  if (budget !== undefined) assertBudget(budget);
  return (await briefHere(at, { session: session ?? null, budget: budget ?? null }))?.brief ?? null;
}

/** The bounds of `--budget`. */
function assertBudget(tokens: number): void {
  if (Number.isInteger(tokens) && tokens >= MIN_BUDGET_TOKENS && tokens <= MAX_BUDGET_TOKENS) return;
  throw new RefloatError("E_USAGE", {
    why: `budget wants a whole number of tokens from ${MIN_BUDGET_TOKENS} to ${MAX_BUDGET_TOKENS}, not ${tokens}`,
  });
}

async function captureHere(
  at: OpenedPlace,
  { note, paths = [], onProgress }: CaptureHereOptions,
): Promise<TakenCapture> {
  const { taken } = await capture(at, quietFace(onProgress), {
    paths: (here) => paths.map((path) => pathFrom(here, path)),
    precious: [],
    note: note ?? null,
    isDryRun: false,
  });
  if (!taken) throw new RefloatError("E_INTERNAL", { why: "a capture with a store was not held" });
  return taken;
}

async function stop(
  at: OpenedPlace,
  session: string,
  { reason = "asked to stop", waitMs = STOP_WAIT_MS }: StopSessionOptions,
): Promise<StopOutcome> {
  const { store, row } = await findSession(at, session);
  const outcome = await stopSession(at, store, row, { reason, waitMs });
  if (outcome.kind === "still-running")
    throw new RefloatError("E_NOT_STOPPED", { session: row.id, seconds: Math.round(waitMs / 1000) });
  return outcome;
}
