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
  openWorkspace(place, {
    env,
    isTrusted: (location, digest) => (store ? isTrusted(store, location, digest) : false),
  });

/** Null: it is not there, no folder, or a repository that leads elsewhere, which is not entered. */
export function openTrustedOrNull(store: Store | null, place: string, env: Environment): Workspace | null {
  if (!isAbsolute(place) || !statSync(place, { throwIfNoEntry: false })?.isDirectory()) return null;
  try {
    return openTrusted(store, place, env);
  } catch (thrown) {
    if (thrown instanceof RefloatError) return null;
    throw thrown;
  }
}
