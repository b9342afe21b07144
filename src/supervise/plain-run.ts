/** REFLOAT_OFF=1: the command as if we were not there. Signals that reach us go on to it; its end is ours. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { codeOfSignal } from "./decide-end.ts";
import type { Program } from "./running-agent.ts";

const PASSED_ON: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2"];

/** Its exit code; 128 and the signal's number when it died by one. */
export async function plainRun({ file, args, cwd, env }: Program): Promise<number> {
  const child: ChildProcess = spawn(file, args, { cwd, env, stdio: "inherit" });
  // It is in our group: a terminal's keys reach it by themselves.
  const isTyped = (signal: NodeJS.Signals): boolean =>
    process.stdin.isTTY === true && (signal === "SIGINT" || signal === "SIGQUIT");
  const passOn = (signal: NodeJS.Signals): void => {
    if (!isTyped(signal)) child.kill(signal);
  };
  for (const signal of PASSED_ON) process.on(signal, passOn);
  try {
    const [code, signal] = (await once(child, "exit")) as [number | null, NodeJS.Signals | null];
    return signal === null ? (code ?? 0) : codeOfSignal(signal);
  } finally {
    for (const signal of PASSED_ON) process.off(signal, passOn);
  }
}
