/**
 * This process itself: the arguments it was started with, how it ends or stops by a signal, how far its heap may
 * grow.
 */
import { readFileSync } from "node:fs";
import { nulFields } from "../model/path-name.ts";
import { ifThere } from "./io-error.ts";

const FILE = "/proc/self/cmdline";

/**
 * The arguments as bytes: every one, the program's own name and Node's flags too; none where the platform does not tell. Node hands
 * them over as text: bytes that are no UTF-8 become U+FFFD, and a name that holds some cannot be told from another.
 */
export const rawArguments = (): Buffer[] => [
  ...nulFields(ifThere(FILE, () => readFileSync(FILE)) ?? Buffer.alloc(0)),
];

/**
 * Ends this process the way a signal it had caught would have: a shell then sees a death by that signal and
 * stops its script, instead of an ordinary exit it would go on after.
 */
export function endBySignal(signal: NodeJS.Signals): void {
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}

/**
 * Stops this process until somebody continues it, as Ctrl-Z does to a program: its whole job stops, and the shell has
 * the terminal back. Where no shell watches over the job the kernel does not stop it, and it goes on at once.
 */
const SETTLED_MS = 50;

export async function suspendSelf(signal: "SIGTSTP" | "SIGSTOP"): Promise<void> {
  // 0: our own group. SIGSTOP cannot be kept for a terminal's job alone and goes to this process only.
  process.kill(signal === "SIGTSTP" ? 0 : process.pid, signal);
  // The signal may reach another thread first; by the time the timer runs we have been stopped and continued.
  await new Promise((resolve) => setTimeout(resolve, SETTLED_MS));
}

// How far the heap may grow beyond what is live before it is collected again. Left alone, V8 lets garbage reach several
// times the live heap on a machine with much memory; where ten thousand files are parsed, that is half a gigabyte of
// syntax trees nobody needs any more.

/** A manifest of ten thousand files took twice the memory when left alone, and a fifth less time. */
const GROWTH_PERCENT = 10;

let isSmall = false;

/** For the rest of this process, which is about to do one large piece of work and end. */
export function keepHeapSmall(): void {
  if (isSmall) return;
  isSmall = true;
  // Loaded here: every short command would pay for it.
  const { setFlagsFromString } = process.getBuiltinModule("node:v8");
  setFlagsFromString(`--heap-growing-percent=${GROWTH_PERCENT}`);
  // The part for young objects stays as large as it is: V8 would make it three times 16 MB.
  setFlagsFromString("--semi-space-growth-factor=1");
}
