import { describe, expect, it } from "vitest";
import fc from "../../../test/support/fast-check.ts";
import { mergeLines, wholeLines } from "../../text/merge-lines.ts";
import { sessionPart } from "./session-parts.ts";

const part = (head: string, begin: string, end: string): string | { why: string } => {
  const found = sessionPart({ head: Buffer.from(head), begin: Buffer.from(begin), end: Buffer.from(end) });
  return found.kind === "part" ? found.bytes.toString() : { why: found.why };
};

describe("sessionPart", () => {
  it("is what the session changed, without what was changed before it began", () => {
    expect(part("1\n2\n3\n4\n5\n", "USER\n2\n3\n4\n5\n", "USER\n2\n3\n4\nSESSION\n")).toBe(
      "1\n2\n3\n4\nSESSION\n",
    );
  });

  it("is none where the session changed the user's own lines or their neighbours", () => {
    expect(part("1\n2\n3\n", "USER\n2\n3\n", "BOTH\n2\n3\n")).toMatchObject({ why: expect.any(String) });
    expect(part("1\n2\n3\n", "USER\n2\n3\n", "USER\nSESSION\n3\n")).toMatchObject({
      why: expect.any(String),
    });
  });

  it("is none for binary files and mixed line endings", () => {
    expect(part("a\0", "b\0", "c\0")).toEqual({ why: "it is binary" });
    expect(part("1\n2\n3\n4\n", "U\r\n2\n3\n4\n", "U\r\n2\n3\nS\n")).toEqual({
      why: "its line endings are mixed",
    });
  });

  it("never gives a part from which the end cannot be had back, on repetitive code", () => {
    const line = fc.constantFrom("}\n", "  x();\n", "  y();\n", "f() {\n", "\n");
    const text = fc.array(line, { minLength: 5, maxLength: 25 });
    const edited = (lines: readonly string[], at: number, cut: number, add: readonly string[]): string[] =>
      lines.toSpliced(at % (lines.length + 1), cut, ...add);
    const edit = fc.tuple(fc.nat(30), fc.nat(3), fc.array(line, { maxLength: 3 }));
    let parts = 0;
    fc.assert(
      fc.property(text, edit, edit, (lines, users, sessions) => {
        const begin = edited(lines, ...users);
        const end = edited(begin, ...sessions);
        const bytes = (all: readonly string[]): Buffer => Buffer.from(all.join(""));
        const found = sessionPart({ head: bytes(lines), begin: bytes(begin), end: bytes(end) });
        if (found.kind === "none") return;
        parts++;
        const back = mergeLines(lines, begin, wholeLines(found.bytes.toString()));
        expect(back?.join("")).toBe(end.join(""));
      }),
      { numRuns: 1000 },
    );
    expect(parts).toBeGreaterThan(100);
  });
});
