/**
 * Says at the end of a run what was not shown, in one line per reason: a skipped test that nobody hears of is a check that
 * cannot fail. With REFLOAT_TEST_FULL=1 any skip fails the run. Tests left out by `-t` are no skips.
 */

import type { Reporter, TestModule, Vitest } from "vitest/node";
import { ASKED_FOR } from "./asked-for.ts";

const WITHOUT_NOTE = "skipped without a reason";

export class NotShown implements Reporter {
  #vitest: Vitest | null = null;

  onInit(vitest: Vitest): void {
    this.#vitest = vitest;
  }

  onTestRunEnd(modules: readonly TestModule[]): void {
    if (this.#vitest?.config.testNamePattern) return;
    const lines = notShown(modules);
    for (const line of lines) process.stdout.write(`\n${line}\n`);
    if (lines.some((line) => !line.includes(ASKED_FOR)) && process.env.REFLOAT_TEST_FULL === "1") {
      process.stdout.write("\nNOT SHOWN is a failure with REFLOAT_TEST_FULL=1.\n");
      process.exitCode = 1;
    }
  }
}

function notShown(modules: readonly TestModule[]): string[] {
  const filesOf = new Map<string, string[]>();
  for (const module of modules)
    for (const test of module.children.allTests("skipped")) {
      const result = test.result();
      const reason = (result.state === "skipped" ? result.note : undefined) ?? WITHOUT_NOTE;
      filesOf.set(reason, [...(filesOf.get(reason) ?? []), module.relativeModuleId]);
    }
  return [...filesOf].map(
    ([reason, files]) =>
      `NOT SHOWN on this machine: ${files.length} tests, ${reason}\n  ${[...new Set(files)].join(" ")}`,
  );
}
