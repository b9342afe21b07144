/**
 * What a destructive command is about to take away is held before it runs. Asked by the recorder with the payload of the agent's event, in
 * the middle of a call that waits: within BEFORE_CAPTURE_MS, or the call goes on and it is on record that nothing was held. What is held
 * belongs to the session whose call it is.
 */
import { statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { readRef } from "../../acts/git/swap-refs.ts";
import { type Destruction, destructionsIn } from "../../agents/commands/destructive.ts";
import {
  commandsText,
  noteBefore,
  type PlacesInDanger,
  placesInDanger,
  refsInDanger,
  touches,
} from "../../agents/commands/in-danger.ts";
import { folderOf, nativeIdOf, shellCallOf } from "../../agents/commands/shell-call.ts";
import { heardSessionId } from "../../agents/journal/heard-records.ts";
import { ensureError } from "../../model/errors.ts";
import type { SessionId } from "../../model/ids.ts";
import { isJsonObject, type JsonObject } from "../../model/json.ts";
import { BEFORE_CAPTURE_MS } from "../../model/limits.ts";
import { placeInside } from "../../platform/places.ts";
import { takeCapture } from "../../workspace/captures/take-capture.ts";
import { leftAloneBy } from "../../workspace/opening/left-alone.ts";
import type { Workspace } from "../../workspace/opening/workspace.ts";
import { markedSession, sessionForCapture } from "../../workspace/sessions/capture-session.ts";
import { openTrustedOrNull } from "../../workspace/trust/open-trusted.ts";
import { beginHeard } from "../inbox/begin-heard.ts";
import { hookOwner, unknownOwner } from "../inbox/hook-process.ts";
import type { AppPlace } from "../place/app-place.ts";
import { isOff } from "../place/off.ts";
import type { RefloatStore } from "../store/open-store.ts";

export interface CaptureBeforeOrder {
  readonly agent: string;
  /** As the agent gave it: untrusted, perhaps no JSON at all. */
  readonly payload: string;
}

export type CaptureBeforeOutcome =
  /** Nothing in the call takes anything away. */
  | { readonly kind: "harmless" }
  | { readonly kind: "held"; readonly captures: readonly string[] }
  | { readonly kind: "not-held"; readonly reason: string };

/** Work trees of one call; a command over more of them is held as far as these. */
const MAX_WORKSPACES = 3;
/** Ignored files that `git clean -x` would delete: as many as can be read in the time there is (W6). */
const IGNORED_LIMITS = { fileBytes: 1024 * 1024, totalBytes: 16 * 1024 * 1024, paths: 2000 };

export async function captureBefore(
  at: AppPlace,
  { agent, payload }: CaptureBeforeOrder,
): Promise<CaptureBeforeOutcome> {
  const said = parsed(payload);
  const call = said === null ? null : shellCallOf(said);
  if (said === null || call === null) return { kind: "harmless" };
  const found = destructionsIn(call.script);
  if (found.length === 0) return { kind: "harmless" };
  if (isOff(at.env)) return { kind: "not-held", reason: "REFLOAT_OFF=1" };
  const stands = resolve(folderOf(said) ?? at.place(), call.folder ?? ".");
  try {
    const store = await at.openOrMakeStore();
    const about = { agent, nativeId: nativeIdOf(said), found };
    return await heldIn(at, store, about, placesInDanger(stands, found));
  } catch (thrown) {
    // The call goes on: what could not be held is said, and by whom it is read is not ours to stop.
    return { kind: "not-held", reason: ensureError(thrown).message };
  }
}

function parsed(payload: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(payload);
    return isJsonObject(value) ? value : null;
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return null;
    throw thrown;
  }
}

interface DangerousCall {
  readonly agent: string;
  readonly nativeId: string | null;
  readonly found: readonly Destruction[];
}

async function heldIn(
  at: AppPlace,
  store: RefloatStore,
  call: DangerousCall,
  { meant, named, folders }: PlacesInDanger,
): Promise<CaptureBeforeOutcome> {
  const workspaces = new Map<string, Workspace>();
  for (const place of [...meant, ...folders]) {
    const folder = nearestFolder(place);
    const workspace = folder === null ? null : openTrustedOrNull(store.raw, folder, at.env);
    if (workspace !== null && workspaces.size < MAX_WORKSPACES) workspaces.set(workspace.root, workspace);
  }
  const captures: string[] = [];
  let left: string | null = null;
  const held: string[] = [];
  for (const workspace of workspaces.values()) {
    const by = await leftAloneBy(workspace, at.env);
    left ??= by;
    if (by !== null) continue;
    captures.push(...(await heldOf(at, store, call, workspace, named)));
    held.push(workspace.root);
  }
  const isHeld = (place: string): boolean => held.some((root) => touches(root, place));
  const lost = named.filter((place) => statSync(place, { throwIfNoEntry: false }) && !isHeld(place));
  if (captures.length === 0 && left !== null) return { kind: "not-held", reason: `left alone by ${left}` };
  // T1: another tree's capture is no before-image of what goes. What was held is listed all the same.
  if (lost.length > 0) return { kind: "not-held", reason: `nothing was held of ${lost.join(", ")}` };
  if (captures.length > 0) return { kind: "held", captures };
  return { kind: "not-held", reason: "there is no work tree where it would run" };
}

/** A file's own folder; null: nothing is there. */
function nearestFolder(place: string): string | null {
  const found = statSync(place, { throwIfNoEntry: false });
  if (found === undefined) return statSync(dirname(place), { throwIfNoEntry: false }) ? dirname(place) : null;
  return found.isDirectory() ? place : dirname(place);
}

async function heldOf(
  { env, place }: AppPlace,
  store: RefloatStore,
  call: DangerousCall,
  workspace: Workspace,
  named: readonly string[],
): Promise<readonly string[]> {
  const session = await sessionOf(store, call, workspace, env);
  const note = noteBefore(call.found, await refsNow(call.found, workspace));
  const before = commandsText(call.found);
  const options = { session, env, place: place(), note, before, reason: "manual" as const };
  const budgetMs = waitMs(env);
  const first = await takeCapture(store.raw, workspace, { ...options, limits: { budgetMs } });
  const precious = preciousOf(call.found, workspace.root, named);
  if (precious.length === 0 || workspace.kind === "folder") return [first.id];
  // Ignored files last: there may be more of them than there is time, and the others must not wait for them.
  const limits = { ...IGNORED_LIMITS, budgetMs };
  const second = await takeCapture(store.raw, workspace, { ...options, limits, precious });
  return [second.id, first.id];
}

/** Ignored files that it takes away, as globs. */
function preciousOf(
  found: readonly Destruction[],
  root: string,
  named: readonly string[],
): readonly string[] {
  if (found.some(({ takesIgnored }) => takesIgnored)) return ["**"];
  const inside = named.flatMap((place) => placeInside(root, place) ?? []);
  if (inside.includes("") || named.some((place) => placeInside(place, root) !== null)) return ["**"];
  // One at the top is named without a slash, which means it wherever it lies: more is held, not less.
  const plain = inside.map((path) => path.replaceAll(/[\\*?[\]{}]/g, "\\$&"));
  return [...plain.flatMap((path) => [path, `${path}/**`]), ...found.flatMap(({ writesOver }) => writesOver)];
}

/** As long as the recorder waits; whoever wants his calls to wait longer says so in the environment. */
function waitMs({ REFLOAT_HOOK_WAIT }: NodeJS.ProcessEnv): number {
  const seconds = Number(REFLOAT_HOOK_WAIT ?? "");
  return seconds > 0 ? seconds * 1000 : BEFORE_CAPTURE_MS;
}

/** The mark's; else the one that the agent's transcript will be, by the same id (D4); else as for any capture. */
async function sessionOf(
  { raw }: RefloatStore,
  { agent, nativeId }: DangerousCall,
  { root }: Workspace,
  env: NodeJS.ProcessEnv,
): Promise<SessionId> {
  const marked = markedSession(env);
  if (marked !== null && (await raw.session(marked as SessionId))) return marked as SessionId;
  if (nativeId === null) return sessionForCapture(raw, root, root, { ...env, REFLOAT_SESSION: undefined });
  const session = heardSessionId({ agent, nativeId }, root) as SessionId;
  if (await raw.session(session)) return session;
  // As its events begin it: whichever of them comes first, it is the same session with the same owner.
  const owner = hookOwner({ hook_process: processOf(env) }, agent) ?? unknownOwner(agent);
  await beginHeard(raw, { session, agent, nativeId, root, owner, atMs: raw.clock.nowMs() });
  return session;
}

/** The agent's process as the recorder found it above itself: `PID START BOOT`. */
function processOf({ REFLOAT_HOOK_PROCESS }: NodeJS.ProcessEnv): JsonObject | null {
  const [, pid, started, boot] = /^(\d{1,10}) (\d{1,19}) (\S+)$/u.exec(REFLOAT_HOOK_PROCESS ?? "") ?? [];
  return boot === undefined ? null : { boot, pid: Number(pid), started: Number(started) };
}

/** Where the refs are that it would take away. */
async function refsNow(
  found: readonly Destruction[],
  workspace: Workspace,
): Promise<readonly { readonly ref: string; readonly id: string }[]> {
  if (workspace.kind === "folder") return [];
  const refs: { ref: string; id: string }[] = [];
  for (const ref of refsInDanger(found)) {
    const id = await readRef(await workspace.repository(), ref);
    if (id !== null) refs.push({ ref, id });
  }
  return refs;
}
