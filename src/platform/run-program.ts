/**
 * Runs a program to its end within bounds: so many bytes of output, so much time, no terminal. What it says
 * comes back whole or not at all: output over the bound kills it, and the outcome says which bound it was.
 * Only the process started here is ever signalled, by the handle it was started with; one with a session of its own
 * together with what it started there.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import type { Writable } from "node:stream";

export interface RunProgramOptions {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly input?: Uint8Array;
  /** The same piece by piece, no faster than it is read. What is thrown while it comes stops the program, and rejects. */
  readonly inputFrom?: AsyncIterable<string | Uint8Array>;
  readonly maxOutputBytes: number;
  readonly timeoutMs: number;
  /** Takes the output piece by piece instead of keeping it; the bound holds all the same. */
  readonly onOutput?: (piece: Buffer) => void;
  /** Told of what it prints and complains while it does; it is kept all the same. */
  readonly onHeard?: (piece: Buffer) => void;
  /** A session of its own (setsid): no terminal to ask at, and what it starts ends with it when a bound is passed. */
  readonly hasOwnSession?: boolean;
  /** It may start something that goes on and holds its pipes: its own end is the end, a moment later. */
  readonly mayLeaveOthers?: boolean;
  /** Aborted: it is stopped like one that passed a bound, and once it is dead the promise is rejected with the reason. */
  readonly stop?: AbortSignal;
}

export type ProgramOutcome =
  | { readonly kind: "ended"; readonly code: number; readonly stdout: Buffer; readonly stderr: string }
  | { readonly kind: "signalled"; readonly signal: string; readonly stderr: string }
  | { readonly kind: "too-long"; readonly limit: number }
  | { readonly kind: "too-slow"; readonly limitMs: number }
  | { readonly kind: "not-started"; readonly error: Error };

/** What is kept of the narration: its first lines name the cause. */
const MAX_STDERR_BYTES = 64 * 1024;
/** After a program's own end: what it said is in the pipes already, at most one buffer of each; this is long for reading that. */
const LAST_WORDS_MS = 1000;

export function runProgram(
  command: string,
  args: readonly string[],
  options: RunProgramOptions,
): Promise<ProgramOutcome> {
  return new Promise((resolve, reject) => {
    if (options.stop?.aborted) return reject(options.stop.reason);
    const child = spawn(command, args, {
      cwd: options.cwd,
      env: options.env,
      stdio: [options.input || options.inputFrom ? "pipe" : "ignore", "pipe", "pipe"],
      detached: options.hasOwnSession ?? false,
    });
    const pieces: Buffer[] = [];
    const complaints: Buffer[] = [];
    let bytes = 0;
    let complaintBytes = 0;
    const onAbort = (): void => {
      child.once("exit", () => reject(options.stop?.reason));
      stop(child, { hasOwnSession: options.hasOwnSession ?? false });
    };
    options.stop?.addEventListener("abort", onAbort);
    const settle = (outcome: ProgramOutcome): void => {
      clearTimeout(timer);
      options.stop?.removeEventListener("abort", onAbort);
      resolve(outcome);
    };
    // A grandchild may hold the pipes open: they are let go here, its end is not waited for.
    const letGo = (outcome: ProgramOutcome): void => {
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
      settle(outcome);
    };
    const giveUp = (outcome: ProgramOutcome): void => {
      stop(child, { hasOwnSession: options.hasOwnSession ?? false });
      letGo(outcome);
    };
    const { timeoutMs: limitMs, maxOutputBytes: limit } = options;
    const timer = setTimeout(() => giveUp({ kind: "too-slow", limitMs }), limitMs);
    child.stdout?.on("data", (piece: Buffer) => {
      bytes += piece.length;
      options.onHeard?.(piece);
      if (bytes > limit) giveUp({ kind: "too-long", limit });
      else if (options.onOutput) options.onOutput(piece);
      else pieces.push(piece);
    });
    child.stderr?.on("data", (piece: Buffer) => {
      complaintBytes += piece.length;
      options.onHeard?.(piece);
      if (complaintBytes <= MAX_STDERR_BYTES) complaints.push(piece);
    });
    // A program that ends without reading all of its input is judged by its exit code.
    child.stdin?.on("error", () => undefined);
    child.once("error", (error) => settle({ kind: "not-started", error }));
    const endOf = (code: number | null, signal: string | null): ProgramOutcome => {
      const stderr = Buffer.concat(complaints).toString("utf8");
      if (code === null) return { kind: "signalled", signal: signal ?? "unknown", stderr };
      return { kind: "ended", code, stdout: Buffer.concat(pieces), stderr };
    };
    child.once("close", (code, signal) => settle(endOf(code, signal)));
    child.once("exit", (code, signal) => {
      if (!options.mayLeaveOthers) return;
      // After a look at the pipes, however late the timer comes.
      const lastWords = setTimeout(() => setImmediate(() => letGo(endOf(code, signal))), LAST_WORDS_MS);
      child.once("close", () => clearTimeout(lastWords));
    });
    if (!options.inputFrom) child.stdin?.end(options.input);
    else if (child.stdin)
      feed(child.stdin, options.inputFrom).catch((thrown: unknown) => {
        child.once("exit", () => reject(thrown));
        stop(child, { hasOwnSession: options.hasOwnSession ?? false });
      });
  });
}

/** A program that ends before it read everything is judged by its exit code. */
async function feed(stdin: Writable, pieces: AsyncIterable<string | Uint8Array>): Promise<void> {
  for await (const piece of pieces) {
    if (stdin.destroyed) return;
    if (!stdin.write(piece))
      await Promise.race([once(stdin, "drain"), once(stdin, "close")]).catch(() => undefined);
  }
  stdin.end();
}

/** The group is its own, and is there as long as it is: nobody else can have its number. */
function stop(child: ChildProcess, { hasOwnSession }: { readonly hasOwnSession: boolean }): void {
  const isOver = child.exitCode !== null || child.signalCode !== null;
  if (hasOwnSession && !isOver && child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
  else child.kill("SIGKILL");
}
