import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import fc from "../../test/support/fast-check.ts";
import { unifiedDiff } from "./unified-diff.ts";

const names = { from: "f", to: "f" };

describe("a unified diff", () => {
  it("is empty where nothing differs", () => expect(unifiedDiff("a\n", "a\n", names)).toBe(""));

  it("says where a last line has no end", () => {
    const text = unifiedDiff("a\nb\n", "a\nb", names);
    expect(text).toContain("-b\n+b\n\\ No newline at end of file\n");
  });

  it("keeps a name that would break its lines in quotes", () => {
    const text = unifiedDiff("", "a\n", { from: "x\n--- y", to: 'x"\n' });
    expect(text.split("\n").slice(0, 3)).toEqual([
      'diff --git "a/x\\n--- y" "b/x\\"\\n"',
      '--- "a/x\\n--- y"',
      '+++ "b/x\\"\\n"',
    ]);
  });

  it("is taken by git, and leads from the one text to the other", () => {
    const line = fc.constantFrom("a", "b", "c", "", "  d", "-x", "+y", "\\");
    const text = fc
      .tuple(fc.array(line, { maxLength: 12 }), fc.boolean())
      .map(([lines, isEnded]) => lines.join("\n") + (isEnded && lines.length > 0 ? "\n" : ""));
    fc.assert(
      fc.property(text, text, (from, to) => {
        if (from === to) return;
        const folder = mkdtempSync(join(tmpdir(), "refloat-test-"));
        try {
          writeFileSync(join(folder, "f"), from);
          writeFileSync(join(folder, "p"), unifiedDiff(from, to, names));
          execFileSync("git", ["apply", "--unidiff-zero", "p"], { cwd: folder, stdio: "pipe" });
          expect(readFileSync(join(folder, "f"), "utf8")).toBe(to);
        } finally {
          rmSync(folder, { recursive: true });
        }
      }),
      { numRuns: 60 },
    );
  });
});
