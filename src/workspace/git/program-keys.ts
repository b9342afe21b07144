/**
 * Which configuration keys can make git run a program, and what to put in their place. Only keys that came
 * with the repository are replaced (scope local or worktree, included files too); what the user wrote into his
 * own or the system's configuration is his, and is what a replaced key falls back to. Aliases are not here: git
 * asks for one only where it has no command of that name, and every command of ours is one of its own.
 */
import { type ConfigEntry, keyParts } from "./config.ts";
import type { ConfigOverride } from "./environment.ts";

interface ProgramKey {
  readonly section: string;
  /** Whether the key has a name between section and variable. Any name, the empty one too: git knows no other rule. */
  readonly name: "none" | "any" | "either";
  /** In lower case, as git lists them; null: whatever it is. */
  readonly variables: readonly string[] | null;
  /** Runs nothing. Not always the empty text: where git hands a command to a shell with arguments, that runs the first one. */
  readonly nothing: string;
}

const keys = (
  section: string,
  name: ProgramKey["name"],
  variables: readonly string[] | null,
  nothing: string,
): ProgramKey => ({ section, name, variables, nothing });

const NO_COMMAND = ":";
const FILTER_COMMANDS = ["clean", "smudge", "process"] as const;

const PROGRAM_KEYS: readonly ProgramKey[] = [
  keys("filter", "any", FILTER_COMMANDS, ""),
  keys("filter", "any", ["required"], "false"),
  keys("diff", "either", ["command", "external"], NO_COMMAND),
  keys("diff", "either", ["textconv"], "cat"),
  keys("diff", "any", ["driver", "cmd", "path"], ""),
  keys("merge", "any", ["driver", "cmd", "path"], ""),
  keys("difftool", "any", ["driver", "cmd", "path"], ""),
  keys("mergetool", "any", ["driver", "cmd", "path"], ""),
  keys("diff", "none", ["tool", "guitool"], ""),
  keys("merge", "none", ["tool", "guitool"], ""),
  keys("core", "none", ["fsmonitor", "fsmonitorhookversion"], "false"),
  keys("core", "none", ["hookspath"], "/dev/null"),
  keys("core", "none", ["sshcommand", "editor", "alternaterefscommand"], NO_COMMAND),
  keys("core", "none", ["gitproxy", "askpass", "pager"], ""),
  keys("hook", "any", ["command", "event"], ""),
  keys("gc", "none", ["recentobjectshook"], NO_COMMAND),
  keys("sequence", "none", ["editor"], NO_COMMAND),
  keys("pager", "either", null, "false"),
  keys("interactive", "none", ["difffilter"], ""),
  keys("gpg", "either", ["program", "defaultkeycommand"], ""),
  keys("credential", "either", ["helper"], ""),
  keys("uploadpack", "none", ["packobjectshook"], ""),
  keys("remote", "any", ["uploadpack", "receivepack", "vcs", "proxy"], ""),
  keys("remote", "any", ["promisor"], "false"),
  keys("protocol", "either", ["allow"], "never"),
  keys("submodule", "any", ["update"], "none"),
  keys("trailer", "any", ["command", "cmd"], ""),
  keys("browser", "any", ["cmd", "path"], ""),
  keys("man", "any", ["cmd", "path"], ""),
  keys("guitool", "any", ["cmd", "path"], ""),
  keys("tar", "any", ["command"], ""),
  keys("sendemail", "either", ["sendmailcmd", "tocmd", "cccmd", "headercmd", "smtpserver"], ""),
  keys("imap", "either", ["tunnel"], ""),
];

/**
 * For every command, whoever configured it. A monitor may be wrong about what changed, and starting one writes into
 * .git. Into a submodule git would go by itself, under *its* configuration, which no listing of ours has seen.
 */
const ALWAYS: readonly ConfigOverride[] = [
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
  const found = PROGRAM_KEYS.find(
    (one) =>
      one.section === section &&
      (one.name === "either" || (one.name === "none") === (subsection === null)) &&
      (one.variables === null || one.variables.includes(variable)),
  );
  return found?.nothing ?? null;
}
