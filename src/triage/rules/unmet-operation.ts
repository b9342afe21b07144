/** An operation that names a file by its whole path said it would change it. */

import { unmetPaths } from "./evidence/unmet-paths.ts";
import { found, type Rule } from "./rule.ts";

export const unmetOperationRule = {
  slug: "unmet-operation",
  weight: "note",
  voids: "check",
  about: "The operation named a file that it did not change.",
  detail:
    "Whole paths given with --path, also of what is neither at HEAD nor in the tree; globs and folders promise nothing.",
  check: ({ operations, members, all: { changed }, atHead }) =>
    operations.flatMap(({ label, paths }) => {
      const unmet = unmetPaths(paths ?? [], changed, (path) => atHead(path) === "folder");
      if (unmet.length === 0) return [];
      return [found(`The operation "${label}" named ${unmet[0]} and did not change it.`, members, unmet)];
    }),
} as const satisfies Rule;
