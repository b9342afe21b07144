/** schemas/ is made from the definition: a changed definition with old schemas beside it would tell editors lies. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { policySchema } from "../../src/fleet/policy.ts";
import { schemaFiles } from "../../src/workflow/definition.ts";

const FOLDER = join(import.meta.dirname, "../../schemas");

it("the checked-in JSON Schemas are those of the definitions, all of them and no others", () => {
  const files = [...schemaFiles(), { name: "worker-policy.json", text: policySchema() }];
  expect(readdirSync(FOLDER).sort()).toEqual(files.map(({ name }) => name).sort());
  for (const { name, text } of files) expect(readFileSync(join(FOLDER, name), "utf8"), name).toBe(text);
});
