/** The workspace somebody stands in, with the trust he gave it, and its sessions. */
import { statSync } from "node:fs";
import { isAbsolute, relative } from "node:path";
import type { RefloatStore } from "../library/open-store.ts";
import { RefloatError } from "../model/errors.ts";
import type { PathName } from "../model/path-name.ts";
import type { SessionRow } from "../store/driver.ts";
import { isTrusted } from "../workspace/trust.ts";
import { openWorkspace, pathInWorkspace, type Workspace } from "../workspace/workspace.ts";
import { sessionsOf } from "../workspace/workspace-sessions.ts";
import type { Context } from "./context.ts";

export interface Here {
  readonly workspace: Workspace;
  /** Where the command was started: sessions may have been begun there. */
  readonly place: string;
  readonly env: NodeJS.ProcessEnv;
}

export const workspaceHere = (context: Context, store: RefloatStore | null): Promise<Here> =>
  workspaceAt(context, store, context.workspace());

/** As if somebody stood there. */
export async function workspaceAt(
  context: Context,
  store: RefloatStore | null,
  place: string,
): Promise<Here> {
  const env = process.env;
  const workspace = openWorkspace(place, {
    env,
    isTrusted: (location, digest) => (store ? isTrusted(store.raw, location, digest) : false),
  });
  await assertStoreOutside(context, workspace.root);
  return { workspace, place, env };
}

export const pathHere = ({ workspace, place }: Here, typed: string): PathName =>
  pathInWorkspace(workspace, place, typed);

export const sessionsHere = (store: RefloatStore, { workspace, place }: Here): Promise<SessionRow[]> =>
  sessionsOf(store.raw, [workspace.root, place]);

/** A store inside would be captured into itself, and die with the workspace. */
async function assertStoreOutside(context: Context, root: string): Promise<void> {
  const { isPostgres, storePath } = await import("../store/open-raw-store.ts");
  const address = await context.storeAddress();
  if (isPostgres(address)) return;
  const path = storePath(address);
  const inside = relative(root, path);
  const isInside = inside !== "" && !inside.startsWith("..") && !isAbsolute(inside);
  if (isInside && statSync(root, { throwIfNoEntry: false }))
    throw new RefloatError("E_STORE_IN_WORKSPACE", { path, workspace: root });
}
