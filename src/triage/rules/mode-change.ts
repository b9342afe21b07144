import type { PathClasses } from "../facts/paths/path-classes.ts";
import { aboutEach, naming, type Rule } from "./rule.ts";

const EXECUTABLE = 0o111;

const runs = ({ mode }: { readonly mode: number }): boolean => (mode & EXECUTABLE) !== 0;

const isOnlyRead = (path: string, { isJournal, isRecord }: PathClasses): boolean =>
  isJournal(path) || isRecord(path);

export const modeChangeRule = {
  slug: "mode-change",
  weight: "risky",
  about: "A file became executable, or no longer is; or a new one is, among journals or records.",
  check: (view) => [
    ...aboutEach(
      view,
      ({ path, change: { from, to } }) => {
        if (from?.kind !== "file" || to?.kind !== "file") return null;
        return runs(from) === runs(to)
          ? null
          : `${path}: ${from.mode.toString(8)} became ${to.mode.toString(8)}`;
      },
      (count, first) => `The exec bit of ${naming(count, first)} changed.`,
    ),
    // Elsewhere a new program is work like any other; what is only read is never one.
    ...aboutEach(
      view,
      ({ path, change: { from, to } }) =>
        from === null && to?.kind === "file" && runs(to) && isOnlyRead(path, view.classes)
          ? `${path}: ${to.mode.toString(8)}`
          : null,
      (count, first) => `${naming(count, first, "is", "are")} new and executable, where text is kept.`,
    ),
  ],
} as const satisfies Rule;
