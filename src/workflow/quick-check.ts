/**
 * A yes-or-no check made from the definition's JSON Schema, ten times as fast as asking zod for every issue: a
 * thousand sound files are the usual case, and only where this says no is zod asked why. It knows the keywords the
 * definition uses; any other makes it say no, so that it can be slower than zod but never laxer (a test compares).
 */
import { isJsonObject, type JsonObject } from "../model/json.ts";
import { isDate } from "./definition.ts";

type ValueCheck = (value: unknown) => boolean;

const isText: ValueCheck = (value) => typeof value === "string";

const ANNOTATIONS: ReadonlySet<string> = new Set([
  "$schema",
  "$id",
  "title",
  "format",
  "additionalProperties",
]);

export function quickCheck(schema: JsonObject): ValueCheck {
  const checks: ValueCheck[] = [];
  // Properties are of objects: asked once, by the check that goes through them.
  const isObject = schema.type === "object" && schema.properties !== undefined;
  for (const [keyword, value] of Object.entries(schema)) {
    if (ANNOTATIONS.has(keyword) || keyword === "required" || (isObject && keyword === "type")) continue;
    checks.push(checkOf(keyword, value, schema));
  }
  if (schema.format === "date-time") checks.push((value) => typeof value !== "string" || isDate(value));
  return all(checks);
}

function checkOf(keyword: string, given: unknown, schema: JsonObject): ValueCheck {
  switch (keyword) {
    case "type":
      return typeCheck(given);
    case "const":
      return (value) => value === given;
    case "enum":
      return (value) => (given as readonly unknown[]).includes(value);
    case "minimum":
      return (value) => typeof value !== "number" || value >= (given as number);
    case "exclusiveMinimum":
      return (value) => typeof value !== "number" || value > (given as number);
    case "maximum":
      return (value) => typeof value !== "number" || value <= (given as number);
    case "pattern": {
      const pattern = new RegExp(given as string, "i");
      return (value) => typeof value !== "string" || pattern.test(value);
    }
    case "anyOf": {
      return any((given as readonly JsonObject[]).map(quickCheck));
    }
    case "items": {
      const check = quickCheck(given as JsonObject);
      return (value) => !Array.isArray(value) || value.every(check);
    }
    case "properties":
      return propertiesCheck(given as JsonObject, schema);
    default:
      return () => false;
  }
}

function typeCheck(type: unknown): ValueCheck {
  if (Array.isArray(type)) {
    return any(type.map(typeCheck));
  }
  switch (type) {
    case "object":
      return isJsonObject;
    case "array":
      return Array.isArray;
    case "string":
      return isText;
    case "number":
      return (value) => typeof value === "number";
    case "boolean":
      return (value) => typeof value === "boolean";
    case "null":
      return (value) => value === null;
    default:
      return () => false;
  }
}

function propertiesCheck(properties: JsonObject, schema: JsonObject): ValueCheck {
  const required = (schema.required ?? []) as readonly string[];
  const isOther = schema.type !== "object";
  const rows = Object.entries(properties).map(([key, schema]) => ({
    key,
    isRequired: required.includes(key),
    check: quickCheck(schema as JsonObject),
  }));
  return (value) => {
    if (!isJsonObject(value)) return isOther;
    for (const { key, isRequired, check } of rows) {
      const inner = value[key];
      if (inner === undefined ? isRequired : !check(inner)) return false;
    }
    return true;
  };
}

/** Two is the usual number: a type, or null. */
function any(checks: readonly ValueCheck[]): ValueCheck {
  const [first, second, ...others] = checks;
  if (first && second && others.length === 0) return (value) => first(value) || second(value);
  return (value) => checks.some((check) => check(value));
}

function all(checks: readonly ValueCheck[]): ValueCheck {
  const [only, ...others] = checks;
  if (!only) return () => true;
  if (others.length === 0) return only;
  const [second, ...more] = others;
  if (second && more.length === 0) return (value) => only(value) && second(value);
  return (value) => {
    for (const check of checks) if (!check(value)) return false;
    return true;
  };
}
