/** README.txt of a bundle: what each file is, and the lines that bring the work back with nothing but git and tar. */
import { shellWord } from "../../text/shell-word.ts";

export interface ReadmeFacts {
  readonly session: string;
  readonly head: string | null;
  readonly branch: string | null;
  readonly hasPatch: boolean;
  readonly hasUntracked: boolean;
  readonly hasCommits: boolean;
  readonly isRaw: boolean;
  readonly gaps: readonly { readonly path: string; readonly why: string }[];
}

/** Gaps named here; manifest.json has them all. */
const MAX_GAPS = 20;

export function bundleReadme(facts: ReadmeFacts): string {
  const { session, head, hasPatch, hasUntracked, hasCommits, isRaw, gaps } = facts;
  const shown = gaps.slice(0, MAX_GAPS);
  const id = Buffer.byteLength(session) <= 60 ? shellWord(session) : "ID";
  const lines = [
    "What a session of a coding agent left on a machine that may be gone, kept by refloat.",
    "",
    "  manifest.json    what it left: groups of changes with verdicts, calls, operations",
    "  handoff.md       the brief for whoever goes on",
    "  blackbox.html    the same for a browser; nothing else is needed",
    ...(hasPatch ? ["  changes.patch    its changes to tracked files"] : []),
    ...(hasUntracked ? ["  untracked.tar    its new files"] : []),
    ...(hasCommits ? ["  commits.bundle   commits that no remote had"] : []),
    "  journal.jsonl    the session's records, for `refloat store import`",
    "",
    "With plain git, in a clean clone (BUNDLE is this folder):",
    "",
    ...(hasCommits ? ["  git fetch BUNDLE/commits.bundle HEAD"] : []),
    ...(head === null ? [] : [`  git checkout -b salvaged ${head}`]),
    ...(hasPatch ? ["  git apply --binary BUNDLE/changes.patch"] : []),
    ...(hasUntracked ? ["  tar -xf BUNDLE/untracked.tar"] : []),
    "",
    "With refloat, afterwards, in the same clone:",
    "",
    "  refloat store import BUNDLE",
    `  refloat inspect ${id}`,
    `  refloat settle ${id}`,
    `  refloat resume ${id}`,
    "",
    isRaw
      ? "Secrets were left in (--raw): treat this folder as you treat them."
      : "Secrets were taken out of text; files that may hold one are not here (--raw keeps them).",
    ...(gaps.length === 0 ? [] : ["", `Not here (${gaps.length}):`]),
    ...shown.map(({ path, why }) => `  ${JSON.stringify(path)}: ${why}`),
    ...(gaps.length > shown.length
      ? [`  ... and ${gaps.length - shown.length} more: see manifest.json`]
      : []),
  ];
  return `${lines.join("\n")}\n`;
}
