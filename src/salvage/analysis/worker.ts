/** A thread that looks into files for threads.ts until it is ended. */
import { parentPort } from "node:worker_threads";
import { analysisHere } from "../../triage/facts/analysis-here.ts";
import { createParsers } from "../../triage/facts/parse/parsers.ts";
import type { AnalysisReply, SentOrder } from "./threads.ts";

const analysis = analysisHere(createParsers());

parentPort?.on("message", async ({ id, ...order }: SentOrder) => {
  let reply: AnalysisReply;
  try {
    reply = { id, texts: await analysis.look(order) };
  } catch {
    // Whoever asked does it himself, and has the error where he can tell it.
    reply = { id, texts: null };
  }
  parentPort?.postMessage(reply);
});
