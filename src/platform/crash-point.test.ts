import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { program } from "../../test/support/program.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { CRASH_POINTS } from "./crash-point.ts";

const STEPS = `
  import { writeSync } from "node:fs";
  import { crashPoint } from "./platform/crash-point.ts";
  for (const round of [1, 2, 3]) {
    writeSync(1, "before" + round + " ");
    crashPoint("append.before-commit");
    crashPoint("append.after-commit");
  }
  writeSync(1, "end");`;

const IN_A_THREAD = `
  import { writeSync } from "node:fs";
  import { isMainThread, Worker } from "node:worker_threads";
  import { crashPoint } from "./platform/crash-point.ts";
  if (isMainThread) {
    new Worker(new URL(import.meta.url));
    setInterval(() => undefined, 1000);
  } else {
    writeSync(1, "before ");
    crashPoint("checkpoint.before");
    writeSync(1, "after");
  }`;

function run(text: string, env: Record<string, string>) {
  const folder = temporaryFolder();
  const log = join(folder, "hits");
  const ended = spawnSync(process.execPath, [program(folder, text)], {
    env: { ...process.env, REFLOAT_CRASH_LOG: log, ...env },
    encoding: "utf8",
    timeout: 30_000,
  });
  return { signal: ended.signal, status: ended.status, said: ended.stdout, error: ended.stderr, log };
}

test("without REFLOAT_CRASH_AT nothing dies and every hit is logged in order", () => {
  const ended = run(STEPS, {});
  expect([ended.status, ended.said]).toEqual([0, "before1 before2 before3 end"]);
  const round = "append.before-commit\nappend.after-commit\n";
  expect(readFileSync(ended.log, "utf8")).toBe(round.repeat(3));
});

test.each([
  ["append.before-commit", "before1 ", 1],
  ["append.before-commit#1", "before1 ", 1],
  ["append.after-commit#2", "before1 before2 ", 4],
])("at %s the process is gone by SIGKILL and not one instruction more has run", (at, said, hits) => {
  const ended = run(STEPS, { REFLOAT_CRASH_AT: at });
  expect([ended.signal, ended.said]).toEqual(["SIGKILL", said]);
  expect(readFileSync(ended.log, "utf8").trim().split("\n")).toHaveLength(hits);
});

test("a hit that never comes kills nobody", () => {
  expect(run(STEPS, { REFLOAT_CRASH_AT: "append.before-commit#4" }).status).toBe(0);
});

test("a hit in a worker thread kills the whole process, and the thread does not go on meanwhile", () => {
  const ended = run(IN_A_THREAD, { REFLOAT_CRASH_AT: "checkpoint.before" });
  expect([ended.signal, ended.said]).toEqual(["SIGKILL", "before "]);
});

test.each(["append.before-comit", "append.before-commit#0", "append.before-commit#x", "toString"])(
  "%s names no crash point and is refused, so that a sweep cannot pass by a misspelling",
  (at) => {
    const ended = run(STEPS, { REFLOAT_CRASH_AT: at });
    expect([ended.status, ended.said]).toEqual([1, ""]);
    expect(ended.error).toContain("names no crash point");
  },
);

test("every crash point says in one sentence what is on disk there", () => {
  for (const sentence of Object.values(CRASH_POINTS)) expect(sentence).toMatch(/^[A-Z].*\.$/);
});
