/** A state file as it lies there, for whoever only looks: no claim is taken, nothing is said of what is wrong with it. */
import { existsSync } from "node:fs";
import { RefloatError } from "../model/errors.ts";
import { isJsonObject, type JsonObject } from "../model/json.ts";
import { createShapeReader } from "./read-config.ts";
import { own } from "./state-doc.ts";
import { ORIGINAL_WORKFLOW, type WorkflowShape } from "./step-list.ts";
import { parseState } from "./validate.ts";
import { readText } from "./validate-files.ts";

/** Null: there is none that can be read, or it is of a version without claims. */
export function docWithClaims(path: string): JsonObject | null {
  const read = existsSync(path) ? readText(path) : null;
  const parsed = read?.kind === "read" ? parseState(read.text) : null;
  const value = parsed?.kind === "parsed" ? parsed.value : null;
  return isJsonObject(value) && own(value, "schema_version") === "2.0" ? value : null;
}

/** A config that cannot be used is a finding of its own: who holds what can be said without it. */
export function createLenientShapes(): (path: string) => WorkflowShape {
  const shapeFor = createShapeReader();
  return (path) => {
    try {
      return shapeFor(path);
    } catch (thrown) {
      if (thrown instanceof RefloatError) return ORIGINAL_WORKFLOW;
      throw thrown;
    }
  };
}
