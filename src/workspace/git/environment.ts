/**
 * The environment git runs in. Every GIT_* of the caller goes, because each can point git at another
 * repository, index or program, but for the three that choose the user's own configuration (else his ignore
 * rules would not be the effective ones, W6). Settings that must win over the repository's come as
 * GIT_CONFIG_COUNT: unlike `-c` a key may hold any character there.
 */
import type { Environment } from "../../platform/places.ts";

export interface ConfigOverride {
  readonly key: string;
  readonly value: string;
}

const KEPT: ReadonlySet<string> = new Set(["GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM"]);

/** Who the user is, for commits only (DESIGN 6). */
const IDENTITY: ReadonlySet<string> = new Set([
  "GIT_AUTHOR_NAME",
  "GIT_AUTHOR_EMAIL",
  "GIT_COMMITTER_NAME",
  "GIT_COMMITTER_EMAIL",
]);

export interface EnvironmentOptions {
  /** Keeps the user's identity: commits are his. */
  readonly keepsIdentity?: boolean;
  /** An index of our own instead of the repository's. */
  readonly indexFile?: string;
}

/** Always: nothing is asked, fetched, paged or locked, and no hook runs, whoever configured it. */
const FIXED: Readonly<Record<string, string>> = {
  GIT_OPTIONAL_LOCKS: "0",
  GIT_TERMINAL_PROMPT: "0",
  GIT_PAGER: "cat",
  // A partial clone would fetch what is missing, by whatever program its config names: no protocol is allowed.
  GIT_NO_LAZY_FETCH: "1",
  GIT_ALLOW_PROTOCOL: "none",
  GIT_LFS_SKIP_SMUDGE: "1",
  // A line in a file of the repository, or a ref, makes commits disappear from its history: they are there all the same (W4).
  GIT_GRAFT_FILE: "/dev/null",
  GIT_NO_REPLACE_OBJECTS: "1",
  LC_ALL: "C",
};

/** The caller's own, without what would point git elsewhere: also for programs git itself would run, hooks above all. */
export function scrubbedEnvironment(
  env: Environment,
  { keepsIdentity }: { readonly keepsIdentity: boolean },
): Record<string, string> {
  const clean: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    const isKept = KEPT.has(name) || (keepsIdentity && IDENTITY.has(name));
    if (value !== undefined && (isKept || !name.startsWith("GIT_"))) clean[name] = value;
  }
  return clean;
}

export function gitEnvironment(
  env: Environment,
  overrides: readonly ConfigOverride[],
  { keepsIdentity = false, indexFile }: EnvironmentOptions = {},
): Readonly<Record<string, string>> {
  const {
    SSH_ASKPASS: _asks,
    GPG_TTY: _terminal,
    LANGUAGE: _language,
    ...clean
  } = scrubbedEnvironment(env, { keepsIdentity });
  Object.assign(clean, FIXED, { GIT_CONFIG_COUNT: String(overrides.length) });
  if (indexFile !== undefined) clean.GIT_INDEX_FILE = indexFile;
  overrides.forEach(({ key, value }, i) => {
    clean[`GIT_CONFIG_KEY_${i}`] = key;
    clean[`GIT_CONFIG_VALUE_${i}`] = value;
  });
  return clean;
}
