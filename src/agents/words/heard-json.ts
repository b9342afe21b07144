/**
 * JSON that an agent wrote. What is nested deeper than anything says is cut off there: a record could not have it, and whoever goes through
 * it calls himself for each level, so one such line would cost all that waits behind it (D6, T5).
 */
import { isJsonObject, type Json, parsedOrNull } from "../../model/json.ts";
import { MAX_HEARD_DEPTH } from "../../model/limits.ts";

/** Null: it is none. */
export function heardJson(text: string): Json {
  const value = parsedOrNull(text);
  return isWithin(value, MAX_HEARD_DEPTH) ? value : cut(value, MAX_HEARD_DEPTH);
}

const TOO_DEEP = "[nested too deep]";

/** Nothing is made for what is as it should be: nearly every line is. */
function isWithin(value: Json | undefined, levels: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (levels === 0) return false;
  if (Array.isArray(value)) return value.every((one: Json) => isWithin(one, levels - 1));
  if (isJsonObject(value)) for (const name in value) if (!isWithin(value[name], levels - 1)) return false;
  return true;
}

function cut(value: Json, levels: number): Json {
  if (typeof value !== "object" || value === null) return value;
  if (levels === 0) return TOO_DEEP;
  if (Array.isArray(value)) return value.map((one: Json) => cut(one, levels - 1));
  const fields = Object.entries(value).map(([name, one]) => [name, cut(one ?? null, levels - 1)] as const);
  return Object.fromEntries(fields);
}
