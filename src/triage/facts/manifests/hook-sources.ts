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
