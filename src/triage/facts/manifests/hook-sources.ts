/** Where a .pre-commit-config.yaml takes its hooks from, by their ids, and what became of them between two versions of it. */
import type { ManifestKind } from "./manifest-kinds.ts";
import { yamlStrings } from "./read-workflow.ts";
import { isTable, listAt, type Table } from "./tables.ts";

/** Of each hook its repository, and what is run of it: `local (uv run mypy)`, `https://host/repo (v1.2)`. */
export type HookSources = Readonly<Record<string, string>>;

/** A configuration with more is generated. */
const MAX_HOOKS = 500;

/** Null: it is none. */
export function hookSources(kind: ManifestKind | null, text: string): HookSources | null {
  if (kind !== "pre-commit") return null;
  const found = listAt(yamlStrings(text), "repos").flatMap((repo) =>
    listAt(repo, "hooks").flatMap((hook) => {
      const [from, id] = [nameIn(repo, "repo"), nameIn(hook, "id")];
      if (from === null || id === null) return [];
      const how = nameIn(repo, "rev") ?? nameIn(hook, "entry");
      return [[id, how === null ? from : `${from} (${how})`] as const];
    }),
  );
  return Object.fromEntries(found.slice(0, MAX_HOOKS));
}

const nameIn = (table: unknown, field: keyof Table): string | null => {
  const value = isTable(table) ? table[field] : undefined;
  return typeof value === "string" && value !== "" ? value : null;
};

/** One sentence's end each: hooks that another repository gives now, and hooks that are gone. */
export function changedHooks(before: HookSources | null, after: HookSources | null): string[] {
  if (!before || !after) return [];
  return Object.entries(before).flatMap(([id, was]) => {
    const is = after[id];
    if (is === undefined) return [`no longer runs the hook ${id} of ${was}`];
    return repositoryOf(is) === repositoryOf(was)
      ? []
      : [`takes the hook ${id} from ${is}, no longer from ${was}`];
  });
}

const repositoryOf = (source: string): string => source.split(" (")[0] ?? source;
