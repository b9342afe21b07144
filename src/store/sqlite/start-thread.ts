/** Starts the store's thread from its built file. The core has it inside instead: scripts/core.mjs puts another module in the place of this one. */
import { Worker } from "node:worker_threads";
import { builtFile } from "../../platform/own-files.ts";
import type { WorkerInput } from "./thread-protocol.ts";

/** None of the caller's flags: `node --input-type=module -e ...` would keep the worker's file from loading. */
export const startThread = (input: WorkerInput): Worker =>
  new Worker(builtFile("store/sqlite/worker.js"), { workerData: input, execArgv: [] });
