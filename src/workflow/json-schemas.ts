/** The definition as JSON Schemas, for editors and other tools; schemas/ holds them, a test compares. */
import { z } from "zod";
import { CONFIG_FILE, refloatConfig } from "../model/config.ts";
import type { JsonObject } from "../model/json.ts";
import { definitionFor, schemaId, VERSIONS, type Version } from "./definition.ts";
import { ORIGINAL_WORKFLOW, type WorkflowShape } from "./step-list.ts";

export interface SchemaFile {
  readonly name: string;
  readonly text: string;
}

export function jsonSchemaOf(shape: WorkflowShape, version: Version): JsonObject {
  const schema = z.toJSONSchema(definitionFor(shape)[version], {
    unrepresentable: "any",
    io: "input",
    reused: "inline",
  });
  const { $schema, ...rest } = schema as unknown as JsonObject;
  return { $schema, $id: schemaId(version), ...rest };
}

export function schemaFiles(): readonly SchemaFile[] {
  const states = VERSIONS.map((version) => ({
    name: `session-state-${version}.json`,
    text: `${JSON.stringify(jsonSchemaOf(ORIGINAL_WORKFLOW, version), null, 2)}\n`,
  }));
  return [...states, { name: CONFIG_FILE, text: `${JSON.stringify(configSchema(), null, 2)}\n` }];
}

/** `refloat.json` and the user's own config. */
function configSchema(): JsonObject {
  const { $schema, ...rest } = z.toJSONSchema(refloatConfig, { io: "input", reused: "inline" });
  return { $schema: $schema ?? "", title: "refloat's config", ...(rest as unknown as JsonObject) };
}
