/** Mastra and the Node it wants, as `npm run setup:runtimes` brought them; a test that needs them is said to be not shown where they are not. */
import { join, resolve } from "node:path";
import { need } from "../support/needs.ts";
import { newestNode, runtimesRoot } from "../support/runtimes.ts";
import type { Runtime } from "./kills.ts";

export function mastraRuntime(): Runtime {
  need("Mastra");
  return {
    node: newestNode(),
    args: ["--import", resolve(import.meta.dirname, "mastra-packages.mjs")],
    env: { MASTRA: join(runtimesRoot(), "mastra") },
  };
}
