/** Files looked into by this thread, one after the other. */
import { analyseDelta } from "./analyse-delta.ts";
import { analyseFile } from "./analyse-file.ts";
import type { Analysis, Made } from "./analysis.ts";
import type { Parsers } from "./parsers.ts";

export function analysisHere(parsers: Parsers): Analysis {
  // Read again from its text: as it was made, it holds on to pieces of the source and of other texts.
  const made = <T>(value: T): Made<T> => {
    const text = JSON.stringify(value);
    return { value: JSON.parse(text) as T, text };
  };
  return {
    width: 1,
    file: async (path, bytes) => made(await analyseFile(path, bytes, parsers)),
    delta: async (path, before, after) => made(await analyseDelta(path, before, after)),
  };
}
