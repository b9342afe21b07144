/** Files looked into by this thread, one after the other. */
import { analyseDelta } from "./analyse-delta.ts";
import { analyseFile } from "./analyse-file.ts";
import type { Analysis, Made } from "./analysis.ts";
import type { Parsers } from "./parsers.ts";

export function analysisHere(parsers: Parsers): Analysis {
  const made = <T>(value: T): Made<T> => ({ value, text: JSON.stringify(value) });
  return {
    width: 1,
    file: async (path, bytes) => made(await analyseFile(path, bytes, parsers)),
    delta: async (path, before, after) => made(await analyseDelta(path, before, after)),
  };
}
