/**
 * A state file with git's conflict markers in it: both sides as texts, and what both together say. Where only one side has
 * something, that counts; of two statuses the one that is further; logs and lists keep what either has. What is left over is for a
 * person to choose (`--ours`, `--theirs`). Pure.
 */
import { RefloatError } from "../model/errors.ts";
import { isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import { shellWord } from "../text/escape.ts";
import { jsonOf, readJsonTree } from "../text/json-tree.ts";
import { isEqual } from "./rewrite-json.ts";
import { furtherStatus, own } from "./state-doc.ts";

export type MergeSide = "ours" | "theirs";

/** The text itself, where no merge is in it; else the side that was asked for, or what both say together. */
export function withoutConflict(path: string, text: string, side: MergeSide | undefined): string {
  const sides = conflictSides(text);
  if (!sides) {
    if (side) throw new RefloatError("E_USAGE", { why: `There is no merge conflict in ${path}.` });
    return text;
  }
  if (side) return sides[side];
  const [ours, theirs] = [readJsonTree(sides.ours), readJsonTree(sides.theirs)];
  // A side that is broken by itself says nothing about the other.
  if (ours.kind === "broken") return theirs.kind === "broken" ? sides.ours : sides.theirs;
  if (theirs.kind === "broken") return sides.ours;
  const [a, b] = [jsonOf(ours.root), jsonOf(theirs.root)];
  if (!isJsonObject(a) || !isJsonObject(b)) return sides.ours;
  const { doc, open } = mergeSides(a, b);
  if (open.length > 0)
    throw new RefloatError("E_STATE_CONFLICT", { path, fields: open.join(", "), word: shellWord(path) });
  return JSON.stringify(doc);
}

export interface ConflictSides {
  readonly ours: string;
  readonly theirs: string;
}

/** Null: there are no markers, or they do not belong together. */
export function conflictSides(text: string): ConflictSides | null {
  const sides = { ours: [] as string[], theirs: [] as string[] };
  let at: "both" | "ours" | "base" | "theirs" = "both";
  let count = 0;
  for (const line of text.split("\n")) {
    if (/^<{7}(?: |\r?$)/.test(line)) {
      if (at !== "both") return null;
      at = "ours";
      count++;
    } else if (/^\|{7}(?: |\r?$)/.test(line) && at === "ours") at = "base";
    else if (/^={7}\r?$/.test(line) && (at === "ours" || at === "base")) at = "theirs";
    else if (/^>{7}(?: |\r?$)/.test(line)) {
      if (at !== "theirs") return null;
      at = "both";
    } else {
      if (at === "both" || at === "ours") sides.ours.push(line);
      if (at === "both" || at === "theirs") sides.theirs.push(line);
    }
  }
  if (count === 0 || at !== "both") return null;
  return { ours: sides.ours.join("\n"), theirs: sides.theirs.join("\n") };
}

export interface MergedState {
  readonly doc: JsonObject;
  /** Fields of which both sides have something else, and nothing says which is right. */
  readonly open: readonly string[];
}

export function mergeSides(ours: JsonObject, theirs: JsonObject): MergedState {
  const open: string[] = [];
  const doc = merged(ours, theirs, [], open) as JsonObject;
  return { doc, open };
}

function merged(ours: Json, theirs: Json, path: readonly string[], open: string[]): Json {
  if (isEqual(ours, theirs)) return ours;
  if (isJsonObject(ours) && isJsonObject(theirs)) {
    const keys = [...new Set([...Object.keys(ours), ...Object.keys(theirs)])];
    const pairs = keys.map((key) => {
      const [a, b] = [own(ours, key), own(theirs, key)];
      const value = a === undefined ? b : b === undefined ? a : merged(a, b, [...path, key], open);
      return [key, value] as const;
    });
    return Object.fromEntries(pairs.flatMap(([key, value]) => (value === undefined ? [] : [[key, value]])));
  }
  const field = path.at(-1) ?? "";
  if (field === "status") {
    const further = furtherStatus(ours, theirs);
    if (further !== null) return further;
  }
  if (Array.isArray(ours) && Array.isArray(theirs)) return withBoth(ours, theirs);
  // Of a moment that something happened: one side has it, the other not yet.
  if (ours === null || theirs === null) return ours ?? theirs;
  if (NEWER.has(field) && typeof ours === "string" && typeof theirs === "string")
    return Date.parse(theirs) > Date.parse(ours) ? theirs : ours;
  // It follows from the statuses, and is set right by them (tidy.ts).
  if (path.length === 1 && field === "current_step") return ours;
  open.push(path.join("."));
  return ours;
}

const NEWER: ReadonlySet<string> = new Set(["updated", "heartbeat"]);

function withBoth(ours: readonly Json[], theirs: readonly Json[]): Json[] {
  return [...ours, ...theirs.filter((one) => !ours.some((known) => isEqual(known, one)))];
}
