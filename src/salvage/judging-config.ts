/**
 * The configuration a session is judged by (T2): as committed when it began, with the user's own over it; never uncommitted
 * bytes, nor what the session committed itself. An implied session is judged by HEAD's.
 */
import type { RefloatConfig } from "../model/config.ts";
import type { Environment } from "../platform/places.ts";
import type { SessionRow } from "../store/driver.ts";
import type { Store } from "../store/store.ts";
import type { PathRules } from "../triage/path-rules.ts";
import { capturesOf } from "../workspace/captures.ts";
import { readConfig } from "../workspace/config.ts";
import { readHead } from "../workspace/git/head.ts";
import { hasCommit } from "../workspace/git/objects.ts";
import type { Workspace } from "../workspace/workspace.ts";

export async function judgingConfig(
  store: Store | null,
  row: SessionRow | null,
  workspace: Workspace,
  env: Environment,
): Promise<RefloatConfig> {
  if (workspace.kind === "folder") return readConfig(null, null, env);
  const repository = await workspace.repository();
  const begin = store && row ? await firstHead(store, row) : undefined;
  const head = (await readHead(repository)).id;
  if (begin === undefined || begin === head) return readConfig(repository, head, env);
  // A fresh clone at the same path need not have that commit: then only the user's own configuration judges.
  const isHere = begin !== null && (await hasCommit(repository, begin));
  return readConfig(repository, isHere ? begin : null, env);
}

/** Undefined: it was never captured. */
async function firstHead(store: Store, { id }: SessionRow): Promise<string | null | undefined> {
  for await (const { capture } of capturesOf(store, id)) return capture.head?.id ?? null;
  return undefined;
}

/** `hooks`: core.hooksPath as configured; null: git's own folder, which no change of a tree reaches. */
export function pathRulesOf(config: RefloatConfig, check: string | null, hooks: string | null): PathRules {
  const { journal = [], records = [], config: own = [], rules = [] } = config;
  return { journal, records, config: own, rules, judges: [...hookGlobs(hooks), ...checkGlobs(check)] };
}

const hookGlobs = (hooks: string | null): string[] =>
  hooks === null || hooks === "" || hooks.startsWith("/") || hooks.startsWith("~")
    ? []
    : [`/${hooks.replace(/^\.\//, "").replace(/\/+$/, "")}/**`];

/** Words of the check that may be files of the tree: the judged may not write them unseen (T2). */
function checkGlobs(check: string | null): string[] {
  const words = check?.split(/[\s;&|()<>"'`=]+/) ?? [];
  return words
    .filter((word) => /^[\w.@+-]+(?:\/[\w.@+-]+)*$/.test(word.replace(/^\.\//, "")) && /[./]/.test(word))
    .map((word) => `/${word.replace(/^\.\//, "")}`);
}
