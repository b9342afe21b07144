/** An operation that names a file by its whole path said it would change it. */
import { nameOfPath } from "../manifests.ts";
import { found, type Rule } from "../rule.ts";

export const unmetOperationRule = {
  slug: "unmet-operation",
  weight: "note",
  about: "The operation named a file that it did not change.",
  detail:
    "Whole paths given with --path, also of what is neither at HEAD nor in the tree; globs and folders promise nothing.",
  check: ({ operations, members, all: { changed }, atHead }) =>
    operations.flatMap(({ label, paths }) => {
      const isMet = (path: string): boolean =>
        changed.has(path) || (isLoose(path) && [...changed].some((at) => nameOfPath(at) === path));
      const isFolder = (path: string): boolean =>
        path === "" || path.endsWith("/") || atHead(path) === "folder";
      const unmet = (paths ?? []).filter((named) => {
        const path = plain(named);
        return !GLOB.test(path) && !isMet(path) && !isFolder(path);
      });
      if (unmet.length === 0) return [];
      return [found(`The operation "${label}" named ${unmet[0]} and did not change it.`, members, unmet)];
    }),
} as const satisfies Rule;

/** A name without folder and ending means what is called so wherever it lies; with an ending it is a file here. */
const isLoose = (path: string): boolean => /^[^/.]+$/.test(path);
const GLOB = /[*?[{]/;
const plain = (path: string): string => path.replace(/^(?:\.?\/)+|^\.$/, "");
