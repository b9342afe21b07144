/**
 * The newest capture of a session that passes the user's check, by halving: captures that were good are taken to come before
 * those that were not. Each is laid out in a scratch clone of its commit. A capture with gaps cannot be laid out and is
 * stepped over.
 */
import { RefloatError } from "../model/errors.ts";
import type { SessionId } from "../model/ids.ts";
import type { Environment } from "../platform/places.ts";
import type { Store } from "../store/store.ts";
import { readingOf } from "../workspace/capture-json.ts";
import { capturesOf } from "../workspace/captures.ts";
import { scratchClone } from "../workspace/scratch-clone.ts";
import type { TakenCapture } from "../workspace/take-capture.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { lay, outcomeOf, runCheck } from "./verify.ts";

export interface LastGoodOrder {
  readonly store: Store;
  readonly workspace: Workspace;
  readonly session: SessionId;
  readonly env: Environment;
  readonly home: string;
  readonly command: string;
  readonly onStep?: (capture: string, tried: number) => void;
}

export interface LastGood {
  readonly good: TakenCapture | null;
  /** The one after it, which does not pass; null: the newest passes. */
  readonly bad: TakenCapture | null;
  readonly tried: number;
}

/** Captures looked at, the newest: halving takes ten runs of the check. */
const MAX_CAPTURES = 1000;

export async function findLastGood(order: LastGoodOrder): Promise<LastGood> {
  const { workspace } = order;
  if (workspace.kind === "folder") throw new RefloatError("E_NO_GIT", { path: workspace.root });
  const captures = await wholeCaptures(order);
  let tried = 0;
  const passes = async (one: TakenCapture): Promise<boolean> => {
    tried++;
    order.onStep?.(one.id, tried);
    return isGood(one, order, workspace);
  };
  const newest = captures.at(-1);
  if (!newest) return { good: null, bad: null, tried };
  if (await passes(newest)) return { good: newest, bad: null, tried };
  let [good, bad] = [-1, captures.length - 1];
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2);
    if (await passes(captures[middle] as TakenCapture)) good = middle;
    else bad = middle;
  }
  return { good: captures[good] ?? null, bad: captures[bad] ?? null, tried };
}

/** By status and without gaps, oldest first, each state once: a state seen twice passes twice. */
async function wholeCaptures({ store, session }: LastGoodOrder): Promise<TakenCapture[]> {
  const found: TakenCapture[] = [];
  let last = "";
  for await (const taken of capturesOf(store, session)) {
    const { how, partial, head, entries } = taken.capture;
    const key = JSON.stringify([head?.id, entries.map(({ path, state }) => [path, state])]);
    if (how !== "status" || partial || !head?.id || key === last) continue;
    found.push(taken);
    last = key;
    if (found.length > MAX_CAPTURES) found.shift();
  }
  return found;
}

async function isGood(
  { capture }: TakenCapture,
  { store, env, home, command }: LastGoodOrder,
  workspace: Extract<Workspace, { kind: "git" }>,
): Promise<boolean> {
  const { head, entries } = readingOf(capture);
  if (!head?.id) return false;
  const repository = await workspace.repository();
  const clone = await scratchClone(repository, { home, env, commit: head.id, branch: head.branch });
  try {
    for (const { path, state } of entries) {
      const isHeld = state !== null && state.hash !== null;
      const bytes = isHeld ? await contentOf(store, state.hash as NonNullable<typeof state.hash>) : null;
      lay(clone.root, { path, state: state?.kind === "directory" ? null : state, bytes });
    }
    return outcomeOf(await runCheck(command, clone.root, env)) === "passed";
  } finally {
    clone.remove();
  }
}

async function contentOf(store: Store, hash: Parameters<Store["readContent"]>[0]): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of store.readContent(hash)) pieces.push(piece);
  return Buffer.concat(pieces);
}
