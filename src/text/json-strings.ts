/** Every string of a JSON value, each with the name it is given to; and the value again with others in their place. */
import { RefloatError } from "../model/errors.ts";
import { isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import { MAX_JSON_DEPTH } from "../model/limits.ts";
import { secretClassOf } from "./secret-names.ts";

/** Called in the same order for the same value. `name` is null for the name of a field itself. */
export type VisitString = (text: string, name: string | null) => string;

/**
 * The value with every string as `visit` gave it back. Structure is kept: arrays keep their length, objects
 * their fields; field names that become equal are numbered, so that none is lost. A number under the name of a
 * password is visited as text.
 */
export function mapStrings(value: Json, visit: VisitString): Json {
  return mapValue(value, "", visit, 0);
}

function mapValue(value: Json, name: string, visit: VisitString, depth: number): Json {
  if (depth > MAX_JSON_DEPTH) throw new RefloatError("E_TOO_DEEP", { limit: MAX_JSON_DEPTH });
  if (typeof value === "string") return visit(value, name);
  if (typeof value === "number") return mapNumber(value, name, visit);
  if (Array.isArray(value)) return value.map((item: Json) => mapValue(item, name, visit, depth + 1));
  return isJsonObject(value) ? mapObject(value, visit, depth) : value;
}

function mapNumber(value: number, name: string, visit: VisitString): Json {
  if (secretClassOf(name) !== "password") return value;
  const text = String(value);
  const mapped = visit(text, name);
  return mapped === text ? value : mapped;
}

function mapObject(value: JsonObject, visit: VisitString, depth: number): Json {
  const fields: [string, Json][] = [];
  const taken = new Map<string, number>();
  // {"name": "DB_PASSWORD", "value": "..."}: a list of variables or headers.
  const pairName = value.name ?? value.key;
  for (const [field, item] of Object.entries(value)) {
    if (item === undefined) continue;
    const mapped = visit(field, null);
    const count = (taken.get(mapped) ?? 0) + 1;
    taken.set(mapped, count);
    const name = field === "value" && typeof pairName === "string" ? pairName : field;
    fields.push([count === 1 ? mapped : `${mapped} (${count})`, mapValue(item, name, visit, depth + 1)]);
  }
  // fromEntries defines fields, so that one called __proto__ stays a field.
  return Object.fromEntries(fields);
}
