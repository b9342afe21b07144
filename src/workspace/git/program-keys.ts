/**
 * Which configuration keys can make git run a program, and what to put in their place. Only keys that came
 * with the repository are replaced (scope local or worktree, included files too); what the user wrote into his
 * own or the system's configuration is his, and is what a replaced key falls back to. Aliases are not here: git
 * asks for one only where it has no command of that name, and every command of ours is one of its own.
 */
import { type ConfigEntry, keyParts } from "./config.ts";
import type { ConfigOverride } from "./environment.ts";

/**
 * Whether the key has a name between section and variable (any name, the empty one too: git knows no other rule); its variables in
 * lower case, as git lists them (null: whatever it is); and what runs nothing. That is not always the empty text: where git hands a
 * command to a shell with arguments, that runs the first one.
 */
type ProgramKey = readonly [
  section: string,
  name: "none" | "any" | "either",
  variables: readonly string[] | null,
  nothing: string,
];

const NO_COMMAND = ":";
const FILTER_COMMANDS = ["clean", "smudge", "process"] as const;

/** The recorder's holder has the same list, in perl; a test holds them equal. */
export const PROGRAM_KEYS: readonly ProgramKey[] = [
  ["filter", "any", FILTER_COMMANDS, ""],
  ["filter", "any", ["required"], "false"],
  ["diff", "either", ["command", "external"], NO_COMMAND],
  ["diff", "either", ["textconv"], "cat"],
  ["diff", "any", ["driver", "cmd", "path"], ""],
  ["merge", "any", ["driver", "cmd", "path"], ""],
  ["difftool", "any", ["driver", "cmd", "path"], ""],
  ["mergetool", "any", ["driver", "cmd", "path"], ""],
  ["diff", "none", ["tool", "guitool"], ""],
  ["merge", "none", ["tool", "guitool"], ""],
  ["core", "none", ["fsmonitor", "fsmonitorhookversion"], "false"],
  ["core", "none", ["hookspath"], "/dev/null"],
  ["core", "none", ["sshcommand", "editor", "alternaterefscommand"], NO_COMMAND],
  ["core", "none", ["gitproxy", "askpass", "pager"], ""],
  ["hook", "any", ["command", "event"], ""],
  ["gc", "none", ["recentobjectshook"], NO_COMMAND],
  ["sequence", "none", ["editor"], NO_COMMAND],
  ["pager", "either", null, "false"],
  ["interactive", "none", ["difffilter"], ""],
  ["gpg", "either", ["program", "defaultkeycommand"], ""],
  ["credential", "either", ["helper"], ""],
  ["uploadpack", "none", ["packobjectshook"], ""],
  ["remote", "any", ["uploadpack", "receivepack", "vcs", "proxy"], ""],
  ["remote", "any", ["promisor"], "false"],
  ["protocol", "either", ["allow"], "never"],
  ["submodule", "any", ["update"], "none"],
  ["trailer", "any", ["command", "cmd"], ""],
  ["browser", "any", ["cmd", "path"], ""],
  ["man", "any", ["cmd", "path"], ""],
  ["guitool", "any", ["cmd", "path"], ""],
  ["tar", "any", ["command"], ""],
  ["sendemail", "either", ["sendmailcmd", "tocmd", "cccmd", "headercmd", "smtpserver"], ""],
  ["imap", "either", ["tunnel"], ""],
];

/**
 * For every command, whoever configured it. A monitor may be wrong about what changed, and starting one writes into
 * .git. Into a submodule git would go by itself, under *its* configuration, which no listing of ours has seen.
 */
export const ALWAYS: readonly ConfigOverride[] = [
  { key: "core.fsmonitor", value: "false" },
  { key: "core.hookspath", value: "/dev/null" },
  { key: "submodule.recurse", value: "false" },
  { key: "diff.submodule", value: "short" },
  { key: "status.submodulesummary", value: "false" },
];

const isFromRepository = ({ scope }: ConfigEntry): boolean => scope !== "system" && scope !== "global";

/** The driver a filter key belongs to, or null. */
export function filterDriver(key: string): string | null {
  const { section, subsection, variable } = keyParts(key);
  const isOfFilter = variable === "required" || FILTER_COMMANDS.some((one) => one === variable);
  return section === "filter" && isOfFilter ? subsection : null;
}

/** Every key that came with the repository and can run a program. */
export function programEntries(entries: readonly ConfigEntry[]): ConfigEntry[] {
  return entries.filter((entry) => isFromRepository(entry) && nothingFor(entry.key) !== null);
}

/** The filters that came with the repository: what `trust` is about. */
export function repositoryFilters(entries: readonly ConfigEntry[]): ConfigEntry[] {
  return programEntries(entries).filter(({ key }) => filterDriver(key) !== null);
}

export function overridesFor(
  entries: readonly ConfigEntry[],
  options: { readonly trustsFilters: boolean },
): ConfigOverride[] {
  const overrides = new Map<string, string>();
  for (const { key } of programEntries(entries)) {
    if (options.trustsFilters && filterDriver(key) !== null) continue;
    const own = entries.findLast((entry) => entry.key === key && !isFromRepository(entry));
    overrides.set(key, own?.value ?? nothingFor(key) ?? "");
  }
  for (const name of hookNames(entries)) overrides.set(`hook.${name}.enabled`, "false");
  for (const { key, value } of ALWAYS) overrides.set(key, value);
  return [...overrides].map(([key, value]) => ({ key, value }));
}

/** Hooks by configuration (git 2.54) run beside those of core.hooksPath, and are like them nobody's here. */
function hookNames(entries: readonly ConfigEntry[]): Set<string> {
  const parts = entries.map(({ key }) => keyParts(key)).filter(({ section }) => section === "hook");
  return new Set(parts.flatMap(({ subsection }) => (subsection === null ? [] : [subsection])));
}

function nothingFor(key: string): string | null {
  const { section, subsection, variable } = keyParts(key);
  for (const [of, name, variables, nothing] of PROGRAM_KEYS)
    if (
      of === section &&
      (name === "either" || (name === "none") === (subsection === null)) &&
      (variables === null || variables.includes(variable))
    )
      return nothing;
  return null;
}
