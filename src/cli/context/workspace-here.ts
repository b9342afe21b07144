/** The workspace somebody stands in, with the trust he gave it, and its sessions. */
import type { RefloatStore } from "../../app/store/open-store.ts";
import { assertStoreOutside } from "../../app/store/outside-workspace.ts";
import type { PathName } from "../../model/path-name.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import { pathInWorkspace, type Workspace } from "../../workspace/opening/workspace.ts";
import { sessionsOf } from "../../workspace/sessions/workspace-sessions.ts";
import { openTrusted } from "../../workspace/trust/open-trusted.ts";
import { typedName } from "../grammar/typed-name.ts";
import type { Context } from "./context.ts";

export interface WorkspaceHere {
  readonly workspace: Workspace;
  /** Where the command was started: sessions may have been begun there. */
  readonly place: string;
  readonly env: NodeJS.ProcessEnv;
}

export const workspaceHere = (context: Context, store: RefloatStore | null): Promise<WorkspaceHere> =>
  workspaceAt(context, store, context.place());

/** As if somebody stood there. */
export async function workspaceAt(
  context: Context,
  store: RefloatStore | null,
  place: string,
): Promise<WorkspaceHere> {
  const env = process.env;
  const workspace = openTrusted(store?.raw ?? null, place, env);
  assertStoreOutside(await context.storeAddress(), workspace.root);
  return { workspace, place, env };
}

export const pathHere = ({ workspace, place }: WorkspaceHere, typed: string): PathName =>
  pathInWorkspace(workspace, place, typedName(typed));

export const sessionsHere = (
  store: RefloatStore,
  { workspace, place }: WorkspaceHere,
): Promise<SessionRow[]> => sessionsOf(store.raw, [workspace.root, place]);
