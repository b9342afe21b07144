// @ts-check
// The built program as a process of a person's: what it took in milliseconds, in a home of its own.
import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { keepCompiled } from "../dist/platform/compiled-code.js";

export const BIN = resolve(import.meta.dirname, "../dist/cli/bin.js");
const WHO = { NAME: "bench", EMAIL: "bench@example.invalid" };

/** As `init` does it, so that it is measured as people have it. */
export const asAfterInit = () => keepCompiled();

/** @param {readonly string[]} argv of Node @param {{ root: string, home: string }} place @param {Record<string, string>} [more] of its environment */
export function processMs(argv, { root, home }, more = {}) {
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    REFLOAT_HOME: home,
    GIT_AUTHOR_NAME: WHO.NAME,
    GIT_AUTHOR_EMAIL: WHO.EMAIL,
    GIT_COMMITTER_NAME: WHO.NAME,
    GIT_COMMITTER_EMAIL: WHO.EMAIL,
    ...more,
  };
  const from = performance.now();
  const { status, stderr } = spawnSync(process.execPath, argv, { cwd: root, env, encoding: "utf8" });
  if (status !== 0) throw new Error(`${argv.slice(1).join(" ")}: exit ${status}: ${stderr}`);
  return performance.now() - from;
}
