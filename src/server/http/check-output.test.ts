/** What is shown of a check while it runs. */
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { CHECK_HEARD_CHARS, CHECK_SHOWN_CHARS, CHECK_SHOWN_EVERY_MS } from "../../model/limits.ts";
import { type CheckLine, watchCheck } from "./check-output.ts";

const STEP = { kind: "check-step" };
const RAN = { kind: "check-ran" };

interface Shown {
  readonly text: string;
  readonly is_cut: boolean;
}

function watched() {
  const lines: CheckLine[] = [];
  const watch = watchCheck((line) => lines.push(line));
  watch.begin(STEP);
  const outputs = (): Shown[] =>
    lines.filter(({ kind }) => kind === "check-output").map((line) => line as unknown as Shown);
  return { watch, lines, outputs };
}

const SECRET = `ghp_${"a1B2c3D4e5F6".repeat(3)}`;

describe("the output of a check", () => {
  it("T4: is shown in whole lines only, so that half of a secret is never shown, and without any", async () => {
    const { watch, outputs } = watched();
    watch.hear(Buffer.from(`first line\ntoken=${SECRET.slice(0, 12)}`));
    await sleep(CHECK_SHOWN_EVERY_MS * 3);
    watch.hear(Buffer.from(`${SECRET.slice(12)}\nsecond`));
    watch.end(RAN);
    await watch.sent();
    const shown = outputs();
    expect(shown.map(({ text }) => text.split("\n")[0])).toEqual(["first line", "first line"]);
    expect(shown[0]?.text).not.toContain("token");
    expect(shown.at(-1)?.text).toContain("second");
    for (const { text } of shown) expect(text).not.toContain(SECRET.slice(4, 12));
  });

  it("T5: is its end only, however much there is, and whole characters of it", async () => {
    const { watch, outputs } = watched();
    const line = Buffer.from(`${"é".repeat(99)}\n`);
    for (let i = 0; i < (3 * CHECK_HEARD_CHARS) / 100; i++) {
      watch.hear(line.subarray(0, 101));
      watch.hear(line.subarray(101));
    }
    watch.hear(Buffer.from("the last\n"));
    watch.end(RAN);
    await watch.sent();
    const shown = outputs();
    const last = shown.at(-1);
    expect(last?.is_cut).toBe(true);
    expect(last?.text.length).toBeLessThanOrEqual(CHECK_SHOWN_CHARS);
    expect(last?.text.split("\n").slice(-3)).toEqual(["é".repeat(99), "the last", ""]);
    expect(new Set(last?.text.split("\n").slice(0, -2))).toEqual(new Set(["é".repeat(99)]));
  });

  it("of one run is not shown as the next one's, and stands before what came of it", async () => {
    const { watch, lines } = watched();
    watch.hear(Buffer.from("one\n"));
    watch.end(RAN);
    watch.begin(STEP);
    watch.hear(Buffer.from("two\n"));
    watch.end(RAN);
    await watch.sent();
    const output = (text: string) => ({ kind: "check-output", text, is_cut: false });
    expect(lines).toEqual([STEP, output("one\n"), RAN, STEP, output("two\n"), RAN]);
  });
});
