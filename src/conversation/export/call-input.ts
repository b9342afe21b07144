import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { wellFormedJson } from "./well-formed.ts";

/** A call's input as an object: Anthropic refuses anything else, and OpenAI's imitators parse the text into one. */
export function callInput(input: Json): JsonObject {
  const value = wellFormedJson(input ?? null);
  if (isJsonObject(value)) return value;
  return value === null ? {} : { value };
}
