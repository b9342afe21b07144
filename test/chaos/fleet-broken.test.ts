/** That the fleet's sweep would see it: a sound story has no fault, and each law that is broken in it on purpose is told. */
import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import type { JsonObject } from "../../src/model/json.ts";
import type { StoredRecord } from "../../src/model/record.ts";
import type { FinishedEdit, Note } from "./fleet/agent.ts";
import { type EndedTree, type FleetStory, faultsOf } from "./fleet/check.ts";

const OWNER = {
  ...{ host: "h", boot: "b", pid_namespace: "n", pid: 1, started: 1, instance: "i" },
};
const [S, Q] = ["session-1", "queue-1"];

function journal(session: string, ...written: [kind: string, attempt: number | null, body: JsonObject][]) {
  return written.map(
    ([kind, attempt, body], seq) =>
      ({
        session,
        seq,
        id: `${session}-${seq}`,
        kind,
        attempt,
        body,
        atMs: 0,
        isForgotten: false,
        isDamaged: false,
      }) as unknown as StoredRecord,
  );
}

const claim = (attempt: number): [string, number, JsonObject] => [
  "claim.taken",
  attempt,
  { attempt, owner: OWNER, why: "lost", from: null, reason: null },
];
const hashOf = (text: string): string => createHash("sha256").update(text).digest("hex");
const capture = (id: string, files: Record<string, string>): [string, null, JsonObject] => [
  "capture.taken",
  null,
  {
    ...{ capture: id, reason: "manual", note: null, how: "status", partial: false, head: null, index: null },
    workspace: { path: "/w", common_dir: null, clone: null, root_commit: null },
    entries: Object.entries(files).map(([path, text]) => ({
      ...{ path, flags: [] },
      state: { kind: "file", mode: 0o644, size: text.length, hash: hashOf(text) },
    })),
    ...{ gaps: [], in_progress: [], limits: [], scopes: [], hidden: 0, moved: null, others: [] },
  },
];
const edit = (attempt: number, step: number, id: string): FinishedEdit => ({
  ...{ kind: "captured", machine: `m${attempt}`, session: S, attempt, item: "one", step, head: "c0" },
  ...{ text: `one ${step} ${attempt} m${attempt}`, capture: id, capturedIn: S },
});
const noted = (kind: "begin" | "end", attempt: number): Note => ({
  ...{ kind, machine: `m${attempt}`, session: S, attempt, item: "one" },
});
const begin = (attempt: number): Note => noted("begin", attempt);

/** Two attempts on two machines, each finished one step; the second ended it. */
function soundStory(): FleetStory {
  const first = { "step-1.txt": "one 1 1 m1\n" };
  const both = { ...first, "step-2.txt": "one 2 2 m2\n" };
  const tree: EndedTree = {
    files: new Map(Object.entries({ ...both, "lines.txt": "base\none 1\none 2\n" })),
    commits: new Set(["c0"]),
  };
  return {
    items: [{ id: S, queue: Q, name: "one" }],
    notes: [begin(1), edit(1, 1, "a"), begin(2), edit(2, 2, "b"), noted("end", 2)],
    journals: new Map([
      [S, journal(S, ["session.began", 1, {}], claim(1), capture("a", first), claim(2), capture("b", both))],
      [Q, journal(Q, ["item.queued", null, { item: S }], ["item.taken", null, { item: S }])],
    ]),
    states: new Map([[S, "done"]]),
    trees: new Map([[S, tree]]),
    steps: 2,
  };
}

const withJournal = (story: FleetStory, session: string, records: StoredRecord[]): FleetStory => ({
  ...story,
  journals: new Map([...story.journals, [session, records]]),
});
const withFile = (story: FleetStory, name: string, text: string): FleetStory => {
  const tree = story.trees.get(S) as EndedTree;
  return { ...story, trees: new Map([[S, { ...tree, files: new Map([...tree.files, [name, text]]) }]]) };
};

const withoutCommits = (story: FleetStory): FleetStory => {
  const tree = story.trees.get(S) as EndedTree;
  return { ...story, trees: new Map([[S, { ...tree, commits: new Set() }]]) };
};

const sound = soundStory();
const own = sound.journals.get(S) as StoredRecord[];

const without = (kind: Note["kind"]): FleetStory => ({
  ...sound,
  notes: sound.notes.filter((note) => note.kind !== kind),
});

const BROKEN: readonly [what: string, story: FleetStory, told: RegExp][] = [
  ["a story without items", { ...sound, items: [] }, /^shows nothing: no item/],
  ["a story in which nobody was acknowledged anything", without("captured"), /^shows nothing: no capture/],
  ["a story that left no tree", { ...sound, trees: new Map() }, /^shows nothing: no tree/],
  ["an item that is done and that no agent brought to its end", without("end"), /^done by nobody: one/],
  ["an item that nobody ended", { ...sound, states: new Map([[S, "taken"]]) }, /^stuck: one/],
  [
    "an acknowledged record that is gone",
    withJournal(sound, S, own.slice(0, -1)),
    /^record lost: one, attempt 2/,
  ],
  [
    "an edit that is nowhere",
    withoutCommits(
      withFile(
        withJournal(
          sound,
          S,
          journal(S, ["session.began", 1, {}], claim(1), capture("a", {}), claim(2), capture("b", {})),
        ),
        "step-1.txt",
        "x",
      ),
    ),
    /^edit lost: one, attempt 1/,
  ],
  [
    "an edit that was held, and that the next attempt did not have",
    withFile(sound, "step-1.txt", "one 1 2 m2\n"),
    /^edit left behind: one, attempt 1/,
  ],
  [
    "a capture of an attempt that was over",
    withJournal(
      sound,
      S,
      journal(
        S,
        ["session.began", 1, {}],
        claim(1),
        claim(2),
        capture("a", { "step-1.txt": "one 1 1 m1\n" }),
        capture("b", {}),
      ),
    ),
    /^past the fence: one, attempt 1 .* captured/,
  ],
  [
    "a record of an attempt that was over",
    withJournal(sound, S, [...own, ...journal(S, ["turn.ended", 1, {}])]),
    /^past the fence: session-1: turn.ended of attempt 1/,
  ],
  [
    "a claim that leaves one out",
    withJournal(sound, S, [...own, ...journal(S, claim(4))]),
    /^claims: session-1/,
  ],
  [
    "an attempt that two machines ran",
    { ...sound, notes: [...sound.notes, { ...begin(2), machine: "m3" }] },
    /^run twice: one, attempt 2 on m3/,
  ],
  [
    "a line that was written twice",
    withFile(sound, "lines.txt", "base\none 1\none 1\none 2\n"),
    /^wrong tree: one: lines.txt/,
  ],
  ["a file of another session", withFile(sound, "step-2.txt", "two 2 1 m1\n"), /wrong tree: one: step-2.txt/],
  [
    "an item that was taken before its turn",
    withJournal(
      sound,
      Q,
      journal(
        Q,
        ["item.queued", null, { item: "other" }],
        ["item.queued", null, { item: S }],
        ["item.taken", null, { item: S }],
      ),
    ),
    /^overtaken: session-1/,
  ],
];

it("a fleet that kept every law has no fault", () => {
  expect(faultsOf(sound)).toEqual([]);
});

it.each(BROKEN)("%s is told by the fleet's sweep", (_what, story, told) => {
  expect(
    faultsOf(story).some((fault) => told.test(fault)),
    faultsOf(story).join("\n"),
  ).toBe(true);
});
