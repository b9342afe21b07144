/** The line merge is held to git's (docs/decisions/0018): what a session's part of a file is must not hang on whose merge was asked. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { mergeLines } from "../../src/text/merge-lines.ts";
import fc from "../support/fast-check.ts";

const folder = mkdtempSync(join(tmpdir(), "refloat-merge-file-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

// Lines that are all different: of equal ones more than one difference is right, and each merge takes its own.
const lines = fc
  .integer({ min: 4, max: 24 })
  .map((count) => Array.from({ length: count }, (_, at) => `${at}\n`));
const edit = fc.record({
  at: fc.nat(30),
  how: fc.constantFrom("drop", "insert", "replace"),
  text: fc.constantFrom("new\n", "other\n", "third\n"),
});
type Edit = { at: number; how: string; text: string };

function edited(base: readonly string[], edits: readonly Edit[]): string[] {
  const lines = [...base];
  for (const { at, how, text } of edits) {
    const place = at % (lines.length + 1);
    if (how === "drop") lines.splice(place, 1);
    else lines.splice(place, how === "insert" ? 0 : 1, text);
  }
  return lines;
}

/** Null: it has no answer either. */
function gitMerge(
  base: readonly string[],
  ours: readonly string[],
  theirs: readonly string[],
): string | null {
  for (const [name, lines] of Object.entries({ base, ours, theirs }))
    writeFileSync(join(folder, name), lines.join(""));
  const run = spawnSync("git", ["merge-file", "-p", "ours", "base", "theirs"], {
    cwd: folder,
    encoding: "utf8",
  });
  expect(run.status).not.toBeNull();
  expect(run.status).not.toBe(255);
  return run.status === 0 ? run.stdout : null;
}

describe("merging lines", () => {
  it("S3: where lines tell places apart, never merges what git would not, nor otherwise than git does", () => {
    fc.assert(
      fc.property(
        lines,
        fc.array(edit, { minLength: 1, maxLength: 2 }),
        fc.array(edit, { minLength: 1, maxLength: 2 }),
        (base, mine, yours) => {
          const [ours, theirs] = [edited(base, mine), edited(base, yours)];
          const merged = mergeLines(base, ours, theirs);
          // No answer is always right: the group is then parked or left.
          if (merged !== null) expect(merged.join("")).toBe(gitMerge(base, ours, theirs));
        },
      ),
      { numRuns: 150 },
    );
  });
});
