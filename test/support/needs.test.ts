/** What is not shown is said, and fails a full run: a skip nobody hears of would be a check that cannot fail (T1). */
import { spawnSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { temporaryFolder } from "./temporary-folder.ts";

const ROOT = join(import.meta.dirname, "../..");

/** One test that needs strace and one that needs nothing, run where no strace can be found. */
function runWithoutStrace(env: Record<string, string>): { status: number | null; stdout: string } {
  const folder = temporaryFolder();
  mkdirSync(join(folder, "bin"));
  symlinkSync(process.execPath, join(folder, "bin/node"));
  symlinkSync(join(ROOT, "node_modules"), join(folder, "node_modules"));
  const support = JSON.stringify(join(ROOT, "test/support/needs.ts"));
  const reporter = JSON.stringify(join(ROOT, "test/support/not-shown.ts"));
  writeFileSync(
    join(folder, "one.test.ts"),
    `import { expect, it } from "vitest";
     import { need } from ${support};
     it("counts system calls", () => { need("strace"); expect(1).toBe(2); });
     it("counts nothing", () => expect(1).toBe(1));`,
  );
  writeFileSync(
    join(folder, "vitest.config.ts"),
    `import { NotShown } from ${reporter};
     export default { test: { include: ["one.test.ts"], reporters: [new NotShown(), "default"] } };`,
  );
  const vitest = join(ROOT, "node_modules/vitest/vitest.mjs");
  const { PATH: _all, REFLOAT_TEST_FULL: _full, ...rest } = process.env;
  const { status, stdout } = spawnSync(process.execPath, [vitest, "run", "--root", folder], {
    cwd: folder,
    env: { ...rest, PATH: join(folder, "bin"), NO_COLOR: "1", ...env },
    encoding: "utf8",
  });
  return { status, stdout };
}

it("T1: what the machine cannot show is skipped with one loud line that says what and how, and the rest passes", () => {
  const { status, stdout } = runWithoutStrace({});
  expect(stdout).toContain(
    "NOT SHOWN on this machine: 1 tests, needs strace, allowed to trace: apt-get install strace",
  );
  expect(stdout).toMatch(/Tests\s+1 passed \| 1 skipped/);
  expect(stdout.trimEnd().split("\n").at(-1), "the runner's own summary closes the run").toMatch(/Duration/);
  expect(status).toBe(0);
});

it("T1: with REFLOAT_TEST_FULL=1 nothing is skipped: the same test fails with the same words", () => {
  const { status, stdout } = runWithoutStrace({ REFLOAT_TEST_FULL: "1" });
  expect(stdout).toMatch(/Tests\s+1 failed \| 1 passed/);
  expect(status).toBe(1);
});
