/** The tables of the pages are those of the code. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
// @ts-expect-error: a script of the docs, plain JavaScript.
import { checksTable, checksTree, rulesTable, stepsTable } from "../../scripts/docs/workflow-tables.mjs";
import { CHECKS } from "../../src/doctor/checks.ts";
import { RULES } from "../../src/workflow/rules.ts";
import { ORIGINAL_WORKFLOW } from "../../src/workflow/step-list.ts";

const page = (name: string): string => readFileSync(join(import.meta.dirname, "../../docs", name), "utf8");
const between = (text: string, mark: string): string =>
  new RegExp(`<!-- ${mark} -->\\n([\\s\\S]*?)\\n<!-- /${mark} -->`).exec(text)?.[1] ?? "";

it("docs/state-file.md lists the very rules and steps of the code", () => {
  expect(between(page("state-file.md"), "rules")).toBe(rulesTable(RULES));
  expect(between(page("state-file.md"), "steps")).toBe(stepsTable(ORIGINAL_WORKFLOW));
});

it("docs/doctor.md has the very checks of the code, and its tree is drawn from them", () => {
  expect(between(page("doctor.md"), "checks")).toBe(checksTable(CHECKS));
  expect(between(page("doctor.md"), "tree")).toBe(checksTree(CHECKS));
});
