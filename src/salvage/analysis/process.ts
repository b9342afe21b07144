/** A process that looks into files for analysis-apart.ts until its channel ends: any text, as its death is nobody else's. */

import { analysisHere } from "../../triage/facts/analysis-here.ts";
import type { AnalysisOrder } from "../../triage/facts/known/analysis.ts";
import { createParsers } from "../../triage/facts/parse/parsers.ts";

const analysis = analysisHere(createParsers({ isAlone: true }));

process.on("message", async (order: AnalysisOrder) => {
  // What is thrown here ends this process, and that is the answer.
  process.send?.(await analysis.look(order));
});
process.on("disconnect", () => process.exit(0));
