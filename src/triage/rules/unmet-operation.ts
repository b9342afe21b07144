/** An operation that names a file by its whole path said it would change it. */
import { found, type Rule } from "../rule.ts";

export const unmetOperationRule = {
  slug: "unmet-operation",
  weight: "note",
  about: "The operation named a file that it did not change.",
  detail: "Whole paths given with --path; globs and folders promise nothing.",
  check: ({ operations, members, facts }) => {
    if (operations.every(({ paths }) => paths === null)) return [];
    const changed = facts.changes.flatMap(({ change }) => [
      change.path,
      change.fromPath ?? change.path,
      ...change.members.map(({ path }) => path),
    ]);
    return operations.flatMap(({ label, paths }) => {
      const unmet = (paths ?? []).filter(
        (path) => isWholePath(path) && !changed.some((at) => isAt(at, path)),
      );
      if (unmet.length === 0) return [];
      return [found(`The operation "${label}" named ${unmet[0]} and did not change it.`, members, unmet)];
    });
  },
} as const satisfies Rule;

/** With an ending, and without the signs of a glob: a file, not a folder. */
const isWholePath = (path: string): boolean => !/[*?[{]/.test(path) && /\.\w+$/.test(path);
const isAt = (changed: string, named: string): boolean =>
  changed === named.replace(/^(?:\.?\/)+/, "") || changed.startsWith(`${named}/`);
