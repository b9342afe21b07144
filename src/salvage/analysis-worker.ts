/** A thread that looks into files for analysis-threads.ts until it is ended. */
import { parentPort } from "node:worker_threads";
import { analysisHere } from "../triage/analysis-here.ts";
import { createParsers } from "../triage/parsers.ts";
import type { AnalysisOrder, AnalysisReply } from "./analysis-threads.ts";

const analysis = analysisHere(createParsers());

parentPort?.on("message", async ({ id, path, before, after }: AnalysisOrder) => {
  let reply: AnalysisReply;
  try {
    const made = await (before === undefined
      ? analysis.file(path, after)
      : analysis.delta(path, before, after));
    reply = { id, text: made.text };
  } catch {
    // Whoever asked does it himself, and has the error where he can tell it.
    reply = { id, text: null };
  }
  parentPort?.postMessage(reply);
});
