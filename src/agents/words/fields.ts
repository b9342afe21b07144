/**
 * Looking into JSON that somebody else wrote: each answer is of the type asked for, or null. A schema per record would read every
 * field of lines of megabytes of which two are wanted, and refuse a record for a field nobody asks about.
 */
import { isJsonObject, type Json, type JsonObject } from "../../model/json.ts";
import { heardJson } from "./heard-json.ts";

type Value = Json | undefined;

export const textAt = (from: JsonObject | null, name: string): string | null => textOf(from?.[name]);
export const textOf = (value: Value): string | null => (typeof value === "string" ? value : null);
/** What a record calls its kind, for telling and counting. What is no text has no name: making one of it would run what it brings. */
export const kindAt = (from: JsonObject | null, name = "type"): string => textAt(from, name) ?? "(none)";
export const numberAt = (from: JsonObject | null, name: string): number | null => {
  const value = from?.[name];
  return typeof value === "number" && Number.isFinite(value) ? value : null;
};
export const objectAt = (from: JsonObject | null, name: string): JsonObject | null => objectOf(from?.[name]);
export const objectOf = (value: Value): JsonObject | null => (isJsonObject(value) ? value : null);
export const listAt = (from: JsonObject | null, name: string): readonly Json[] => listOf(from?.[name]);
export const listOf = (value: Value): readonly Json[] =>
  Array.isArray(value) ? (value as readonly Json[]) : [];
export const objectsAt = (from: JsonObject | null, name: string): readonly JsonObject[] =>
  listAt(from, name).filter(isJsonObject);

/** A time as ISO text or in milliseconds; null: neither, or none a calendar has. */
export function timeOf(value: Value): number | null {
  const ms = typeof value === "string" ? Date.parse(value) : value;
  return typeof ms === "number" && Number.isFinite(ms) ? ms : null;
}

/** Arguments that came as an object, or as the text of one. */
export function inputOf(value: Value): JsonObject {
  if (isJsonObject(value)) return value;
  if (typeof value !== "string") return {};
  return objectOf(heardJson(value)) ?? { text: value };
}

/** The text of a content that is a text, or a list of parts of which some have one. */
export function contentText(value: Value): string {
  if (typeof value === "string") return value;
  const parts = listOf(value);
  // As nearly all have it.
  if (parts.length === 1) return textAt(objectOf(parts[0]), "text") ?? textOf(parts[0]) ?? "";
  return parts
    .map((part) => (typeof part === "string" ? part : (textAt(objectOf(part), "text") ?? "")))
    .filter((text) => text !== "")
    .join("\n");
}
