// @ts-check
import { spawn } from "node:child_process";

/**
 * @typedef {{ exitCode: number | null, timedOut: boolean, stdout: string, stderr: string }} Ended
 *   `exitCode` is null when a signal ended it.
 */

/**
 * Runs a program in a process group of its own, which alone is signalled when the time is up.
 * @param {string} command
 * @param {readonly string[]} args
 * @param {NodeJS.ProcessEnv} env
 * @param {{ timeoutMs?: number }} [options]
 * @returns {Promise<Ended>}
 */
export function runToEnd(command, args, env, options = {}) {
  const { timeoutMs = 120_000 } = options;
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env, detached: true, stdio: ["ignore", "pipe", "pipe"] });
    let timedOut = false;
    const stop = () => killGroup(child.pid);
    const timer = setTimeout(() => {
      timedOut = true;
      stop();
    }, timeoutMs);
    // Before any listener of the caller's, which may want to remove the files the program still writes.
    process.prependOnceListener("exit", stop);
    let stdout = "";
    let stderr = "";
    child.stdout.setEncoding("utf8").on("data", (text) => {
      stdout += text;
    });
    child.stderr.setEncoding("utf8").on("data", (text) => {
      stderr += text;
    });
    const settle = () => {
      clearTimeout(timer);
      process.removeListener("exit", stop);
    };
    child.once("error", (error) => {
      settle();
      reject(error);
    });
    child.once("close", (exitCode) => {
      settle();
      resolve({ exitCode, timedOut, stdout, stderr });
    });
  });
}

/** @param {number | undefined} leader */
function killGroup(leader) {
  if (leader === undefined) return;
  try {
    process.kill(-leader, "SIGKILL");
  } catch (error) {
    // The group may have ended between the decision and the signal.
    if (!(error instanceof Error && "code" in error && error.code === "ESRCH")) throw error;
  }
}
