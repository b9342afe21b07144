/** The text of a config: JSON with comments, checked against its schema. What does not fit is named by line and column. */
import { z } from "zod";
import { type RefloatConfig, refloatConfig } from "../model/config.ts";
import { RefloatError } from "../model/errors.ts";
import { type JsonNode, jsonOf, lineOf, nodeAt, readJsonTree } from "./json-tree.ts";
import { nearestWord } from "./nearest-word.ts";
import type { UnknownKey } from "./unknown-key.ts";

export type OnUnknownKey = (key: UnknownKey) => void;

/** `path`: how the file is called in the error. */
export function readConfigText(text: string, path: string, onUnknownKey?: OnUnknownKey): RefloatConfig {
  const tree = readJsonTree(text, { comments: true });
  if (tree.kind === "broken") throw bad(path, text, tree.at, tree.why);
  const parsed = refloatConfig.safeParse(jsonOf(tree.root));
  if (parsed.success) {
    if (onUnknownKey) unknownConfigKeys(tree.root, text, path).forEach(onUnknownKey);
    return parsed.data;
  }
  const issue = parsed.error.issues[0];
  const keys = (issue?.path ?? []).filter((key) => typeof key !== "symbol");
  const where = keys.length === 0 ? "" : `${keys.join(".")}: `;
  throw bad(path, text, startOf(tree.root, keys), `${where}${issue?.message ?? "it does not fit"}`);
}

function startOf(root: JsonNode, keys: readonly (string | number)[]): number {
  return nodeAt(root, keys).start;
}

function bad(path: string, text: string, at: number, why: string): RefloatError {
  return new RefloatError("E_BAD_CONFIG", { path, ...lineOf(text, at), why: why.replace(/\.$/, "") });
}

/**
 * Keys of a config that nobody here knows. They are kept (D5: a newer refloat may know them), and said: a misspelt key must
 * not look like one that works (T1). Pure.
 */

/** More than these of one file are a file of something else. */
const MAX_UNKNOWN_KEYS = 20;
/** What editors want to be told; it says nothing to us. */
const FOR_EDITORS = "$schema";

function unknownConfigKeys(root: JsonNode, text: string, file: string): UnknownKey[] {
  const found: UnknownKey[] = [];
  const visit = (node: JsonNode, schema: unknown, path: readonly string[]): void => {
    const known = unwrapped(schema);
    if (node.kind === "array" && known instanceof z.ZodArray)
      for (const [at, item] of node.items.entries()) visit(item, known.element, [...path, String(at)]);
    if (node.kind !== "object" || !(known instanceof z.ZodObject)) return;
    for (const { key, keyStart, value } of node.members) {
      const inner = Object.hasOwn(known.shape, key) ? known.shape[key] : undefined;
      if (inner !== undefined) visit(value, inner, [...path, key]);
      else if (key !== FOR_EDITORS && found.length < MAX_UNKNOWN_KEYS)
        found.push({
          file,
          key: [...path, key].join("."),
          ...lineOf(text, keyStart),
          nearest: meant(key, path, Object.keys(known.shape)),
        });
    }
  };
  visit(root, refloatConfig, []);
  return found;
}

/** Among the keys of the same object; else the same word at its right place. */
function meant(key: string, path: readonly string[], beside: readonly string[]): string | null {
  const near = nearestWord(key, beside);
  if (near !== null) return [...path, near].join(".");
  return placesIn(refloatConfig, []).find((place) => place.split(".").at(-1) === key) ?? null;
}

/** Every known key from the top, of objects in objects; not of lists, whose members have no name. */
function placesIn(schema: unknown, path: readonly string[]): string[] {
  const known = unwrapped(schema);
  if (!(known instanceof z.ZodObject)) return [];
  return Object.entries(known.shape).flatMap(([key, inner]) => {
    const at = [...path, key];
    return [at.join("."), ...placesIn(inner, at)];
  });
}

const unwrapped = (schema: unknown): unknown => (schema instanceof z.ZodOptional ? schema.unwrap() : schema);
