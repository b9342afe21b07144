/** A state file's document for commands that only look. */
import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { RefloatError } from "../../../model/errors.ts";
import { isJsonObject, type JsonObject } from "../../../model/json.ts";
import { leftOf, noState } from "../../../workflow/lost-state.ts";
import { parseState } from "../../../workflow/validate.ts";
import { readText } from "../../../workflow/validate-files.ts";

export function readState(file: string): JsonObject {
  const read = readText(file);
  const left = existsSync(file) ? null : leftOf(file, []);
  if (left !== null) throw noState(dirname(file), { file, left });
  if (read.kind === "failed") throw new RefloatError("E_NO_FILE", { path: file, why: read.why });
  const parsed = parseState(read.text);
  if (parsed.kind === "broken") throw new RefloatError("E_STATE_DAMAGED", { path: file, why: parsed.why });
  if (!isJsonObject(parsed.value))
    throw new RefloatError("E_STATE_DAMAGED", { path: file, why: "It is not an object." });
  return parsed.value;
}
