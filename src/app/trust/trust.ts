/**
 * What a repository brings that refloat would run (filters, commands of its config), and the user's word that exactly that may, or
 * may no longer. A process of any session may not give it (T2).
 */
import { CONFIG_FILE } from "../../model/config.ts";
import { RefloatError } from "../../model/errors.ts";
import type { Repository } from "../../workspace/git/repository.ts";
import { headConfig, userConfig, userConfigPath } from "../../workspace/opening/config.ts";
import type { Workspace } from "../../workspace/opening/workspace.ts";
import { assertNotJudged } from "../../workspace/trust/judged-session.ts";
import {
  type CommandKey,
  isTextTrusted,
  recordTrust,
  trustText,
  typedCheck,
} from "../../workspace/trust/trust.ts";
import type { Ask } from "../acts/act.ts";
import type { AppPlace } from "../place/app-place.ts";
import { workspaceHere } from "../place/workspace-here.ts";
import type { RefloatStore } from "../store/open-store.ts";
import { type Tell, tellOnce } from "../telling/news.ts";

/** A command of the configuration that needs trust. */
export interface BroughtCommand {
  readonly key: CommandKey;
  readonly value: string;
  readonly origin: string;
  readonly isTrusted: boolean;
}

export interface BroughtPrograms {
  readonly repository: Pick<Repository, "root" | "filters" | "filterDigest">;
  readonly commands: readonly BroughtCommand[];
}

export interface TrustHow {
  /** Looks and says only. */
  readonly isDryRun: boolean;
  readonly ask: Ask<BroughtPrograms>;
  readonly tell: Tell;
}

/** `planned`: only looked at. `nothing`: it brings nothing that would run. `already`: all of it is as it was asked for. */
export interface EndedTrust extends BroughtPrograms {
  readonly kind: "planned" | "nothing" | "already" | "declined" | "done";
}

/** `trusted`: false: it is taken back. */
export async function trust(at: AppPlace, trusted: boolean, how: TrustHow): Promise<EndedTrust> {
  const known = await at.findStore();
  await assertNotJudged(at.env, known?.raw ?? null, "trust a repository");
  const { workspace } = await workspaceHere(at, known);
  if (workspace.kind === "folder")
    throw new RefloatError("E_NO_GIT", { path: workspace.root, why: "there is nothing to trust" });
  const repository = await workspace.repository();
  const commands = await commandsOf(workspace, at.env, known, how.tell);
  const brought = { repository, commands };
  if (repository.filters.length + commands.length === 0) return { kind: "nothing", ...brought };
  if (isAll(repository, commands, trusted)) return { kind: "already", ...brought };
  if (how.isDryRun) return { kind: "planned", ...brought };
  if ((await how.ask(brought)) === "no") return { kind: "declined", ...brought };
  const { raw } = await at.openOrMakeStore();
  if (repository.filterDigest !== null)
    await recordTrust(raw, repository, repository.filterDigest, { trusted });
  for (const { key, value } of commands) await trustText(raw, workspace, key, value, { trusted });
  return { kind: "done", ...brought };
}

/**
 * What HEAD's config and the user's own name and refloat would run, and the check that he typed last (S7). His own `notify` is
 * trusted by being there.
 */
async function commandsOf(
  workspace: Workspace,
  env: NodeJS.ProcessEnv,
  store: RefloatStore | null,
  tell: Tell,
): Promise<BroughtCommand[]> {
  const own = userConfig(env);
  const told = tellOnce(tell);
  const { verify, notify } = await headConfig(workspace, env, (key) => told({ kind: "unknown-key", key }));
  const named = [
    ...(verify === undefined ? [] : [{ key: "verify" as const, value: verify }]),
    ...(notify === undefined || own.notify !== undefined ? [] : [{ key: "notify" as const, value: notify }]),
  ];
  const typed = await typedCheck(store?.raw ?? null, workspace);
  const remembered: BroughtCommand[] =
    typed === null || typed === verify
      ? []
      : [{ key: "verify", value: typed, origin: "typed by you with --verify", isTrusted: true }];
  const configured = await Promise.all(
    named.map(async ({ key, value }) => ({
      key,
      value,
      origin: own[key] === undefined ? `${CONFIG_FILE} at HEAD` : userConfigPath(env),
      isTrusted: await isTextTrusted(store?.raw ?? null, workspace, key, value),
    })),
  );
  return [...configured, ...remembered];
}

/** Whether all of it is as it was asked for. */
function isAll(
  { filters, untrustedFilters }: Repository,
  commands: readonly BroughtCommand[],
  trusted: boolean,
): boolean {
  const isSo = filters.length === 0 || (untrustedFilters.length === 0) === trusted;
  return isSo && commands.every(({ isTrusted }) => isTrusted === trusted);
}
