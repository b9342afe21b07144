/** Rules about the calls and operations that wrote it, and what they said they would write. */
import type { CallFact, TriageFacts } from "../facts/known/triage-facts.ts";
import { nameOfPath } from "../facts/manifests/manifest-kinds.ts";
import { found, type Rule } from "./rule.ts";

export const openOperationRule = {
  slug: "open-operation",
  weight: "risky",
  remedy: "Resume the session to end it, or read what is there.",
  isUnfinished: true,
  about: "It is part of an operation that never ended or was aborted.",
  check: ({ operations, members }) =>
    operations
      .filter(({ state }) => state !== "ended")
      .map(({ label, state, source }) => {
        const how = state === "aborted" ? "was aborted" : "was begun and never ended";
        const where = source === "text" ? " (a BEGIN line without its END)" : "";
        return found(`The operation "${label}" ${how}${where}.`, members, [`operation ${label}: ${state}`]);
      }),
} as const satisfies Rule;

export const openCallRule = {
  slug: "open-call",
  weight: "risky",
  remedy: "See whether all of it was written.",
  isUnfinished: true,
  about: "It was written by, or while, a call was open that never had a result.",
  check: ({ members, calls }) => {
    const open = [...calls.values()].filter(({ endedSeq, mayWrite }) => endedSeq === null && mayWrite);
    return open.flatMap(({ id, tool, startedSeq }) => {
      const touched = members.filter(({ fact }) =>
        fact.writes.some((write) => write.call === id || (write.call === null && write.toSeq > startedSeq)),
      );
      if (touched.length === 0) return [];
      return [found(`The call ${tool} wrote it and never had a result.`, touched, [`call ${id} (${tool})`])];
    });
  },
} as const satisfies Rule;

export const partialSyncRule = {
  slug: "partial-sync",
  weight: "risky",
  remedy: "Copy it again, to the end.",
  about: "Part of a set was copied from elsewhere, and the copying did not come to its end.",
  detail:
    "Calls that copy from outside the workspace (cp, rsync, scp, tar, git archive, template tools) and failed, had no result, or were one of several of a turn that did not complete.",
  check: ({ members, calls, facts }) => {
    const copying = [...calls.values()].filter(
      ({ command }) => command !== null && copiesFromOutside(command),
    );
    return copying.flatMap((call) => {
      const touched = members.filter(({ fact }) => fact.writes.some((write) => write.call === call.id));
      if (touched.length === 0 || !isPartOnly(call, copying, facts)) return [];
      return [
        found("Part of a set was copied from elsewhere, and it is not known that the rest was.", touched, [
          `call ${call.id}: ${call.command}`,
        ]),
      ];
    });
  },
} as const satisfies Rule;

function isPartOnly(call: CallFact, copying: readonly CallFact[], facts: TriageFacts): boolean {
  if (call.endedSeq === null || call.outcome !== "done") return true;
  const turn = facts.turns.find(
    ({ startedSeq, endedSeq }) =>
      startedSeq < call.startedSeq && (endedSeq ?? Number.POSITIVE_INFINITY) > call.startedSeq,
  );
  return copying.length > 1 && turn !== undefined && turn.outcome !== "completed";
}

/** An operation that names a file by its whole path said it would change it. */
export const unmetOperationRule = {
  slug: "unmet-operation",
  weight: "note",
  remedy: "See whether it is still to be changed.",
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

const COPY = /(?:^|[\s;&|(])(?:cp|rsync|mv|install|ln)\s+([^;&|\n]*)/g;
/** Up and out, from the root, from home, or from a place a variable names. */
const OUTSIDE = /(?:^|\s)["']?(?:\.\.(?:\/|\s|$)|\/(?!dev\/)|~|\$)/;
const ALWAYS: readonly RegExp[] = [
  /(?:^|[\s;&|(])scp\s/,
  /\b(?:curl|wget)\b[^\n]*\|\s*(?:tar|unzip|sh|bash)\b/,
  /\bgit\s+(?:-C\s+\S+\s+)?(?:archive|subtree\s+(?:pull|add|merge)|read-tree)\b/,
  /(?:^|[\s;&|(])(?:degit|copier|cookiecutter|cruft|yo)\s/,
];

/** Whether a command line copies from outside the workspace: a template, another clone, a download. */
export function copiesFromOutside(command: string): boolean {
  if (ALWAYS.some((pattern) => pattern.test(command))) return true;
  return [...command.matchAll(COPY)].some(([, words]) => OUTSIDE.test(words ?? ""));
}

/**
 * Which files an operation named by their whole path and did not change: globs promise nothing. `isFolder`: what a name may
 * stand for that promises no file; left out: names that end so.
 */
export function unmetPaths(
  named: readonly string[],
  changed: ReadonlySet<string>,
  isFolder: (path: string) => boolean = (path) => [...changed].some((at) => at.startsWith(`${path}/`)),
): string[] {
  const isMet = (path: string): boolean =>
    changed.has(path) || (isLoose(path) && [...changed].some((at) => nameOfPath(at) === path));
  return named.filter((one) => {
    const path = plain(one);
    return !GLOB.test(path) && !isMet(path) && path !== "" && !path.endsWith("/") && !isFolder(path);
  });
}

/** A name without folder and ending means what is called so wherever it lies; with an ending it is a file here. */
const isLoose = (path: string): boolean => /^[^/.]+$/.test(path);
const GLOB = /[*?[{]/;
const plain = (path: string): string => path.replace(/^(?:\.?\/)+|^\.$/, "");
