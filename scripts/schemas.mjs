// Writes schemas/ from the definitions of the state file and of a worker's policy. test/workflow/schemas.test.ts and src/fleet/policy.test.ts fail when they differ. Needs dist/.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { policySchema } from "../dist/fleet/policy.js";
import { schemaFiles } from "../dist/workflow/definition.js";

const folder = join(import.meta.dirname, "../schemas");
mkdirSync(folder, { recursive: true });
for (const { name, text } of [...schemaFiles(), { name: "worker-policy.json", text: policySchema() }]) {
  writeFileSync(join(folder, name), text);
  console.log(`schemas/${name} written`);
}
