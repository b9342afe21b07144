/**
 * JSON values, and the one way to turn a value into text: exactly, or refused with a code.
 *
 * JSON.stringify drops functions, turns NaN into null and calls toJSON; a store that does so has changed
 * what it was given and says nothing. NUL, lone surrogates and U+2028 need no care: JSON.stringify escapes
 * the first two, so the text is always well-formed UTF-8 without NUL bytes.
 */
import { RefloatError } from "./errors.ts";
import { MAX_JSON_DEPTH } from "./limits.ts";

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

/** The text of a JSON value. Throws E_NOT_JSON or E_TOO_DEEP; keys with the value undefined are left out. */
export function encodeJson(value: unknown): string {
  assertJson(value, []);
  return JSON.stringify(value);
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** `around` holds the containers the value lies in, outermost first. */
function assertJson(value: unknown, around: object[]): void {
  if (around.length > MAX_JSON_DEPTH) throw tooDeep(around);
  switch (typeof value) {
    case "string":
    case "boolean":
      return;
    case "number":
      // JSON.stringify would make null of the infinite ones and 0 of -0.
      if (!Number.isFinite(value) || Object.is(value, -0))
        throw new RefloatError("E_NOT_JSON", { found: Object.is(value, -0) ? "-0" : String(value) });
      return;
    case "object":
      if (value !== null) assertJsonContainer(value, around);
      return;
    default:
      throw new RefloatError("E_NOT_JSON", { found: typeof value });
  }
}

function assertJsonContainer(value: object, around: object[]): void {
  around.push(value);
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) assertJson(value[i], around);
  } else {
    const prototype = Object.getPrototypeOf(value);
    const isPlain = prototype === Object.prototype || prototype === null;
    if (!isPlain || typeof (value as { toJSON?: unknown }).toJSON === "function") {
      throw new RefloatError("E_NOT_JSON", { found: value.constructor?.name ?? "object with toJSON" });
    }
    for (const item of Object.values(value)) if (item !== undefined) assertJson(item, around);
  }
  around.pop();
}

/** A value that contains itself is an infinitely deep one: the bound ends it, and this tells it apart. */
function tooDeep(around: readonly object[]): RefloatError {
  return new Set(around).size < around.length
    ? new RefloatError("E_NOT_JSON", { found: "a value that contains itself" })
    : new RefloatError("E_TOO_DEEP", { limit: MAX_JSON_DEPTH });
}
