/**
 * The one way into a workspace: with the trust that its user gave the programs which came with it (T2). Nobody else calls
 * `openWorkspace`, and a test sees to it: who opened one without trust would see another tree than everybody else (S7).
 */
import { statSync } from "node:fs";
import { isAbsolute } from "node:path";
import { RefloatError } from "../../model/errors.ts";
import type { Environment } from "../../platform/places.ts";
import type { Store } from "../../store/store.ts";
import { openWorkspace, type Workspace } from "../opening/workspace.ts";
import { isTrusted } from "./trust.ts";

/** `store`: where trust is recorded; null: there is none yet, and nothing is trusted. Throws where it leads elsewhere. */
export const openTrusted = (store: Store | null, place: string, env: Environment): Workspace =>
  opened(store, place, env, false);

const opened = (store: Store | null, place: string, env: Environment, isOneLook: boolean): Workspace =>
  openWorkspace(place, {
    env,
    isTrusted: (location, digest) => (store ? isTrusted(store, location, digest) : false),
    isOneLook,
  });

/**
 * Trees of one look that only reads, each opened once: its configuration is listed once, and git asked once what differs. Never for who acts, waits or
 * looks again: what came with the repository since would be run as if it had been seen (T2).
 */
export type LookedTrees = (store: Store | null, place: string) => Workspace;

export function lookedTrees(env: Environment): LookedTrees {
  const known = new Map<string, Workspace>();
  return (store, place) => {
    const found = opened(store, place, env, true);
    const first = known.get(found.root) ?? found;
    known.set(found.root, first);
    return first;
  };
}

/** Null: it is not there, no folder, or a repository that leads elsewhere, which is not entered. */
export function openTrustedOrNull(
  store: Store | null,
  place: string,
  env: Environment,
  open: LookedTrees = (from, at) => openTrusted(from, at, env),
): Workspace | null {
  if (!isAbsolute(place) || !statSync(place, { throwIfNoEntry: false })?.isDirectory()) return null;
  try {
    return open(store, place);
  } catch (thrown) {
    if (thrown instanceof RefloatError) return null;
    throw thrown;
  }
}
