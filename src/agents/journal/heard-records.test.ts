/** Turns of a session that is only read (L7): what ends them, and who says so. */
import { describe, expect, it } from "vitest";
import { systemClock } from "../../platform/clock.ts";
import { briefBefore, GO_ON } from "../words/go-on.ts";
import type { Heard } from "../words/heard.ts";
import { HeardRecords, type OpenNow } from "./heard-records.ts";

const said = (id: string, from: "person" | "agent"): Heard => ({
  ...{ kind: "message", id, at: null, child: null, from },
  role: from === "person" ? "user" : "assistant",
  parts: [{ type: "text", text: id }],
});
const CALL: Heard = {
  ...{ kind: "call", id: "c", tool: "Bash", does: "execute", input: {}, at: null },
  ...{ proof: "started", paths: [], edits: [], child: null },
};
const end = (proof: "record" | "inferred"): Heard => ({
  kind: "turn-ended",
  outcome: "completed",
  proof,
  at: null,
});
const ENDED: Heard = { kind: "ended", at: null };

/** The ends of turns, each as outcome and who says so. */
function endsOf(heard: readonly Heard[], { isOver = true, open = {} as Partial<OpenNow> } = {}): string[] {
  const source = { agent: "a", nativeId: "n" };
  const turns = { turns: "source", open: { turn: null, calls: [], ...open } } as const;
  const writer = new HeardRecords(systemClock, source, turns);
  const records = heard.flatMap((one) => writer.of(one, { place: "0", plan: new Map() }));
  return [...records, ...(isOver ? writer.close() : [])].flatMap(({ kind, body }) =>
    kind === "turn.ended" ? [`${body.outcome} ${body.by}`] : [],
  );
}

describe("a turn that was heard of", () => {
  const asked = [said("do it", "person"), said("done", "agent")];

  it("ends by the agent's own record, also where its last answer read like an end before that", () => {
    expect(endsOf([...asked, end("record")])).toEqual(["completed agent"]);
    expect(endsOf([...asked, end("inferred"), end("record")])).toEqual(["completed agent"]);
  });

  it("ends by the program's end in order, after an answer that reads like an end and only then", () => {
    expect(endsOf([...asked, end("inferred"), ENDED])).toEqual(["completed exit"]);
    expect(endsOf([...asked, ENDED])).toEqual([]);
  });

  it("is said to be over by nobody where nothing came after such an answer, and not at all while its agent may go on", () => {
    expect(endsOf([...asked, end("inferred")])).toEqual(["completed inferred"]);
    expect(endsOf([...asked, end("inferred")], { isOver: false })).toEqual([]);
  });

  it("goes on where a call or another answer comes: it only read like an end", () => {
    expect(endsOf([...asked, end("inferred"), CALL])).toEqual([]);
    expect(endsOf([...asked, end("inferred"), said("more", "agent")])).toEqual([]);
  });

  it("is over when the person speaks again: as it read, or as failed", () => {
    const again = said("and that", "person");
    expect(endsOf([...asked, end("inferred"), again])).toEqual(["completed inferred"]);
    expect(endsOf([...asked, again])).toEqual(["failed inferred"]);
  });

  it("that read like an end when it was last looked at is ended by what comes then", () => {
    const open = { turn: "t", seemsOver: true };
    expect(endsOf([end("record")], { open })).toEqual(["completed agent"]);
    expect(endsOf([], { open })).toEqual(["completed inferred"]);
    expect(endsOf([], { open: { turn: "t" } })).toEqual([]);
  });
});

it("T3: of a prompt that has a brief before it the person's words are taken in, of one that is all ours nothing: no brief stands in the next one", () => {
  const source = { agent: "a", nativeId: "n" };
  const writer = new HeardRecords(systemClock, source, { turns: "source", open: { turn: null, calls: [] } });
  const prompts = [briefBefore("# Handoff", "do it"), briefBefore("# Handoff", GO_ON), `"${GO_ON}"`, GO_ON];
  const records = prompts.flatMap((text, at) => {
    const heard: Heard = { ...said(`m${at}`, "person"), parts: [{ type: "text", text }] } as Heard;
    return writer.of(heard, { place: "0", plan: new Map() });
  });
  const taken = records.filter(({ kind }) => kind === "message.added").map(({ body }) => body.parts);
  expect(taken).toEqual([[{ type: "text", text: "do it" }]]);
});
