/** Files looked into by this thread, one after the other. */
import { analyseDelta } from "./analyse-delta.ts";
import { analyseFile } from "./analyse-file.ts";
import type { Analysis, AnalysisOrder, AnalysisPart } from "./known/analysis.ts";
import type { Delta, FileFacts } from "./known/file-facts.ts";
import type { Parsers } from "./parse/parsers.ts";

const NOTHING = new Uint8Array(0);

export function analysisHere(parsers: Parsers): Analysis {
  const find = (
    part: AnalysisPart,
    { path, fromPath, before, after }: AnalysisOrder,
  ): Promise<FileFacts | Delta | null> => {
    switch (part) {
      case "before":
        return analyseFile(fromPath, before ?? NOTHING, parsers);
      case "after":
        return analyseFile(path, after ?? NOTHING, parsers);
      case "delta":
        return analyseDelta(path, before, after ?? NOTHING, parsers);
    }
  };
  return {
    width: 1,
    look: async (order) => {
      const texts: string[] = [];
      for (const part of order.asked) texts.push(JSON.stringify(await find(part, order)));
      return texts;
    },
  };
}
