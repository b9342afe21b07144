import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../model/json.ts";
import type { LineReader } from "../words/adapter.ts";
import type { Heard } from "../words/heard.ts";
import { StreamEars } from "./stream-ears.ts";

/** Each line is what is heard. */
const reader: LineReader = { links: () => null, read: (line: JsonObject) => [line as unknown as Heard] };

function heard(...lines: readonly object[]): StreamEars {
  const ears = new StreamEars(reader);
  ears.take(Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join("")));
  return ears;
}

const call = (id: string): object => ({ kind: "call", id, tool: "bash", input: {}, edits: [], child: null });
const result = (id: string): object => ({ kind: "result", call: id, status: "done", origin: "real" });
const delta = (text: string): object => ({ kind: "delta", id: "m", text });
const over = (outcome: string): object => ({ kind: "turn-ended", outcome, proof: "record" });
const NOTHING = { knows: () => false, hasResult: () => false };
const kinds = (all: readonly Heard[]): string[] => all.map(({ kind }) => kind);

describe("what a stream told and a transcript has not", () => {
  it("C4: a call that ended, of which the transcript has no result, is no unfinished one", () => {
    const ears = heard(call("fast"), call("slow"), result("fast"));
    expect(kinds(ears.beside(NOTHING))).toEqual(["call", "result", "call"]);
    const known = ears.beside({ knows: () => true, hasResult: () => false });
    expect(known).toEqual([expect.objectContaining({ kind: "result", call: "fast" })]);
    expect(ears.beside({ knows: () => true, hasResult: (id) => id === "fast" })).toEqual([]);
  });

  it("C3: half an answer is kept, and none that ended, was followed by a call, or belongs to a turn that is over", () => {
    const half = heard(delta("Now I "), delta("explain"));
    expect(half.beside(NOTHING)).toEqual([expect.objectContaining({ kind: "delta", text: "Now I explain" })]);
    for (const end of [{ kind: "delta-over", id: "m" }, over("failed"), { kind: "message", id: "m" }])
      expect(heard(delta("Now"), end).beside(NOTHING), JSON.stringify(end)).toEqual([]);
    expect(kinds(heard(delta("Now"), call("c")).beside(NOTHING))).toEqual(["call"]);
  });

  it("C3, T5: of a long answer that was cut off the end is kept, to the character, and no more than is ever shown", () => {
    const words = Array.from({ length: 30_000 }, (_, i) => `word ${i} `);
    const [kept] = heard(...words.map(delta)).beside(NOTHING);
    expect(kept).toMatchObject({ kind: "delta", text: words.join("").slice(-64 * 1024) });
  });

  it("C3: lines of a type that says nothing are passed over by their first bytes, and no other line is, wherever a piece ends", () => {
    const silent: ReadonlySet<string> = new Set(["update"]);
    const text = [
      { type: "update", text: "of a tool" },
      { type: "updated", text: "another type" },
      { type: "update" },
      { type: 'up"date' },
      { type: "text", text: "the last" },
    ];
    const bytes = Buffer.from(text.map((line) => `${JSON.stringify(line)}\n`).join(""));
    for (const size of [1, 7, 64, bytes.length]) {
      const read: JsonObject[] = [];
      const ears = new StreamEars({
        ...{ silent, links: () => null },
        read: (line) => {
          if (line.type !== "update") read.push(line);
          else expect(size, "a line that lies whole in its piece").toBeLessThan(bytes.length);
          return [];
        },
      });
      for (let at = 0; at < bytes.length; at += size) ears.take(bytes.subarray(at, at + size));
      ears.take(Buffer.from('{"type":"update\n'));
      expect(read, `${size}`).toEqual([text[1], text[3], text[4]]);
    }
  });

  it("L7: its end record counts as long as nothing is said behind it, and only of a turn that completed", () => {
    expect(heard(call("c"), result("c"), over("completed")).hasEnded).toBe(true);
    expect(heard(over("completed"), call("c")).hasEnded).toBe(false);
    expect(heard(over("completed"), delta("And")).hasEnded).toBe(false);
    expect(heard(over("failed")).hasEnded).toBe(false);
    expect(heard({ kind: "turn-ended", outcome: "completed", proof: "inferred" }).hasEnded).toBe(false);
  });

  it("D6, L7: a line that cannot be read costs itself alone, wherever the pieces end: the end behind it is heard", () => {
    const strict: LineReader = {
      links: () => null,
      read: (line) => {
        if (line.kind === "odd") throw new TypeError("no such thing");
        return [line as unknown as Heard];
      },
    };
    const lines = [call("c"), { kind: "odd", type: "event" }, result("c"), over("completed")];
    const bytes = Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    for (const size of [1, 7, 64, bytes.length]) {
      const ears = new StreamEars(strict);
      const told: Heard[] = [];
      for (let at = 0; at < bytes.length; at += size) told.push(...ears.take(bytes.subarray(at, at + size)));
      expect(kinds(told)).toEqual(["call", "unknown", "result", "turn-ended"]);
      expect(told[1]).toEqual({ kind: "unknown", type: "event (TypeError)" });
      expect(ears.hasEnded).toBe(true);
    }
  });
});
