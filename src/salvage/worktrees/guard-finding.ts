/** What would be lost with a folder, as a list of findings: each with what it is, where, and the command that helps. Pure. */
import type { PathName } from "../../model/path-name.ts";
import { count } from "../../text/counting.ts";
import { shellLineWord } from "../../text/escape.ts";
import { shownPath } from "../../text/shown-path.ts";

export const GUARD_KINDS = [
  "changed",
  "staged",
  "commits",
  "tags",
  "hooks",
  "lfs",
  "operation",
  "unsettled",
  "live",
  "unreadable",
  "limit",
  "mount",
  "locked",
  "linked",
  "no-repository",
  "refused",
  "not-held",
] as const;
export type GuardKind = (typeof GUARD_KINDS)[number];

export interface GuardFinding {
  readonly kind: GuardKind;
  /** The work tree, or the folder. */
  readonly tree: string;
  readonly message: string;
  readonly count: number;
  /** The first few. */
  readonly paths: readonly PathName[];
  /** Null: nobody but a person can help. */
  readonly command: string | null;
}

/** Paths that are named; the rest is counted. */
export const MAX_NAMED = 20;

const first = (paths: readonly PathName[]): string => {
  const named = paths.slice(0, 3).map((path) => shownPath(path));
  const rest = paths.length - named.length;
  return `${named.join(", ")}${rest > 0 ? ` and ${count(rest, "more", "more")}` : ""}`;
};

export const holding = (folder: string): string => `refloat guard ${shellLineWord(folder)} --hold`;

export function changedFinding(tree: string, folder: string, paths: readonly PathName[]): GuardFinding[] {
  if (paths.length === 0) return [];
  const message = `${count(paths.length, "changed path")} held in no capture: ${first(paths)}`;
  const command = holding(folder);
  return [{ kind: "changed", tree, message, count: paths.length, paths: paths.slice(0, MAX_NAMED), command }];
}

export function stagedFinding(tree: string, folder: string, paths: readonly PathName[]): GuardFinding[] {
  if (paths.length === 0) return [];
  const message = `${count(paths.length, "path")} staged otherwise than it lies there, and held nowhere: ${first(paths)}`;
  const command = holding(folder);
  return [{ kind: "staged", tree, message, count: paths.length, paths: paths.slice(0, MAX_NAMED), command }];
}

export function commitsFinding(
  tree: string,
  folder: string,
  commits: number,
  refs: readonly string[],
): GuardFinding[] {
  if (commits === 0) return [];
  const where =
    refs.length === 0
      ? ""
      : ` (${refs.slice(0, 5).map(shortRef).join(", ")}${refs.length > 5 ? ", ..." : ""})`;
  const message = `${count(commits, "commit")} that would go with it and ${commits === 1 ? "is" : "are"} nowhere else${where}`;
  return [{ kind: "commits", tree, message, count: commits, paths: [], command: holding(folder) }];
}

/** Tags with a text, and refs on single files or folders. */
export function tagsFinding(tree: string, folder: string, refs: readonly string[]): GuardFinding[] {
  if (refs.length === 0) return [];
  const named = `${refs.slice(0, 5).map(shortRef).join(", ")}${refs.length > 5 ? ", ..." : ""}`;
  const message = `${count(refs.length, "tag")} that no remote is known to have: ${named}`;
  return [{ kind: "tags", tree, message, count: refs.length, paths: [], command: holding(folder) }];
}

export function hooksFinding(tree: string, folder: string, names: readonly string[]): GuardFinding[] {
  if (names.length === 0) return [];
  const message = `${count(names.length, "hook")} of its own, held nowhere: ${names.slice(0, 5).join(", ")}`;
  return [{ kind: "hooks", tree, message, count: names.length, paths: [], command: holding(folder) }];
}

/** Files that commits only point at. */
export function lfsFinding(tree: string, folder: string, names: readonly string[]): GuardFinding[] {
  if (names.length === 0) return [];
  const message = `${count(names.length, "object")} of Git LFS that no remote is known to have, held nowhere`;
  return [{ kind: "lfs", tree, message, count: names.length, paths: [], command: holding(folder) }];
}

const shortRef = (ref: string): string =>
  ref
    .replace(/^refs\/heads\//, "")
    .replace(/^refs\/refloat\/stash\/(\d+)$/, "stash@{$1}")
    .replace(/^refs\/refloat\/log\//, "only in the log: ")
    .replace(/^refs\/refloat\/cut-off\//, "above where its history is cut off: ")
    .replace(/^refs\/refloat\/head\//, "HEAD of ")
    .replace(/^refs\/refloat\/noted\//, "")
    .replace(/^refs\/stash$/, "stash")
    .replace(/^refs\/(?:tags\/)?/, "");

export const plainFinding = (
  kind: GuardKind,
  tree: string,
  message: string,
  command: string | null = null,
): GuardFinding => ({ kind, tree, message, count: 1, paths: [], command });
