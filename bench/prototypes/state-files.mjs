// @ts-check
// The floor of validating state files: each is read, parsed by JSON.parse and checked by the schema, and nothing else: no rule, no companion, no line of a finding.
import { readFileSync } from "node:fs";
import { definitionFor } from "../../dist/workflow/definition.js";
import { ORIGINAL_WORKFLOW } from "../../dist/workflow/step-list.js";

/** @param {readonly string[]} files @returns {number} how many the schema takes */
export function parseAndCheck(files) {
  const definition = definitionFor(ORIGINAL_WORKFLOW);
  let sound = 0;
  for (const file of files) {
    const value = JSON.parse(readFileSync(file, "utf8"));
    if (definition[/** @type {"1.0" | "2.0" | "3.0"} */ (value.schema_version)]?.safeParse(value).success)
      sound++;
  }
  return sound;
}
