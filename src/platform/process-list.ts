/**
 * Every process this one can see, with its place in the tree. Nothing here guesses: where there is no /proc, or
 * where it shows another pid namespace than ours, there is no list.
 */
import { closeSync, openSync, readdirSync, readFileSync, readlinkSync, readSync, statSync } from "node:fs";
import { readOrNull } from "./io-error.ts";

export interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  /** The pid of the process that began its session (setsid). */
  readonly session: number;
  /** The foreground group of its terminal; -1 without one. */
  readonly foreground: number;
  /** Clock ticks since boot: with the pid it names one process (K2). */
  readonly started: number;
  /** Over, but not collected by its parent yet. */
  readonly hasExited: boolean;
  readonly isStopped: boolean;
  /** The kernel's short name of it, at most 15 bytes; it may choose it itself. */
  readonly name: string;
}

/** What is shown of a command line: enough to know it by. */
const COMMAND_BYTES = 300;

/** What is read of a command line to tell whose it is. */
const WORDS_BYTES = 16 * 1024;

/** Null: this system does not tell. */
export function listProcesses(): ProcessRow[] | null {
  if (readOrNull(() => readlinkSync("/proc/self")) !== String(process.pid)) return null;
  const names = readOrNull(() => readdirSync("/proc"));
  if (names === null) return null;
  return names.filter((name) => /^\d+$/.test(name)).flatMap((name) => processRow(Number(name)) ?? []);
}

export function processRow(pid: number): ProcessRow | null {
  const line = readOrNull(() => readSmall(`/proc/${pid}/stat`));
  return line === null ? null : parseProcessRow(line);
}

/** Children of any of its threads that it has not lost to another process. Null: gone, or this kernel does not tell. */
export function childrenOf(pid: number): number[] | null {
  const threads = readOrNull(() => readdirSync(`/proc/${pid}/task`));
  if (threads === null) return null;
  const lists = threads.map((thread) => readOrNull(() => readSmall(`/proc/${pid}/task/${thread}/children`)));
  if (lists.every((list) => list === null)) return null;
  return lists.flatMap((list) => (list ?? "").split(" ").filter((word) => word !== "")).map(Number);
}

/** A file of the kernel's that is read at once, without the sizes and buffers an ordinary one takes: there are hundreds. */
const small = Buffer.alloc(16 * 1024);
function readSmall(path: string): string {
  const fd = openSync(path, "r");
  try {
    return small.toString("latin1", 0, readSync(fd, small, 0, small.length, 0));
  } finally {
    closeSync(fd);
  }
}

/** Fields are counted after the last parenthesis: the name inside may hold anything. */
export function parseProcessRow(line: string): ProcessRow | null {
  const open = line.indexOf("(");
  const close = line.lastIndexOf(")");
  if (open < 0 || close < open) return null;
  const [state = "", ...rest] = line.slice(close + 2).split(" ");
  const numbers = rest.map(Number);
  const [parent, group, session, , foreground] = numbers;
  const started = numbers[18];
  const pid = Number(line.slice(0, open));
  const all = [pid, parent, group, session, foreground, started];
  if (!all.every((number) => Number.isInteger(number))) return null;
  return {
    pid,
    parent: parent as number,
    group: group as number,
    session: session as number,
    foreground: foreground as number,
    started: started as number,
    hasExited: /^[ZXx]$/.test(state) && (numbers[16] ?? 1) <= 1,
    isStopped: /^[Tt]$/.test(state),
    name: line.slice(open + 1, close),
  };
}

export type EnvironmentValue =
  | { readonly kind: "is"; readonly value: string }
  | { readonly kind: "absent" }
  /** Another user's, or gone. */
  | { readonly kind: "unreadable" };

/** One variable of a process's environment as it was when its program began. */
export function environmentOf(pid: number, variable: string): EnvironmentValue {
  const bytes = readOrNull(() => readFileSync(`/proc/${pid}/environ`));
  if (bytes === null) return { kind: "unreadable" };
  const prefix = `${variable}=`;
  // Whole variables only: a value that holds such a text in its middle is another variable's.
  const found = bytes
    .toString("utf8")
    .split("\0")
    .find((one) => one.startsWith(prefix));
  return found === undefined ? { kind: "absent" } : { kind: "is", value: found.slice(prefix.length) };
}

/** Its command line with spaces between the words, or its short name in brackets where there is none. */
export function commandOf({ pid, name }: Pick<ProcessRow, "pid" | "name">): string {
  const line = readOrNull(() => readFileSync(`/proc/${pid}/cmdline`));
  const words = (line ?? Buffer.alloc(0)).subarray(0, COMMAND_BYTES).toString("utf8").split("\0");
  return words.join(" ").trim() || `[${name}]`;
}

/** Its command line word by word; null: gone, or not told. Longer ones are cut: the program stands at the beginning. */
export function wordsOf(pid: number): readonly string[] | null {
  const line = readOrNull(() => readFileSync(`/proc/${pid}/cmdline`));
  return line?.subarray(0, WORDS_BYTES).toString("utf8").split("\0").slice(0, -1) ?? null;
}

/** The directory it works in; null: gone, or another user's. */
export const folderOf = (pid: number): string | null => readOrNull(() => readlinkSync(`/proc/${pid}/cwd`));

/** The user it runs as; null: gone, or not told. */
export function userOf(pid: number): number | null {
  return readOrNull(() => statSync(`/proc/${pid}`).uid);
}

/** Whether it lives in our own pid namespace. False also where that cannot be read. */
export function isInOurNamespace(pid: number): boolean {
  const own = readOrNull(() => readlinkSync("/proc/self/ns/pid"));
  return own !== null && readOrNull(() => readlinkSync(`/proc/${pid}/ns/pid`)) === own;
}

// What this process and those above it were started with, whatever became of `process.env` since. Where the system does not
// tell, nobody is above us, and our own is what it was when this was loaded.

const ownAtLoading: Readonly<NodeJS.ProcessEnv> = { ...process.env };

function ownAtStart(variable: string): string {
  const told = environmentOf(process.pid, variable);
  if (told.kind === "unreadable") return ownAtLoading[variable] ?? "";
  return told.kind === "is" ? told.value : "";
}

/** Terminals, multiplexers, agents and their shells nest a dozen deep; longer is a mistake, or somebody's game. */
const MAX_LEVELS = 64;

/** Every value of a variable in the environments that this process, its parent, its parent and so on began with, the nearest first. */
export function inheritedValues(variable: string): string[] {
  const own = ownAtStart(variable);
  return [...new Set([...(own === "" ? [] : [own]), ...valuesFrom(process.ppid, variable)])];
}

/** The same of any process; of one that is gone, or another user's, nothing is told. */
export function valuesFrom(from: number, variable: string): string[] {
  const values: string[] = [];
  let pid = from;
  for (let level = 0; level < MAX_LEVELS && pid > 1; level++) {
    const found = environmentOf(pid, variable);
    if (found.kind === "is" && found.value !== "") values.push(found.value);
    pid = processRow(pid)?.parent ?? 0;
  }
  return [...new Set(values)];
}
