// A file's edit as hunks, so that some of them can be left out: what an agent leaves that edits place after place and dies between two.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const HUNK = /^@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@/gm;

/** Each: lines of the old text [from, to) become `lines`. */
export function hunksOf(before, after) {
  const folder = mkdtempSync(join(tmpdir(), "refloat-hunks-"));
  try {
    writeFileSync(join(folder, "a"), before);
    writeFileSync(join(folder, "b"), after);
    const args = ["diff", "--no-index", "--no-color", "--no-ext-diff", "-U0", "a", "b"];
    return parsed(differing(args, folder), linesOf(after));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** git says by exit 1 that they differ. */
function differing(args, cwd) {
  try {
    return execFileSync("git", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] });
  } catch (error) {
    if (error.status === 1) return error.stdout;
    throw error;
  }
}

function parsed(diff, lines) {
  return [...diff.matchAll(HUNK)].map(([, a, count = "1", b, added = "1"]) => {
    const [old, from, to] = [Number(a), Number(count), Number(added)];
    const start = from === 0 ? old : old - 1;
    const at = to === 0 ? Number(b) : Number(b) - 1;
    return { from: start, to: start + from, lines: lines.slice(at, at + to) };
  });
}

/** With their line ends, so that joining gives the bytes back. */
export const linesOf = (text) => text.match(/[^\n]*\n|[^\n]+$/g) ?? [];

export function withHunks(before, hunks) {
  const lines = linesOf(before);
  const out = [];
  let at = 0;
  for (const hunk of hunks) {
    out.push(...lines.slice(at, hunk.from), ...hunk.lines);
    at = hunk.to;
  }
  return [...out, ...lines.slice(at)].join("");
}
