/**
 * The agent on a terminal of its own, when all three of our streams are one: it has colours, its size, and keys as
 * they are typed. Ours is put into raw mode meanwhile, so that Ctrl-C is the agent's and not ours. What the agent
 * switched on at ours and did not switch off, because it was killed, is switched off at its end.
 */
import { spawnSync } from "node:child_process";
import { constants } from "node:os";
import type { IPty } from "@lydell/node-pty";
import { ensureError } from "../model/errors.ts";
import { suspendSelf } from "../platform/own-process.ts";
import { processRow } from "../platform/process-list.ts";
import { signalTo } from "../platform/stop-process.ts";
import type { TerminalSize } from "../text/screen-words.ts";
import { TerminalModes } from "../text/terminal-modes.ts";
import type { AgentTerminal, Exit, OnPiece, Program, RunningAgent, Streams } from "./running-agent.ts";

type SpawnPty = typeof import("@lydell/node-pty").spawn;

/** Keys that stand for a signal while the terminal is not in raw mode. */
const KEYS: ReadonlyMap<number, NodeJS.Signals> = new Map([
  [0x03, "SIGINT"],
  [0x1c, "SIGQUIT"],
]);
const SUSPEND_KEY = 0x1a;

/** How soon an agent that stopped itself takes us with it: its shell's user waits for the prompt. */
const LOOK_FOR_STOP_MS = 300;

/** The package is optional: without it, or without its binary for this machine, there is no pty. */
export async function loadPty(): Promise<{ spawn: SpawnPty } | { missing: string }> {
  try {
    const { spawn } = await import("@lydell/node-pty");
    return { spawn };
  } catch (thrown) {
    return { missing: ensureError(thrown).message.split("\n")[0] ?? "" };
  }
}

export function startPty(
  spawn: SpawnPty,
  { file, args, cwd, env }: Program,
  { stdin, stdout }: Streams,
  onPiece: OnPiece,
): RunningAgent {
  const { columns: cols, rows } = stdout;
  const pty = spawn(file, [...args], {
    name: env.TERM ?? "xterm-256color",
    cols,
    rows,
    cwd,
    env,
    encoding: null,
  });
  const typed = new Set<NodeJS.Signals>();
  let lastTyped: NodeJS.Signals | null = null;
  const ending = new AbortController();
  const modes = new TerminalModes();
  const drained = passOutput(pty, stdout, (piece) => {
    modes.take(piece);
    onPiece(piece, "terminal");
  });
  const terminal = passSize(pty, stdout, ending.signal);
  const jobs = jobControl(pty, stdin, ending.signal);
  stdin.setRawMode(true);
  const onTyped = (piece: Buffer): void => {
    for (const byte of piece) {
      const signal = KEYS.get(byte);
      if (signal) typed.add(signal);
    }
    // Whoever types on after a Ctrl-C has an agent that went on, too.
    const last = KEYS.get(piece.at(-1) ?? 0) ?? null;
    lastTyped = last !== null && jobs.isTold() ? last : null;
    if (piece.includes(SUSPEND_KEY) && jobs.isOurs()) void jobs.suspend();
    else pty.write(piece as unknown as string); // it passes on what it is given, whatever its types say
  };
  stdin.on("data", onTyped);
  const exited = new Promise<Exit>((resolve) => {
    pty.onExit(({ exitCode, signal }) => {
      ending.abort();
      stdin.off("data", onTyped);
      stdin.setRawMode(false);
      stdin.pause();
      // Before a line of ours: on the other screen nobody would ever see it.
      const right = modes.reset();
      if (right !== "") stdout.write(right);
      resolve(signal ? { code: null, signal: signalName(signal) } : { code: exitCode, signal: null });
    });
  });
  return {
    pid: pty.pid,
    terminal,
    exited,
    drained,
    // The package lets go of the terminal by itself a moment after the agent's end.
    letGo: () => undefined,
    typed,
    lastTyped: () => lastTyped,
    say: (text) => {
      pty.write(text);
      return true;
    },
  };
}

function passOutput(pty: IPty, stdout: NodeJS.WriteStream, onPiece: (piece: Buffer) => void): Promise<void> {
  pty.onData((data) => {
    // Without an encoding the package hands out bytes, whatever its types say.
    const piece = Buffer.from(data as unknown as Uint8Array);
    onPiece(piece);
    if (stdout.write(piece)) return;
    pty.pause();
    stdout.once("drain", () => pty.resume());
  });
  return new Promise((resolve) => {
    pty.onExit(() => resolve());
  });
}

function passSize(pty: IPty, stdout: NodeJS.WriteStream, ended: AbortSignal): AgentTerminal {
  let size: TerminalSize = { cols: pty.cols, rows: pty.rows };
  let tell: (size: TerminalSize) => void = () => undefined;
  const onResize = (): void => {
    if (stdout.columns <= 0 || stdout.rows <= 0) return;
    size = { cols: stdout.columns, rows: stdout.rows };
    pty.resize(size.cols, size.rows);
    tell(size);
  };
  stdout.on("resize", onResize);
  ended.addEventListener("abort", () => stdout.off("resize", onResize));
  return {
    size: () => size,
    onResize: (listener) => {
      tell = listener;
    },
  };
}

/**
 * Ctrl-Z. The agent leads a session of its own, whose group no shell watches over: the kernel ignores its SIGTSTP.
 * So when the key means a signal there and the agent itself is in front, we stop it and ourselves. An agent
 * that takes the key as a key may stop itself: then we follow.
 */
function jobControl(
  pty: IPty,
  stdin: NodeJS.ReadStream,
  ended: AbortSignal,
): { isOurs(): boolean; isTold(): boolean; suspend(): Promise<void> } {
  let isSuspending = false;
  const suspend = async (): Promise<void> => {
    if (isSuspending || ended.aborted) return;
    isSuspending = true;
    signalTo(-pty.pid, "SIGSTOP");
    stdin.setRawMode(false);
    await suspendSelf("SIGTSTP");
    if (!ended.aborted) stdin.setRawMode(true);
    signalTo(-pty.pid, "SIGCONT");
    // Somebody else has drawn on the screen meanwhile.
    signalTo(-pty.pid, "SIGWINCH");
    isSuspending = false;
  };
  const timer = setInterval(() => {
    if (processRow(pty.pid)?.isStopped) void suspend();
  }, LOOK_FOR_STOP_MS);
  ended.addEventListener("abort", () => clearInterval(timer));
  return {
    suspend,
    isOurs: () => processRow(pty.pid)?.foreground === pty.pid && keysAreSignals(pty) === true,
    // Where nobody can tell, it was told: a cut is never taken for an end (L7).
    isTold: () => (processRow(pty.pid)?.foreground ?? pty.pid) === pty.pid && keysAreSignals(pty) !== false,
  };
}

/** Asked of the terminal itself, once per such key: Node has no way to. Null: it does not say. */
function keysAreSignals(pty: IPty): boolean | null {
  const { ptsName } = pty as IPty & { readonly ptsName: string };
  const asked = spawnSync("stty", ["-F", ptsName, "-a"], { encoding: "utf8", timeout: 1000 });
  return asked.status === 0 ? /(^|\s)isig(\s|;|$)/m.test(asked.stdout) : null;
}

function signalName(number: number): NodeJS.Signals {
  const found = Object.entries(constants.signals).find(([, value]) => value === number);
  return (found?.[0] ?? "SIGKILL") as NodeJS.Signals;
}
