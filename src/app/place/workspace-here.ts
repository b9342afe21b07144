/** The workspace somebody stands in, with the trust he gave it, and its sessions. */

import { RefloatError } from "../../model/errors.ts";
import type { PathName } from "../../model/path-name.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import { pathInWorkspace, type Workspace } from "../../workspace/opening/workspace.ts";
import { sessionsOf } from "../../workspace/sessions/workspace-sessions.ts";
import { openTrusted } from "../../workspace/trust/open-trusted.ts";
import type { RefloatStore } from "../store/open-store.ts";
import { assertStoreOutside } from "../store/outside-workspace.ts";
import type { AppPlace } from "./app-place.ts";

export interface WorkspaceHere {
  readonly workspace: Workspace;
  /** Where the command was started: sessions may have been begun there. */
  readonly place: string;
  readonly env: NodeJS.ProcessEnv;
}

export const workspaceHere = (at: AppPlace, store: RefloatStore | null): Promise<WorkspaceHere> =>
  workspaceAt(at, store, at.place());

/** As if somebody stood there. */
export async function workspaceAt(
  { env, storeAddress, trees }: Pick<AppPlace, "env" | "storeAddress" | "trees">,
  store: RefloatStore | null,
  place: string,
): Promise<WorkspaceHere> {
  const raw = store?.raw ?? null;
  const workspace = trees ? trees(raw, place) : openTrusted(raw, place, env);
  assertStoreOutside(await storeAddress(), workspace.root);
  return { workspace, place, env };
}

export const sessionsHere = (
  store: RefloatStore,
  { workspace, place }: WorkspaceHere,
): Promise<SessionRow[]> => sessionsOf(store.raw, [workspace.root, place]);

/** A path as somebody gave it, from where he stands. An empty one is a script's variable that nobody set, and never the whole tree (T1). */
export function pathFrom({ workspace, place }: WorkspaceHere, given: string): PathName {
  if (given === "") throw new RefloatError("E_USAGE", { why: EMPTY_PATH });
  return pathInWorkspace(workspace, place, given);
}

export const EMPTY_PATH = "One of the paths is empty; `.` is the folder you stand in.";
