// Writes schemas/ from the definition of the state file. test/workflow/schemas.test.ts fails when they differ. Needs dist/.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { schemaFiles } from "../dist/workflow/definition.js";

const folder = join(import.meta.dirname, "../schemas");
mkdirSync(folder, { recursive: true });
for (const { name, text } of schemaFiles()) {
  writeFileSync(join(folder, name), text);
  console.log(`schemas/${name} written`);
}
