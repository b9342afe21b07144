/** An operation that names a file by its whole path said it would change it. */
import { found, type Rule } from "../rule.ts";

export const unmetOperationRule = {
  slug: "unmet-operation",
  weight: "note",
  about: "The operation named a file that it did not change.",
  detail: "Whole paths given with --path; globs and folders promise nothing.",
  check: ({ operations, members, all: { changed }, isAtHead }) =>
    operations.flatMap(({ label, paths }) => {
      const unmet = (paths ?? []).filter(
        (path) => (isWholePath(path) || isAtHead(plain(path))) && !changed.has(plain(path)),
      );
      if (unmet.length === 0) return [];
      return [found(`The operation "${label}" named ${unmet[0]} and did not change it.`, members, unmet)];
    }),
} as const satisfies Rule;

/** With an ending, and without the signs of a glob: a file, not a folder. One without an ending is told by HEAD. */
const isWholePath = (path: string): boolean => !/[*?[{]/.test(path) && /\.\w+$/.test(path);
const plain = (path: string): string => path.replace(/^(?:\.?\/)+/, "");
