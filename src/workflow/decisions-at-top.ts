/**
 * The decisions that stand at the top of the file, too. Two places know these; they are never to differ, but for the spelling
 * of a tool: the top of the file has only one. Pure.
 */
import type { Json, JsonObject } from "../model/json.ts";
import { readDecision } from "./decision-log.ts";
import { iacToolNamed } from "./definition.ts";
import { isEqual } from "./rewrite-json.ts";
import { listOf, own } from "./state-doc.ts";

/** What a decision says at the top; nothing, for most. */
export function alsoAtTop(key: string, value: Json | undefined): JsonObject {
  if (typeof value !== "string") return {};
  switch (key) {
    case "iac_tool":
      return { iac_tool: iacToolNamed(value) };
    case "region":
    case "primary_region":
      return { region: value };
    case "branch":
      return { branch: value };
    default:
      return {};
  }
}

/** In the order in which they are asked: a `region` is more than a `primary_region`. */
const KEYS = ["iac_tool", "region", "primary_region", "branch"] as const;

/**
 * What is decided and the top does not say, one field each. `strange`: entries of the log that refloat never wrote here; they may
 * be somebody's, but nothing follows from them (T2).
 */
export function missingAtTop(doc: JsonObject, strange: readonly Json[]): readonly JsonObject[] {
  const fields = KEYS.map((key) => alsoAtTop(key, officialValue(doc, key, strange)));
  return fields.filter((one) => Object.entries(one).some(([name, value]) => value !== "" && !own(doc, name)));
}

/** The last that was logged, and no forged one; what `decisions` says, where nothing was. */
function officialValue(doc: JsonObject, key: string, strange: readonly Json[]): Json | undefined {
  const log = listOf(own(doc, "decision_log")).filter((entry) => readDecision(entry)?.key === key);
  const isWord = (entry: Json): boolean => readDecision(entry)?.by_hand === true || strange.includes(entry);
  const last = log.findLast((entry) => !isWord(entry));
  if (last !== undefined) return readDecision(last)?.value;
  const said = own(own(doc, "decisions"), key);
  return log.some((entry) => isEqual(readDecision(entry)?.value ?? null, said)) ? undefined : said;
}
