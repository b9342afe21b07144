/** How a process ends, as its note beside the store tells: real processes. */
import { spawnSync } from "node:child_process";
import { readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { leaveExitNote, readExitNote, removeExitNote } from "../../src/platform/exit-note.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const MODULE = join(import.meta.dirname, "..", "..", "dist", "platform", "exit-note.js");

/** A process of its own that leaves a note and then does this. */
function dying(home: string, code: string): ReturnType<typeof spawnSync> {
  const program = `import { leaveExitNote } from ${JSON.stringify(MODULE)};
    const note = leaveExitNote(${JSON.stringify(home)}, "abc"); ${code}`;
  return spawnSync(process.execPath, ["--input-type=module", "--eval", program], { encoding: "utf8" });
}

test.each<[what: string, code: string, note: unknown]>([
  ["killed", `process.kill(process.pid, "SIGKILL")`, { kind: "alive" }],
  ["ended by a signal nobody heard", `process.kill(process.pid, "SIGTERM")`, { kind: "alive" }],
  ["an error", `throw new Error("a\\nb")`, { kind: "exited", code: 1, error: "Error: a" }],
  [
    "a refusal nobody heard",
    `await Promise.reject(new Error("c"))`,
    { kind: "exited", code: 1, error: "Error: c" },
  ],
  ["an exit code", "process.exit(3)", { kind: "exited", code: 3, error: null }],
  ["its end is on record", "note.take()", null],
])("%s: the note says so, and nothing else (DESIGN 9)", (_what, code, note) => {
  const home = temporaryFolder();
  dying(home, code);
  expect(readExitNote(home, "abc")).toEqual(note);
  removeExitNote(home, "abc");
  expect(readdirSync(join(home, "instances"))).toEqual([]);
});

/** From here on the file system refuses these to the process. */
const refusing = (...names: string[]): string =>
  `const fs = (await import("node:fs")).default;
  for (const name of ${JSON.stringify(names)})
    fs[name] = () => { throw Object.assign(new Error("no"), { code: "ENOSPC", errno: -28, syscall: name }); };
  (await import("node:module")).syncBuiltinESMExports();`;

test.each([["writeFileSync"], ["writeFileSync", "rmSync"]])(
  "an end that could not be written down is unknown, not a kill (%s refused, DESIGN 9)",
  (...names) => {
    const home = temporaryFolder();
    const { status } = dying(home, `${refusing(...names)} process.exit(3)`);
    expect(status).toBe(3);
    expect(readExitNote(home, "abc")).toBeNull();
  },
);

test("a folder that is gone costs the note and never the exit code", () => {
  const home = temporaryFolder();
  const { status, stderr } = dying(
    home,
    `(await import("node:fs")).rmSync(${JSON.stringify(home)}, { recursive: true })`,
  );
  expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
});

test("a name from a journal is never a way out of the folder (T3)", () => {
  const home = temporaryFolder();
  leaveExitNote(home, "../../x").take();
  expect(readExitNote(home, "../../x")).toBeNull();
  expect(readdirSync(home)).toEqual([]);
  rmSync(home, { recursive: true });
});
