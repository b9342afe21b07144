/** An operation that names a file by its whole path said it would change it. */
import { nameOfPath } from "../manifests.ts";
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

/** With an ending, or a name that files without one have, and no signs of a glob. Others are told by HEAD. */
const isWholePath = (path: string): boolean =>
  !/[*?[{]/.test(path) && (ENDING.test(path) || ENDLESS.test(nameOfPath(path)));
const ENDING = /\.\w+$/;
/** LICENSE, README, Makefile, Dockerfile. */
const ENDLESS = /^(?:[A-Z][A-Z0-9_-]+|[A-Z]\w*file)$/;
const plain = (path: string): string => path.replace(/^(?:\.?\/)+/, "");
