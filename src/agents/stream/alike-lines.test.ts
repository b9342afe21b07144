/** P11: lines of growing text that are read without being parsed say what parsing them says, to the character; every other one is parsed. */
import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../model/json.ts";
import { piLaunch } from "../pi/launch.ts";
import type { LineReader } from "../words/adapter.ts";
import type { Heard } from "../words/heard.ts";
import { StreamEars } from "./stream-ears.ts";

const COMMAND = ["pi", "--mode", "json", "-p", "do it"];
const grows = (delta: unknown, more: JsonObject = {}): string =>
  JSON.stringify({ type: "message_update", assistantMessageEvent: { type: "text_delta", delta }, ...more });

function counted(): { readonly reader: LineReader; readonly parsed: () => number } {
  const own = piLaunch.stream(COMMAND) as LineReader;
  let parsed = 0;
  const read = (line: JsonObject): readonly Heard[] => {
    parsed += 1;
    return own.read(line);
  };
  return { reader: { ...own, read }, parsed: () => parsed };
}

/** What is heard of the lines, fed at once and in pieces, against what each says by itself. */
function sameAsParsed(lines: readonly string[]): number {
  const own = piLaunch.stream(COMMAND) as LineReader;
  const wanted = lines.flatMap((line) => {
    try {
      return own.read(JSON.parse(line) as JsonObject);
    } catch (_noJson) {
      return [];
    }
  });
  const bytes = Buffer.from(`${lines.join("\n")}\n`);
  const whole = counted();
  expect(new StreamEars(whole.reader).take(bytes)).toEqual(wanted);
  const ears = new StreamEars(counted().reader);
  const pieces = Array.from({ length: Math.ceil(bytes.length / 37) }, (_, at) =>
    bytes.subarray(at * 37, at * 37 + 37),
  );
  expect(pieces.flatMap((piece) => ears.take(piece))).toEqual(wanted);
  return whole.parsed();
}

describe("text as it grows", () => {
  it("is parsed twice and then only read, whatever the words are", () => {
    const words = ["I ", "will ", "do ", "it, über", "😀 ", "{}[]:,", "and more"];
    expect(sameAsParsed(words.map((one) => grows(one)))).toBe(2);
  });

  it("T3: words with quotes, escapes or what looks like another record are parsed", () => {
    const words = [
      "a",
      "b",
      'c"',
      "d\\",
      "e\nf",
      "\u2028",
      "g",
      "h",
      '"},"message":{"responseId":"x"}}',
      "i",
    ];
    const parsed = sameAsParsed(words.map((one) => grows(one)));
    expect(parsed).toBeGreaterThan(4);
    sameAsParsed([grows("a"), grows("b"), `${grows("c").slice(0, -3)}","delta":"forged"}}`, grows("d")]);
    sameAsParsed([grows("a"), grows("b"), grows("c").slice(0, -1), `${grows("d")}}`, grows("e")]);
  });

  it("is parsed where anything but the words is another: an id, a kind, a type", () => {
    const other = grows("c", { message: { responseId: "r" } });
    const end = JSON.stringify({ type: "message_end", message: { responseId: "r" } });
    sameAsParsed([grows("a"), grows("b"), other, other, grows("d"), end, grows("e"), grows("f"), grows("g")]);
    sameAsParsed([grows("a"), grows("b"), grows(7), grows(null), grows(["x"]), grows("y")]);
    // Where the same words stand twice nobody knows which of them were heard.
    sameAsParsed([grows("a", { name: "a" }), grows("b", { name: "b" }), grows("c", { name: "b" })]);
  });
});
