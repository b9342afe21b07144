/**
 * Makes a runnable file of a few lines of TypeScript that import the sources, for tests that need a process of
 * their own: to kill it, or to start it where this one is not. Imports are relative to src/, as in "./platform/clock.ts".
 */
import { join } from "node:path";
import { buildSync } from "esbuild";

const SOURCES = join(import.meta.dirname, "../../src");

export function program(folder: string, text: string): string {
  const outfile = join(folder, "program.mjs");
  buildSync({
    stdin: { contents: text, resolveDir: SOURCES, loader: "ts" },
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    // Packages stay where they are installed; these programs reach for none but types.
    packages: "external",
    logLevel: "silent",
  });
  return outfile;
}
