/**
 * What a session is judged by, wherever it is judged: `inspect`, `settle`, the brief and the loop must not differ (T2). Which files are
 * judges themselves is part of it.
 */
import { ignoredGlobs, type RefloatConfig } from "../../model/config.ts";
import type { PathRules } from "../../triage/facts/paths/path-rules.ts";
import { configuredValue } from "../../workspace/git/config.ts";
import type { Workspace } from "../../workspace/opening/workspace.ts";

// Which files of the tree the user's check may run, as far as its text tells: the judged may not write them unseen (T2).
// A check made of nothing but commands that read what they are given (`grep`, `test`, `cat`, a parser asked for the
// syntax only) runs none of them: the file it names is what is judged, not the judge. Anything else in it, and every
// word that may be a file counts. Pure.

/** They never run what they read, whatever their options. */
const READERS: ReadonlySet<string> = new Set([
  "[",
  "[[",
  ":",
  "basename",
  "cat",
  "cksum",
  "cmp",
  "cut",
  "diff",
  "dirname",
  "echo",
  "egrep",
  "exit",
  "expr",
  "false",
  "fgrep",
  "grep",
  "head",
  "jq",
  "ls",
  "md5sum",
  "printf",
  "sha1sum",
  "sha256sum",
  "stat",
  "tail",
  "test",
  "tr",
  "true",
  "uniq",
  "wc",
]);

/** Interpreters that are asked whether a file parses, and nothing else. */
const SYNTAX_ONLY =
  /^(?:node\s+(?:--check|-c)\s|python3?\s+-m\s+(?:py_compile|json\.tool)\s|(?:ba|da|z)?sh\s+-n\s|php\s+-l\s|ruby\s+-c\s)/;

/** Words in front of a command that are none. */
const LEADING = /^(?:(?:!|\{|if|then|elif|else|while|until|do|time)\s+|[A-Za-z_]\w*=\S*\s+)+/;
const ENDING = /^(?:fi|done|\}|\]|\]\]|then|else|do)?$/;

export function filesOfCheck(check: string): string[] {
  return isReading(check) ? [] : wordsOf(check).map((word) => `/${word.replace(/^\.\//, "")}`);
}

function isReading(check: string): boolean {
  if (/`|[<>]\(/.test(check)) return false;
  // Cut wherever a shell may begin a command, inside quotes too: that only finds more of them. Behind a `)` none begins.
  const parts = check.replace(/\)[^;&|()\n]*/g, ";").split(/(\$\(|[;&|(\n]+)/);
  return parts.every((part, at) => {
    if (at % 2 === 1) return true;
    const command = `${part.trim()} `.replace(LEADING, "").trim();
    // A command that is computed may be anything.
    if (parts[at + 1] === "$(" && /^["']*$/.test(command)) return false;
    if (ENDING.test(command) || SYNTAX_ONLY.test(`${command} `)) return true;
    return READERS.has(/^\S+/.exec(command)?.[0] ?? "");
  });
}

const wordsOf = (check: string): string[] =>
  check
    .split(/[\s;&|()<>"'`=]+/)
    .filter((word) => /^[\w.@+-]+(?:\/[\w.@+-]+)*$/.test(word.replace(/^\.\//, "")) && /[./]/.test(word));

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
    ignore: ignoredGlobs(config),
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
