/**
 * The agent on pipes: its output passes through us byte for byte, at the pace of whoever reads ours; its input is
 * ours itself, so that what it does not read is there for whoever comes after, unless somebody hears it: then it passes through us, too. It begins a session of its own
 * (setsid): a Ctrl-C at our terminal reaches us, and only us, and goes on down the ladder.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Readable, Writable } from "node:stream";
import { ensureError } from "../model/errors.ts";
import { errnoOf } from "../platform/io-error.ts";
import { makePipes, type RealPipe } from "../platform/real-pipe.ts";
import type { Exit, NotStarted, OnPiece, Program, RunningAgent, Streams } from "./running-agent.ts";

export async function startPiped(
  program: Program,
  streams: Streams,
  { onPiece, folder, onInput, isAlone }: PipedEars,
): Promise<RunningAgent | NotStarted> {
  const [stdout = null, stderr = null] = makePipes(folder, 2) ?? [];
  const pipes = { stdout, stderr };
  const child = trySpawn(program, pipes, onInput ? "pipe" : isAlone ? "ignore" : "inherit");
  for (const pipe of [pipes.stdout, pipes.stderr]) pipe?.closeWriting();
  const error = child instanceof Error ? child : await startError(child);
  if (error) {
    for (const pipe of [pipes.stdout, pipes.stderr]) pipe?.reading.destroy();
    return notStarted(error);
  }
  if (onInput) passInput(streams.stdin, (child as ChildProcess).stdin, onInput);
  return running(child as ChildProcess, pipes, streams, onPiece);
}

interface PipedEars {
  readonly onPiece: OnPiece;
  readonly folder: string;
  /** Every piece of its input, before it gets it; left out: it reads ours itself. */
  readonly onInput?: ((piece: Buffer) => void) | undefined;
  /** Its input is at its end from the beginning. */
  readonly isAlone?: boolean;
}

/** At the agent's pace; the end of ours is the end of its. What it does not read any more is nobody's. */
function passInput(from: Readable, to: Writable | null, onInput: (piece: Buffer) => void): void {
  if (!to) return;
  to.on("error", () => from.destroy());
  from.on("data", (piece: Buffer) => {
    onInput(piece);
    if (to.write(piece)) return;
    from.pause();
    to.once("drain", () => from.resume());
  });
  from.once("end", () => to.end());
  from.once("error", () => to.end());
  to.once("close", () => from.destroy());
}

interface Pipes {
  readonly stdout: RealPipe | null;
  readonly stderr: RealPipe | null;
}

function trySpawn(
  { file, args, cwd, env }: Program,
  { stdout, stderr }: Pipes,
  stdin: "inherit" | "pipe" | "ignore",
): ChildProcess | Error {
  try {
    const stdio = [stdin, stdout?.writing ?? "pipe", stderr?.writing ?? "pipe"] as const;
    return spawn(file, args, { cwd, env, stdio: [...stdio], detached: true });
  } catch (thrown) {
    // E2BIG, EACCES and the like come at once.
    if (thrown instanceof Error) return thrown;
    throw thrown;
  }
}

/** Null: it runs. */
async function startError(child: ChildProcess): Promise<Error | null> {
  try {
    await once(child, "spawn");
    return null;
  } catch (thrown) {
    return ensureError(thrown);
  }
}

function running(child: ChildProcess, pipes: Pipes, streams: Streams, onPiece: OnPiece): RunningAgent {
  const stdout = (pipes.stdout?.reading ?? child.stdout) as Readable;
  const stderr = (pipes.stderr?.reading ?? child.stderr) as Readable;
  const pumped = [
    pump(stdout, streams.stdout, (piece) => onPiece(piece, "stdout")),
    pump(stderr, streams.stderr, (piece) => onPiece(piece, "stderr")),
  ];
  return {
    pid: child.pid as number,
    terminal: null,
    exited: once(child, "exit").then(([code, signal]) => ({ code, signal }) as Exit),
    drained: Promise.all(pumped).then(() => undefined),
    letGo: () => {
      stdout.destroy();
      stderr.destroy();
    },
    typed: new Set(),
    lastTyped: () => null,
    say: () => false,
  };
}

/**
 * Resolves when there is no more. A reader of ours that has gone away, or a disk behind it that is full, takes the
 * agent's with it: its next write fails, as it would without us.
 */
function pump(from: Readable, to: Writable, onPiece: (piece: Buffer) => void): Promise<void> {
  let isGone = false;
  const onError = (): void => {
    isGone = true;
    from.destroy();
  };
  to.on("error", onError);
  from.on("data", (piece: Buffer) => {
    onPiece(piece);
    if (isGone || to.write(piece)) return;
    from.pause();
    to.once("drain", () => from.resume());
  });
  return new Promise((resolve) => {
    from.once("close", resolve);
  });
}

/** By the kernel's word for it: not there, or there and not a program. */
function notStarted(error: Error): NotStarted {
  const code = errnoOf(error);
  if (code === "ENOENT") return { kind: "not-found", why: error.message };
  const isRefused = code === "EACCES" || code === "EPERM" || code === "ENOEXEC" || code === "E2BIG";
  return { kind: isRefused ? "not-executable" : "failed", why: error.message };
}
