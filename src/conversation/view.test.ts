import { expect, test } from "vitest";
import { journalOf, type Told } from "../../test/support/journal-of.ts";
import type { View } from "../model/view.ts";
import { Fold } from "./fold.ts";
import { type Audience, viewOf } from "./view.ts";

const text = (words: string) => ({ type: "text", text: words });
const said = (words: string): Told => [
  "message.added",
  { turn: null, role: "assistant", parts: [text(words)] },
];
const hide = (from: number, to: number | null, reason: string, summary: string | null = null): Told => [
  "superseded",
  { from_seq: from, to_seq: to, reason, summary: summary === null ? null : [text(summary)] },
];
const patched = (record: string, metadata: object): Told => ["patched", { record, metadata }];

function view(audience: Audience, ...told: Told[]): View {
  const fold = new Fold();
  for (const record of journalOf(...told)) fold.add(record);
  return viewOf(fold, audience);
}

/** What is seen, in order; a summary in brackets. */
const words = (seen: View): string =>
  seen.items
    .map((item) => {
      if (item.kind === "call") return `call ${item.id}`;
      const part = item.parts[0] as { text?: string } | undefined;
      return item.isSummary ? `[${part?.text}]` : (part?.text ?? "");
    })
    .join(" ");

const abcd = [said("a"), said("b"), said("c"), said("d")];

test("without any superseding both audiences see everything in journal order", () => {
  for (const audience of ["model", "people"] as const) expect(words(view(audience, ...abcd))).toBe("a b c d");
});

test.each<[string, Told[], string]>([
  [
    "compaction puts its summary where the hidden part began",
    [...abcd, hide(2, 3, "compaction", "bc")],
    "a [bc] d",
  ],
  [
    "compaction up to now leaves what comes after it",
    [...abcd, hide(1, null, "compaction", "all"), said("e")],
    "[all] e",
  ],
  ["compaction without a summary only hides", [...abcd, hide(2, 3, "compaction")], "a d"],
  [
    "a second compaction over the first takes its place",
    [...abcd, hide(1, 2, "compaction", "ab"), said("e"), hide(1, 4, "compaction", "abcd")],
    "[abcd] e",
  ],
  [
    "a second compaction beside the first stands beside it",
    [...abcd, hide(1, 2, "compaction", "ab"), hide(3, 4, "compaction", "cd"), said("e")],
    "[ab] [cd] e",
  ],
  [
    "compaction up to now covers an earlier one's summary",
    [...abcd, hide(1, 3, "compaction", "abc"), said("e"), hide(1, null, "compaction", "all")],
    "[all]",
  ],
  [
    "rewind hides all from its place on, and the line goes on after it",
    [...abcd, hide(3, null, "rewind"), said("e")],
    "a b e",
  ],
  ["retry hides the failed try only", [...abcd, hide(4, 4, "retry"), said("d2")], "a b c d2"],
  [
    "rewind behind a compaction brings back what that one hid",
    [...abcd, hide(2, 3, "compaction", "bc"), said("e"), hide(4, null, "rewind"), said("f")],
    "a b c f",
  ],
  [
    "rewind into what a compaction hid undoes it and hides from there",
    [...abcd, hide(1, 3, "compaction", "abc"), said("e"), hide(2, null, "rewind"), said("f")],
    "a f",
  ],
  [
    "rewind after a compaction leaves it standing",
    [...abcd, hide(1, 2, "compaction", "ab"), said("e"), hide(6, null, "rewind"), said("f")],
    "[ab] c d f",
  ],
  [
    "a rewind that a later one reaches behind is itself undone: what it hid is hidden only if the later one hides it",
    [...abcd, hide(2, null, "rewind"), said("e"), hide(5, null, "rewind"), said("f")],
    "a b c d f",
  ],
  [
    "three levels: the undone rewind no longer undoes the compaction",
    [
      ...abcd,
      hide(1, 2, "compaction", "ab"),
      said("e"),
      hide(5, null, "rewind"),
      said("f"),
      hide(7, null, "rewind"),
      said("g"),
    ],
    "[ab] c d e g",
  ],
  [
    "a superseding never reaches beyond itself",
    [...abcd, hide(2, 99, "compaction", "x"), said("e")],
    "a [x] e",
  ],
  ["one that ends before it begins hides nothing", [...abcd, hide(3, 2, "retry"), said("e")], "a b c d e"],
])("C5: %s", (_rule, told, seen) => {
  expect(words(view("model", ...told))).toBe(seen);
  // D2: a person sees everything that was ever said, and no summary in its place.
  expect(words(view("people", ...told))).toBe(
    told
      .flatMap(([kind, body]) =>
        kind === "message.added" ? [(body as { parts: { text: string }[] }).parts[0]?.text] : [],
      )
      .join(" "),
  );
});

test("a summary is a user message of its own, with the id of the record that made it", () => {
  const [summary] = view("model", ...abcd, hide(1, 4, "compaction", "all")).items;
  expect(summary).toMatchObject({
    kind: "message",
    id: "r5",
    seq: 5,
    role: "user",
    isSummary: true,
    state: "final",
    turn: null,
  });
});

test.each<[string, unknown, string, string]>([
  ["the model", "model", "a c d", "a b c d"],
  ["people", "people", "a b c d", "a c d"],
  ["both", ["model", "people"], "a c d", "a c d"],
  ["nobody", [], "a b c d", "a b c d"],
  ["something unknown", "robots", "a b c d", "a b c d"],
])("what is hidden from %s is seen by the others", (_whom, from, model, people) => {
  const told = [...abcd, patched("r2", { hidden_from: from })];
  expect([words(view("model", ...told)), words(view("people", ...told))]).toEqual([model, people]);
});

test("hiding is taken back by a later patch, and metadata is seen with the item it belongs to", () => {
  const told = [
    ...abcd,
    patched("r2", { hidden_from: "model", note: 1 }),
    patched("r2", { hidden_from: null, more: 2 }),
  ];
  const seen = view("model", ...told);
  expect(words(seen)).toBe("a b c d");
  expect(seen.items[1]?.metadata).toEqual({ hidden_from: null, note: 1, more: 2 });
  expect(seen.items[0]?.metadata).toEqual({});
});

test("a streamed message and a call are patched by the record that began them or by their own id", () => {
  const told: Told[] = [
    ["turn.began", { turn: "t", parts: null, input: null }],
    ["message.opened", { message: "m", turn: "t", role: "assistant" }],
    ["call.started", { call: "c", turn: "t", tool: "run", input: {}, effect: "none" }],
    patched("r2", { by: "record" }),
    patched("m", { too: "own id" }),
    patched("c", { of: "call" }),
  ];
  const items = view("people", ...told).items;
  expect(items.map(({ metadata }) => metadata)).toEqual([{ by: "record", too: "own id" }, { of: "call" }]);
});

test("C5: a view is a copy: changing it changes neither the next view nor the fold", () => {
  const fold = new Fold();
  for (const record of journalOf(...abcd)) fold.add(record);
  const first = viewOf(fold, "model");
  (first.items[0] as unknown as { parts: unknown[] }).parts.push(text("slipped in"));
  (first.items as unknown[]).length = 0;
  expect(words(viewOf(fold, "model"))).toBe("a b c d");
  expect(viewOf(fold, "model").items[0]).toMatchObject({ parts: [text("a")] });
});

test("a view says where it ends, which turn is open, and whether something lies before it", () => {
  const fold = new Fold();
  for (const record of journalOf(["turn.began", { turn: "t", parts: null, input: null }], ...abcd))
    fold.add(record);
  expect(viewOf(fold, "model", null)).toMatchObject({
    audience: "model",
    openTurn: "t",
    head: 5,
    earlier: null,
  });
  expect(viewOf(fold, "people")).toMatchObject({ audience: "people", earlier: 0 });
});
