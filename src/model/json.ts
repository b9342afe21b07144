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
  const walk: Walk = { around: [], hasNegativeZero: false };
  assertJson(value, walk);
  return walk.hasNegativeZero ? withNegativeZeros(value) : JSON.stringify(value);
}

/** A text that may have been cut off, or was never JSON: null where it is none. */
export function parsedOrNull(text: string): Json {
  try {
    return JSON.parse(text) as Json;
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return null;
    throw thrown;
  }
}

/** JSON can say -0 and JSON.parse reads it; only JSON.stringify makes 0 of it. So it goes through a stand-in. */
function withNegativeZeros(value: unknown): string {
  const text = JSON.stringify(value, (_key, item: unknown) => (Object.is(item, -0) ? NEGATIVE_ZERO : item));
  if (JSON.stringify(value).includes(NEGATIVE_ZERO_TEXT))
    throw new RefloatError("E_NOT_JSON", { found: "-0" });
  return text.replaceAll(NEGATIVE_ZERO_TEXT, "-0");
}

const NEGATIVE_ZERO = "\u0000\u0001-0\u0001\u0000";
const NEGATIVE_ZERO_TEXT = JSON.stringify(NEGATIVE_ZERO);

interface Walk {
  /** The containers the value lies in, outermost first. */
  readonly around: object[];
  hasNegativeZero: boolean;
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function assertJson(value: unknown, walk: Walk): void {
  if (walk.around.length > MAX_JSON_DEPTH) throw tooDeep(walk.around);
  switch (typeof value) {
    case "string":
    case "boolean":
      return;
    case "number":
      if (!Number.isFinite(value)) throw new RefloatError("E_NOT_JSON", { found: String(value) });
      if (Object.is(value, -0)) walk.hasNegativeZero = true;
      return;
    case "object":
      if (value !== null) assertJsonContainer(value, walk);
      return;
    default:
      throw new RefloatError("E_NOT_JSON", { found: typeof value });
  }
}

function assertJsonContainer(value: object, walk: Walk): void {
  walk.around.push(value);
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) assertJson(value[i], walk);
  } else {
    const prototype = Object.getPrototypeOf(value);
    const isPlain = prototype === Object.prototype || prototype === null;
    if (!isPlain || typeof (value as { toJSON?: unknown }).toJSON === "function") {
      throw new RefloatError("E_NOT_JSON", { found: value.constructor?.name ?? "object with toJSON" });
    }
    for (const item of Object.values(value)) if (item !== undefined) assertJson(item, walk);
  }
  walk.around.pop();
}

/** A value that contains itself is an infinitely deep one: the bound ends it, and this tells it apart. */
function tooDeep(around: readonly object[]): RefloatError {
  return new Set(around).size < around.length
    ? new RefloatError("E_NOT_JSON", { found: "a value that contains itself" })
    : new RefloatError("E_TOO_DEEP", { limit: MAX_JSON_DEPTH });
}
