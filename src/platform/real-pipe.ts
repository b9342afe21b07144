/**
 * A real pipe for a child's output. What Node itself connects a child by is a pair of sockets: a program cannot open
 * those as /dev/stdout, and gets another error than without us when its reader is gone. Node has no call for a pipe,
 * so one is made with a name, opened at both ends, and its name removed at once.
 */
import { spawnSync } from "node:child_process";
import { closeSync, constants, openSync, rmSync } from "node:fs";
import { Socket } from "node:net";
import { join } from "node:path";
import { randomId } from "./random.ts";

export interface RealPipe {
  readonly reading: Socket;
  /** For the child. Ours must be closed once it has its own, or the end is never seen. */
  readonly writing: number;
  closeWriting(): void;
}

/** Long enough for a slow machine to start a tiny program. */
const MAKE_MS = 5000;

/** So many at once, by one start of a program. Null: none can be made here (no mkfifo, or a file system without them); the caller has another way. */
export function makePipes(folder: string, count: number): readonly RealPipe[] | null {
  const paths = Array.from({ length: count }, () => join(folder, `.pipe-${randomId()}`));
  const made = spawnSync("mkfifo", ["-m", "600", ...paths], { timeout: MAKE_MS, stdio: "ignore" });
  try {
    return made.status === 0 ? paths.map(opened) : null;
  } finally {
    for (const path of paths) rmSync(path, { force: true });
  }
}

function opened(path: string): RealPipe {
  // Without waiting for a writer; the writer's end is opened apart, so that the child's is an ordinary, waiting one.
  const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const writing = openSync(path, constants.O_WRONLY);
  const reading = new Socket({ fd: reader, readable: true, writable: false });
  return { reading, writing, closeWriting: () => closeSync(writing) };
}
