import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../model/json.ts";
import type { Heard, HeardCall } from "../words/heard.ts";
import { promptHeard, turnEndHeard, unnamedCall } from "../words/hook-rows.ts";
import { besideJournal, type JournalCall, type JournalSoFar } from "./hooked-beside.ts";
import { HookedWork } from "./hooked-work.ts";

const call = (id: string, tool = "Bash", input: JsonObject = { command: id }): HeardCall => ({
  ...{ kind: "call", id, tool, does: "execute", input, at: null, proof: "started" },
  ...{ paths: [], edits: [], child: null },
});
const unnamed = (command: string): HeardCall => call(unnamedCall("sh", { command }), "sh", { command });
const result = (of: string): Heard => ({
  ...{ kind: "result", call: of, status: "done", origin: "real", output: "", at: null, edits: [] },
});

function told(...heard: readonly (Heard | readonly Heard[])[]): HookedWork {
  const work = new HookedWork();
  for (const one of heard.flat() as Heard[]) work.hear(one);
  return work;
}

const known = (id: string, more: Partial<JournalCall> = {}): JournalCall => ({
  ...{ id, tool: "Bash", input: { command: id }, turn: "t", isOpen: false, isOwn: true, isNow: true },
  ...more,
});
const journal = (more: Partial<JournalSoFar> = {}): JournalSoFar => ({
  ...{ turn: "t", calls: [], prompts: [{ turn: "t", text: "go" }], answer: null },
  ...more,
});
const namesOf = (heard: readonly Heard[]): readonly string[] =>
  heard.map((one) =>
    one.kind === "call" ? `call ${one.id}` : one.kind === "result" ? `result ${one.call}` : one.kind,
  );

const PROMPT = promptHeard("go", null, null);
const END = turnEndHeard("completed", "Done.", null);

describe("what hooks told beside the journal", () => {
  it("is nothing where the transcript has it all: the same call by both is one call (D4)", () => {
    const work = told(PROMPT, call("a"), result("a"), call("b"));
    const { heard } = besideJournal(work, journal({ calls: [known("a"), known("b", { isOpen: true })] }));
    expect(heard).toEqual([]);
  });

  it("is the call that was open and that the transcript never wrote, by tool, input and order where it has no id", () => {
    const work = told(PROMPT, unnamed("x"), result(unnamed("x").id), unnamed("x"));
    const calls = [known("native-1", { tool: "sh", input: { command: "x" } })];
    const { heard } = besideJournal(work, journal({ calls }));
    expect(namesOf(heard)).toEqual([`call ${unnamed("x").id}-2`]);
  });

  it("is no second call where the transcript closed one that hooks saw no end of", () => {
    const calls = [known("native-1", { tool: "sh", input: { command: "x" } })];
    expect(besideJournal(told(PROMPT, unnamed("x")), journal({ calls })).heard).toEqual([]);
  });

  it("is no second turn where its program worded the prompt otherwise: its calls show which it is (D4)", () => {
    const work = told(promptHeard("go", null, null), call("a"), result("a"), call("b"));
    const prompts = [{ turn: "t", text: "[expanded] go" }];
    const { heard } = besideJournal(work, journal({ prompts, calls: [known("a")] }));
    expect(namesOf(heard)).toEqual(["call b"]);
  });

  it("is the result that was lost, also where it came before its call", () => {
    const work = told(PROMPT, result("a"), call("a"));
    const { heard } = besideJournal(work, journal({ calls: [known("a", { isOpen: true })] }));
    expect(namesOf(heard)).toEqual(["result a"]);
  });

  it("is two turns where the same words are asked again: each has an id of its own (D4)", () => {
    const work = told(PROMPT, call("a"));
    work.cut();
    for (const one of [PROMPT, call("b")].flat()) work.hear(one);
    const { heard } = besideJournal(work, journal({ turn: null, prompts: [] }));
    const ids = heard.flatMap((one) => (one.kind === "message" ? [one.id] : []));
    expect(namesOf(heard)).toEqual(["message", "call a", "result a", "turn-ended", "message", "call b"]);
    expect(new Set(ids).size).toBe(2);
  });

  it("is the whole conversation where there is no transcript", () => {
    const none = journal({ turn: null, prompts: [] });
    const { heard, end } = besideJournal(told(PROMPT, call("a"), result("a"), END), none);
    expect(namesOf(heard)).toEqual(["message", "call a", "result a"]);
    expect(end?.outcome).toBe("completed");
  });
});

describe("an end record of hooks (L7)", () => {
  const whole = journal({ calls: [known("a")], answer: "Done." });

  it("ends the turn whose prompt, calls and last words it knows", () => {
    expect(besideJournal(told(PROMPT, call("a"), result("a"), END), whole).end?.outcome).toBe("completed");
  });

  it.each([
    ["whose calls it never saw", told(PROMPT, END), whole],
    ["of another prompt", told(promptHeard("no", null, null), call("a"), result("a"), END), whole],
    ["that said something else last", told(PROMPT, call("a"), result("a"), END), { ...whole, answer: "Hm" }],
    ["that went on after it", told(PROMPT, END, call("a")), whole],
    ["that is over already", told(PROMPT, call("a"), result("a"), END), { ...whole, turn: null }],
  ] as const)("does not end a turn %s", (_what, work, so) => {
    expect(besideJournal(work, so).end).toBeNull();
  });

  it("ends the turn that another process went on with, whatever the one before was killed in", () => {
    const next = promptHeard("next", null, null);
    const work = told(PROMPT, call("a"));
    work.cut();
    for (const one of [...next, call("b"), result("b"), ...END]) work.hear(one);
    const prompts = [
      { turn: "s", text: "go" },
      { turn: "t", text: "next" },
    ];
    const calls = [known("a", { turn: "s" }), known("b")];
    const { heard, end } = besideJournal(work, journal({ prompts, calls, answer: "Done." }));
    expect([namesOf(heard), end?.outcome]).toEqual([[], "completed"]);
  });

  it("of a turn that was cancelled is no completion, whatever comes after it", () => {
    const work = told(PROMPT, call("a"), turnEndHeard("cancelled", null, null), END);
    expect(work.last?.end?.outcome).toBe("cancelled");
  });
});

it("D4: the same words asked, and the same called, in a later claim are told: what stands before it in the journal is another's", () => {
  const work = new HookedWork(40);
  for (const one of [...PROMPT, unnamed("x"), result(unnamed("x").id)] as Heard[]) work.hear(one);
  const before = known("native-1", { tool: "sh", input: { command: "x" }, isNow: false });
  const { heard } = besideJournal(work, journal({ turn: null, calls: [before], prompts: [] }));
  const id = `${unnamed("x").id}@40`;
  expect(namesOf(heard)).toEqual(["message", `call ${id}`, `result ${id}`]);
  expect(heard[0]).toMatchObject({ id: expect.stringMatching(/^made-.*@40$/) });
});
