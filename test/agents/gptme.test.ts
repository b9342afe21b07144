import { appendFileSync, readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { gptmeTranscript } from "../../src/agents/gptme/transcript.ts";
import { toEnd } from "../../src/agents/transcript/piece-by-piece.ts";
import { readLines } from "../../src/agents/transcript/read-lines.ts";
import { repairedLines } from "../../src/agents/transcript/repair-lines.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const event = (seq: number, content: string): string =>
  `${JSON.stringify({
    seq,
    ts: "2026-11-15T02:27:53.5+00:00",
    type: "message_append",
    payload: { message: { role: "user", content, timestamp: `2026-11-15T02:27:${50 + seq}+00:00` } },
  })}\n`;

function heardTexts(file: string): { texts: string[]; damage: string[] } {
  const texts: string[] = [];
  const damage: string[] = [];
  toEnd(
    readLines(file, gptmeTranscript, {
      hear: (heard) => {
        if (heard.kind === "message") texts.push(heard.parts.map((part) => String(part.text)).join());
      },
      damaged: ({ kind }) => damage.push(kind),
    }),
  );
  return { texts, damage };
}

describe("gptme's events", () => {
  it("of which the last was torn, with two more written behind it: only the torn one is lost, wherever it was cut off", () => {
    const file = join(temporaryFolder(), "events.jsonl");
    const torn = event(3, "three");
    for (let cut = 1; cut < torn.length - 1; cut++) {
      writeFileSync(file, event(1, "one") + event(2, "two") + torn);
      truncateSync(file, (event(1, "one") + event(2, "two")).length + cut);
      appendFileSync(file, event(4, "four") + event(5, "five"));
      expect(heardTexts(file).texts).toEqual(["one", "two", "four", "five"]);
      expect(heardTexts(file).damage).toEqual(["glued", "gap"]);
      const { ids } = toEnd(
        readLines(file, gptmeTranscript, { hear: () => undefined, damaged: () => undefined }),
      );
      const copy = Buffer.concat([...repairedLines(file, gptmeTranscript, ids)]).toString();
      expect(copy).toBe(event(1, "one") + event(2, "two") + event(4, "four") + event(5, "five"));
    }
    expect(readFileSync(file, "utf8")).toContain("five");
  });
});
