/** Runs a few lines against the built files under strace(1): to count system calls, and to make some of them fail. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { need } from "./needs.ts";
import { temporaryFolder } from "./temporary-folder.ts";

const DIST = new URL("../../dist/", import.meta.url).href;

export interface Traced {
  /** What it said, line by line, parsed as JSON. */
  readonly said: readonly unknown[];
  /** The system calls in order, each with the files its descriptors mean. */
  readonly calls: readonly string[];
  readonly ended: number | string | null;
}

/** `flags`: what to trace and what to inject, as strace takes it. */
export function traced(flags: readonly string[], text: string, env: NodeJS.ProcessEnv = {}): Traced {
  need("strace");
  const log = join(temporaryFolder(), "calls");
  const module = text.replace(/(from|import)\s*"\.\//g, (found) => found.replace('"./', `"${DIST}`));
  const ended = spawnSync(
    "strace",
    [
      "-f",
      "-y",
      "-qq",
      "-s",
      "0",
      "-o",
      log,
      ...flags,
      process.execPath,
      "--input-type=module",
      "-e",
      module,
    ],
    { encoding: "utf8", timeout: 100_000, env: { ...process.env, ...env } },
  );
  if (ended.error) throw ended.error;
  if (
    ended.status !== 0 &&
    ended.signal === null &&
    !/killed|SIGKILL/.test(ended.stderr) &&
    ended.stderr !== ""
  )
    throw new Error(ended.stderr);
  return {
    said: ended.stdout.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line)])),
    calls: readFileSync(log, "utf8")
      .split("\n")
      .filter((line) => line !== ""),
    ended: ended.signal ?? ended.status,
  };
}
