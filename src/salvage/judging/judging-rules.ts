/** What a session is judged by, wherever it is judged: `inspect`, `settle`, the brief and the loop must not differ (T2). */
import type { RefloatConfig } from "../../model/config.ts";
import type { PathRules } from "../../triage/facts/paths/path-rules.ts";
import { configuredValue } from "../../workspace/git/config.ts";
import type { Workspace } from "../../workspace/opening/workspace.ts";
import { filesOfCheck } from "./check-files.ts";

export interface JudgingRules {
  readonly pathRules: PathRules;
  /** Globs of changes nobody judges, and nothing is done about. */
  readonly ignore: readonly string[];
}

/** `check`: the one that is trusted here; its files are judges, and those of the configured one, which may be trusted later. */
export async function rulesOf(
  config: RefloatConfig,
  workspace: Workspace,
  check: string | null,
): Promise<JudgingRules> {
  const repository = workspace.kind === "git" ? await workspace.repository() : null;
  const hooks = repository ? configuredValue(repository.config, "core.hookspath") : null;
  return {
    pathRules: pathRulesOf(config, [check, config.verify], hooks),
    ignore: config.ignore ?? [],
  };
}

/** `hooks`: core.hooksPath as configured; null: git's own folder, which no change of a tree reaches. */
function pathRulesOf(
  config: RefloatConfig,
  checks: readonly (string | null | undefined)[],
  hooks: string | null,
): PathRules {
  const { journal = [], records = [], config: own = [], rules = [] } = config;
  return {
    journal,
    records,
    config: own,
    rules,
    judges: [...hookGlobs(hooks), ...checks.flatMap((check) => (check ? filesOfCheck(check) : []))],
  };
}

const hookGlobs = (hooks: string | null): string[] =>
  hooks === null || hooks === "" || hooks.startsWith("/") || hooks.startsWith("~")
    ? []
    : [`/${hooks.replace(/^\.\//, "").replace(/\/+$/, "")}/**`];
