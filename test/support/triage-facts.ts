/** Facts for the judge out of two small trees, as texts by path. */
import { createHash } from "node:crypto";
import type { ContentHash } from "../../src/model/ids.ts";
import type { PathName } from "../../src/model/path-name.ts";
import type { PathState } from "../../src/model/path-state.ts";
import type { TriageFacts, Write } from "../../src/triage/facts/known/triage-facts.ts";
import { NO_PATH_RULES } from "../../src/triage/facts/paths/path-rules.ts";
import type { Group } from "../../src/triage/verdict/group.ts";
import { judgeChanges } from "../../src/triage/verdict/judge.ts";
import { type Change, compareStates, pairRenames } from "../../src/workspace/compare/states.ts";
import type { OwnerKind } from "../../src/workspace/owning/own.ts";

export type Entry =
  | string
  | Uint8Array
  | { readonly link: string }
  | { readonly text: string; readonly mode: number };
export type Tree = Readonly<Record<string, Entry>>;

export interface Case {
  readonly head: Tree;
  /** What differs from HEAD; null: gone. */
  readonly now: Readonly<Record<string, Entry | null>>;
  readonly owner?: OwnerKind;
  readonly owners?: Readonly<Record<string, OwnerKind>>;
  readonly writes?: Readonly<Record<string, readonly Write[]>>;
  /** What git is told not to look at. */
  readonly hidden?: Readonly<Record<string, "skip-worktree" | "assume-unchanged">>;
  /** Paths that the captures of operations' ends, whose authors waited for them, have as they are now. */
  readonly seenAtEnds?: Readonly<Record<string, readonly string[]>>;
  /** Paths all of which a finished call recorded. */
  readonly asWritten?: readonly string[];
  readonly facts?: Partial<TriageFacts>;
}

/** The session wrote everything between these positions unless the case says otherwise. */
export const WRITTEN: Write = { fromSeq: 10, toSeq: 20, call: null };
export const ENDED = {
  id: "op",
  label: "work",
  state: "ended",
  paths: null,
  beganSeq: 5,
  endedSeq: 30,
  source: "record",
} as const;
export const COMPLETED = {
  id: "t1",
  startedSeq: 2,
  endedSeq: 40,
  outcome: "completed",
  endedBy: "agent",
} as const;
/** The same of an agent without an adapter: all that is known is that its process ended with 0 (L7). */
export const EXITED = { ...COMPLETED, endedBy: "exit" } as const;
/** What an agent says that has done all it was asked for. */
export const DONE = { operations: [ENDED], turns: [COMPLETED] } as const;

/** One file edited by such an agent. */
export const editedTo = (path: string, before: string, after: string): Case => ({
  head: { [path]: before },
  now: { [path]: after },
  facts: DONE,
});

/** One file that came by it. */
export const added = (path: string, text: string, more: Tree = {}): Case => ({
  head: more,
  now: { [path]: text },
  facts: DONE,
});

const bytesIn = (entry: Entry): Uint8Array => {
  if (typeof entry === "string") return Buffer.from(entry);
  if (entry instanceof Uint8Array) return entry;
  return Buffer.from("link" in entry ? entry.link : entry.text);
};

function stateOf(entry: Entry | null | undefined): PathState {
  if (entry === null || entry === undefined) return null;
  const bytes = bytesIn(entry);
  const hash = createHash("sha256").update(bytes).digest("hex") as ContentHash;
  const isLink = typeof entry === "object" && "link" in entry;
  const mode = typeof entry === "object" && "mode" in entry ? entry.mode : 0o644;
  return {
    kind: isLink ? "symlink" : "file",
    mode,
    size: bytes.length,
    hash,
    ...(isLink ? { target: entry.link } : {}),
  };
}

export function factsOf({
  head,
  now,
  owner = "session",
  owners = {},
  writes = {},
  hidden = {},
  seenAtEnds = {},
  asWritten = [],
  facts = {},
}: Case): TriageFacts {
  const known = (entry: Entry | null | undefined) =>
    ({ kind: "known", state: stateOf(entry), isReconstructed: false }) as const;
  const { changes } = compareStates(
    Object.keys(now) as PathName[],
    (path) => known(head[path]),
    (path) => known(path in now ? now[path] : head[path]),
  );
  const fact = (change: Change) => ({
    change,
    owner: { owner: owners[change.path] ?? owner, ownerSession: null, evidence: [] },
    writes: writes[change.path] ?? [WRITTEN],
    ...(hidden[change.path] ? { hiddenBy: hidden[change.path] } : {}),
    ...(seenAtEnds[change.path] ? { seenAtEnds: seenAtEnds[change.path] } : {}),
    ...(asWritten.includes(change.path) ? { isAsWritten: true } : {}),
  });
  return {
    changes: pairRenames(changes).map(fact),
    bytesOf: async (change, side) => {
      const entry = side === "before" ? head[change.fromPath ?? change.path] : now[change.path];
      return entry === null || entry === undefined ? null : bytesIn(entry);
    },
    head: {
      list: async () => Object.keys(head) as PathName[],
      read: async (path) => (head[path] === undefined ? null : bytesIn(head[path])),
      mentioning: async (words) =>
        Object.entries(head).flatMap(([path, entry]) => {
          const text = Buffer.from(bytesIn(entry)).toString();
          return words.some((word) => text.includes(word)) ? [path as PathName] : [];
        }),
    },
    operations: [],
    calls: [],
    turns: [],
    said: [],
    plans: [],
    gaps: [],
    moving: null,
    pathRules: NO_PATH_RULES,
    overrides: [],
    verify: null,
    sightings: [],
    ...facts,
  };
}

export const judge = (given: Case): Promise<Group[]> => judgeChanges(factsOf(given));

/** The group of a path; throws where there is none. */
export function groupOf(groups: readonly Group[], path: string): Group {
  const found = groups.find(({ changes }) => changes.some(({ change }) => change.path === path));
  if (!found) throw new Error(`no group has ${path}`);
  return found;
}

export const rulesOf = ({ reasons }: Group): string[] => reasons.map(({ rule }) => rule);
