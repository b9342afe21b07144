/**
 * Which configuration keys can make git run a program, and what to put in their place. Only keys that came
 * with the repository are replaced (scope local or worktree, included files too); what the user wrote into his
 * own or the system's configuration is his, and is what a replaced key falls back to.
 */
import type { ConfigEntry } from "./config.ts";
import type { ConfigOverride } from "./environment.ts";

/** Matched against `section[.subsection].variable`, section and variable in lower case as git lists them. */
const PROGRAM_KEYS: readonly (readonly [pattern: RegExp, nothing: string])[] = [
  [/^filter\..+\.(?:clean|smudge|process)$/s, ""],
  [/^filter\..+\.required$/s, "false"],
  [/^diff\.(?:.+\.)?(?:command|textconv|external)$/s, ""],
  [/^(?:diff|merge)(?:tool)?\..+\.(?:driver|cmd|path)$/s, ""],
  [/^(?:diff|merge)\.(?:gui)?tool$/, ""],
  [/^core\.fsmonitor(?:hookversion)?$/, "false"],
  [/^core\.hookspath$/, "/dev/null"],
  [/^hook\..+\.(?:command|event)$/s, ""],
  [/^core\.(?:sshcommand|gitproxy|askpass|editor|pager|alternaterefscommand)$/, ""],
  [/^sequence\.editor$/, ""],
  [/^pager\./s, "false"],
  [/^interactive\.difffilter$/, ""],
  [/^gpg\.(?:.+\.)?(?:program|defaultkeycommand)$/s, ""],
  [/^credential\.(?:.+\.)?helper$/s, ""],
  [/^uploadpack\.packobjectshook$/, ""],
  [/^remote\..+\.(?:uploadpack|receivepack|vcs|proxy)$/s, ""],
  [/^remote\..+\.promisor$/s, "false"],
  [/^protocol\.(?:.+\.)?allow$/s, "never"],
  [/^submodule\..+\.update$/s, "none"],
  [/^trailer\..+\.(?:command|cmd)$/s, ""],
  [/^(?:browser|man|guitool)\..+\.(?:cmd|path)$/s, ""],
  [/^tar\..+\.command$/s, ""],
  [/^sendemail\.(?:.+\.)?(?:sendmailcmd|tocmd|cccmd|headercmd|smtpserver)$/s, ""],
  [/^imap\.(?:.+\.)?tunnel$/s, ""],
];

const FILTER = /^filter\.(.+)\.(?:clean|smudge|process|required)$/s;

const isFromRepository = ({ scope }: ConfigEntry): boolean => scope !== "system" && scope !== "global";

/** The driver a filter key belongs to, or null. */
export const filterDriver = (key: string): string | null => FILTER.exec(key)?.[1] ?? null;

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
  // Whoever configured it: a monitor may be wrong about what changed, and starting one writes into .git.
  overrides.set("core.fsmonitor", "false");
  overrides.set("core.hookspath", "/dev/null");
  return [...overrides].map(([key, value]) => ({ key, value }));
}

function nothingFor(key: string): string | null {
  return PROGRAM_KEYS.find(([pattern]) => pattern.test(key))?.[1] ?? null;
}
