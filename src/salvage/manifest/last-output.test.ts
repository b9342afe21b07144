import { describe, expect, it } from "vitest";
import { lastOutput } from "./last-output.ts";

const SECRET = `ghp_${"a1B2c3D4e5".repeat(4).slice(0, 36)}`;
const said = (text: string) =>
  lastOutput([
    { seq: 1, text: "earlier" },
    { seq: 2, text },
  ]);

describe("the last thing an agent said", () => {
  it("is its last whole lines, never more than 4 KiB, and nothing of a secret that a cut would have halved (T4)", async () => {
    expect(await lastOutput([])).toBeNull();
    expect(await said("one\ntwo\n")).toBe("one\ntwo");
    const lines = await said(`${"a line of words\n".repeat(1000)}the end`);
    expect(lines?.startsWith("a line")).toBe(true);
    expect(Buffer.byteLength(lines ?? "")).toBeLessThanOrEqual(4096);
    // One line longer than all that is shown, cut in the middle of the token; as many more as there are places for the cut.
    for (let at = 0; at <= SECRET.length; at += 8) {
      const shown = await said(`${"x ".repeat(5000)}${SECRET}${" y".repeat(2048).slice(at)}`);
      expect(shown?.endsWith(" y y")).toBe(true);
      expect(shown).not.toContain("e5a1B2c3D4");
      expect(Buffer.byteLength(shown ?? "")).toBeLessThanOrEqual(4096);
    }
  });
});
