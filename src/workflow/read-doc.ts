/** A state file as it lies there, for whoever only looks: no claim is taken, and only what cannot be read at all is said to be wrong with it. */
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { RefloatError } from "../model/errors.ts";
import { isJsonObject, type JsonObject } from "../model/json.ts";
import { leftOf, noState } from "./lost-state.ts";
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

/** What is in it; throws what is wrong where that is nothing to go by. */
export function parsedFile(path: string): unknown {
  const read = readText(path);
  if (read.kind === "failed") throw new RefloatError("E_NO_FILE", { path, why: read.why });
  const parsed = parseState(read.text);
  if (parsed.kind === "broken") throw new RefloatError("E_STATE_DAMAGED", { path, why: parsed.why });
  return parsed.value;
}

/** The document of the file that is meant; of one that is gone it is said what is left. */
export function readState(file: string): JsonObject {
  const left = existsSync(file) ? null : leftOf(file, []);
  if (left !== null) throw noState(dirname(file), { file, left });
  const value = parsedFile(file);
  if (!isJsonObject(value))
    throw new RefloatError("E_STATE_DAMAGED", { path: file, why: "It is not an object." });
  return value;
}
