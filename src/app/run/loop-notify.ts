/**
 * The command that a loop tells its news to, and who may name it (T2): whoever typed it, the user's own configuration, or the
 * `refloat.json` of a repository whose very text he trusted. What came with a clone runs nothing by itself.
 */
import type { RefloatConfig } from "../../model/config.ts";
import { userConfig } from "../../workspace/opening/config.ts";
import type { Workspace } from "../../workspace/opening/workspace.ts";
import { judgedSession } from "../../workspace/trust/judged-session.ts";
import { isTextTrusted, trustText } from "../../workspace/trust/trust.ts";
import type { RefloatStore } from "../store/open-store.ts";

export interface NotifySources {
  readonly store: RefloatStore;
  readonly workspace: Workspace;
  readonly env: NodeJS.ProcessEnv;
  /** `--notify`; null: left out. */
  readonly typed: string | null;
  /** As committed at HEAD, with the user's own over it. */
  readonly config: RefloatConfig;
  /** It is not run: nobody trusted it. */
  readonly onUntrusted: (command: string) => void;
}

/** Null: nobody is told. */
export async function loopNotify(sources: NotifySources): Promise<string | null> {
  const { store, workspace, env, typed, config } = sources;
  if (typed !== null) {
    // Typed by a process of a session it is run, with no more rights than that has, and is nobody's trust.
    if ((await judgedSession(env, store.raw)) === null)
      await trustText(store.raw, workspace, "notify", typed);
    return typed;
  }
  const configured = config.notify ?? null;
  if (configured === null || userConfig(env).notify !== undefined) return configured;
  if (await isTextTrusted(store.raw, workspace, "notify", configured)) return configured;
  sources.onUntrusted(configured);
  return null;
}
