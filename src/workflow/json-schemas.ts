/** The definition as JSON Schemas, for editors and other tools; schemas/ holds them, a test compares. */
import { z } from "zod";
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
  return VERSIONS.map((version) => ({
    name: `session-state-${version}.json`,
    text: `${JSON.stringify(jsonSchemaOf(ORIGINAL_WORKFLOW, version), null, 2)}\n`,
  }));
}
