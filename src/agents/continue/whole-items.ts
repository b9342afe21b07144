/** A document of Continue's, and what is whole of one that was cut off while it was written: it is written in place, from its beginning. */
import type { JsonObject } from "../../model/json.ts";
import { objectOf } from "../words/fields.ts";
import { heardJson } from "../words/heard-json.ts";

export const wholeDocument = (text: string): JsonObject | null => objectOf(heardJson(text));

/** The document up to its last whole item; null: not one is. */
export function documentUpTo(text: string): JsonObject | null {
  const end = lastItemEnd(text);
  return end === -1 ? null : wholeDocument(`${text.slice(0, end)}]}`);
}

/** Items of the history lie in a list in the outermost object. */
const DEPTH_OF_LIST = 2;

/** Behind the last item that is whole; -1: none is. */
function lastItemEnd(text: string): number {
  let [depth, end, isText] = [0, -1, false];
  for (let at = 0; at < text.length; at++) {
    const char = text[at];
    if (isText) {
      if (char === "\\") at += 1;
      else if (char === '"') isText = false;
    } else if (char === '"') isText = true;
    else if (char === "{" || char === "[") depth += 1;
    else if (char === "}" || char === "]") {
      depth -= 1;
      if (depth === DEPTH_OF_LIST && char === "}") end = at + 1;
    }
  }
  return end;
}
