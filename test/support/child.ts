/** A process of its own that runs a few lines against the built files, says things line by line, and can be killed. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";

const DIST = new URL("../../dist/", import.meta.url).href;

export interface Child {
  readonly pid: number;
  /** The next line it says, parsed as JSON; throws with its stderr when it ends without one. */
  said(): Promise<unknown>;
  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void>;
  /** Its exit code or the signal that ended it. */
  ended(): Promise<number | string>;
  write(line: string): void;
}

/** `text` is a module whose "./" imports are those of dist/. It is killed when the test is over. */
export function startChild(text: string, env: NodeJS.ProcessEnv = {}, flags: readonly string[] = []): Child {
  const module = text.replace(/(from|import|import\()\s*"\.\//g, (found) => found.replace('"./', `"${DIST}`));
  const child = spawn(process.execPath, [...flags, "--input-type=module", "-e", module], {
    stdio: ["pipe", "pipe", "pipe"],
    env: { ...process.env, ...env },
  });
  const ended = once(child, "close").then(([code, signal]) => (signal ?? code) as number | string);
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let stderr = "";
  child.stderr.on("data", (bytes) => {
    stderr += String(bytes);
  });
  const kill = async (): Promise<void> => {
    child.kill("SIGKILL");
    await ended;
  };
  onTestFinished(kill);
  return {
    pid: child.pid ?? 0,
    said: async () => {
      const line = await lines.next();
      if (!line.done) return JSON.parse(line.value);
      throw new Error(`the child ended (${await ended}) without a word: ${stderr}`);
    },
    kill,
    ended: async () => {
      const how = await ended;
      if (how !== 0 && stderr !== "") console.error(stderr);
      return how;
    },
    write: (line) => child.stdin.write(`${line}\n`),
  };
}
