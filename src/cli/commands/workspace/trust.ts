/** `trust`: shows what a repository brings that refloat would run (filters, commands of its config) and, told to, lets exactly that run. */

import { workspaceHere } from "../../../app/place/workspace-here.ts";
import type { RefloatStore } from "../../../app/store/open-store.ts";
import { CONFIG_FILE } from "../../../model/config.ts";
import { RefloatError } from "../../../model/errors.ts";
import type { Repository } from "../../../workspace/git/repository.ts";
import { headConfig, userConfig, userConfigPath } from "../../../workspace/opening/config.ts";
import type { Workspace } from "../../../workspace/opening/workspace.ts";
import { judgedSession } from "../../../workspace/trust/judged-session.ts";
import {
  type CommandKey,
  isTextTrusted,
  recordTrust,
  trustText,
  typedCheck,
} from "../../../workspace/trust/trust.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import { confirmed, type ShownPlan } from "../../context/confirm.ts";
import type { Context } from "../../context/context.ts";
import { tellsUnknownKeys } from "../../context/tell.ts";
import { type CommandInput, isSet } from "../../grammar/options.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { oneLine } from "../../screen/words.ts";

/** A command of the configuration that needs trust. */
interface Command {
  readonly key: CommandKey;
  readonly value: string;
  readonly origin: string;
  readonly isTrusted: boolean;
}

interface BroughtCommands {
  readonly repository: Repository;
  readonly commands: readonly Command[];
}

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const known = await context.findStore();
  const session = await judgedSession(process.env, known?.raw ?? null);
  if (session !== null) throw new RefloatError("E_UNDER_MARK", { session, what: "trust a repository" });
  const { workspace } = await workspaceHere(context, known);
  if (workspace.kind === "folder")
    throw new RefloatError("E_NO_GIT", { path: workspace.root, why: "there is nothing to trust" });
  const repository = await workspace.repository();
  const commands = await commandsOf(context, workspace, known);
  const brought: BroughtCommands = { repository, commands };
  const trusted = !isSet(input, "revoke");
  const isSo = isAny(brought) && isAll(brought, trusted);
  const plan = planOf(brought, trusted, isSo);
  if (isSet(input, "dryRun") || isSo || !isAny(brought)) return tell(context, plan, isSo);
  if (!(await confirmed(context, plan))) {
    await context.out.result({ ...result(plan, false), text: () => ["Nothing was changed."] });
    return EXIT.failed;
  }
  await record(await context.openOrMakeStore(), workspace, brought, trusted);
  await context.out.result({
    ...result(plan, true),
    text: () => [
      trusted ? "Trusted. A change of its text voids it." : "Taken back: that does not run any more.",
    ],
  });
  return EXIT.done;
}

/**
 * What HEAD's config and the user's own name and refloat would run, and the check that he typed last (S7). His own `notify` is
 * trusted by being there.
 */
async function commandsOf(
  context: Context,
  workspace: Workspace,
  store: RefloatStore | null,
): Promise<Command[]> {
  const env = process.env;
  const own = userConfig(env);
  const { verify, notify } = await headConfig(workspace, env, tellsUnknownKeys(context));
  const named = [
    ...(verify === undefined ? [] : [{ key: "verify" as const, value: verify }]),
    ...(notify === undefined || own.notify !== undefined ? [] : [{ key: "notify" as const, value: notify }]),
  ];
  const typed = await typedCheck(store?.raw ?? null, workspace);
  const remembered: Command[] =
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

const isAny = ({ repository: { filters }, commands }: BroughtCommands): boolean =>
  filters.length + commands.length > 0;

/** Whether all of it is as it was asked for. */
function isAll({ repository, commands }: BroughtCommands, trusted: boolean): boolean {
  const { filters, untrustedFilters } = repository;
  const isSo = filters.length === 0 || (untrustedFilters.length === 0) === trusted;
  return isSo && commands.every(({ isTrusted }) => isTrusted === trusted);
}

async function record(
  { raw }: RefloatStore,
  workspace: Workspace,
  { repository, commands }: BroughtCommands,
  trusted: boolean,
): Promise<void> {
  if (repository.filterDigest !== null)
    await recordTrust(raw, repository, repository.filterDigest, { trusted });
  for (const { key, value } of commands) await trustText(raw, workspace, key, value, { trusted });
}

const WHEN: Readonly<Record<CommandKey, string>> = {
  verify: "the check of a session's work",
  notify: "told the news of a loop",
};

function planOf({ repository, commands }: BroughtCommands, trusted: boolean, isSo: boolean): ShownPlan {
  const { filters, root, filterDigest } = repository;
  const shown = filters.map(({ key, value, origin }) => ({ key, value: value ?? "true", origin }));
  const named = commands.map(({ key, value, origin }) => ({ key, value, origin }));
  const words = trusted ? "Let these programs of the repository run" : "No longer run these programs";
  const line = ({ key, value, origin }: (typeof shown)[number], when: string): string[] => [
    `  ${oneLine(key)} = ${oneLine(value)}`,
    `    ${oneLine(origin)}; ${when}`,
  ];
  return {
    json: { repository: root, trusted, digest: filterDigest, filters: shown, commands: named },
    text: () => [
      shown.length + named.length === 0
        ? "This repository brings nothing that would run: there is nothing to trust."
        : isSo
          ? `That is so already: what it brings is ${trusted ? "trusted" : "not trusted"}.`
          : `${words}, with your rights:`,
      ...shown.flatMap((one) => line(one, "whenever refloat reads its files")),
      ...named.flatMap((one) => line(one, WHEN[one.key])),
    ],
  };
}

const result = (plan: ShownPlan, done: boolean) => ({ command: "trust", json: { plan: plan.json, done } });

async function tell(context: Context, plan: ShownPlan, done: boolean): Promise<CommandEnd> {
  await context.out.result({ ...result(plan, done), text: plan.text });
  return EXIT.done;
}
