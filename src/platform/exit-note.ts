/**
 * How a process ended that could not say so in the store: a file beside it that says "alive", and at the process's exit
 * how it went. A process that ends by itself, or by an error nobody caught, still gets to write it; one that is killed
 * by a signal does not, and that is how it is known (DESIGN 9: `crash`, never a guess). One that could not write it takes
 * the note away, so that "alive" is never said by a file system that refused. Written without syncs: a power cut
 * is told by the boot id. It is gone when the process has said its end elsewhere.
 */
import { accessSync, constants, readFileSync, rmSync, truncateSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { RefloatError } from "../model/errors.ts";
import { makePrivateDirectory, writeAtomic } from "./durable-file.ts";
import { errnoOf } from "./io-error.ts";

/** Of an error's first line: more than is said of it, so that whoever says it finds a secret whole (T4). */
const MAX_ERROR_CHARS = 8192;

const exitNote = z.discriminatedUnion("kind", [
  z.looseObject({ kind: z.literal("alive") }),
  z.looseObject({ kind: z.literal("exited"), code: z.number().nullable(), error: z.string().nullable() }),
]);
export type ExitNote =
  | { readonly kind: "alive" }
  | { readonly kind: "exited"; readonly code: number | null; readonly error: string | null };

/** Nothing but letters and digits is taken for a file's name: the name may come from a journal. */
const NAME = /^[0-9a-z]{1,64}$/;

const pathOf = (home: string, name: string): string | null =>
  NAME.test(name) ? join(home, "instances", `${name}.json`) : null;

/** Leaves the note. `take` away: the end is on record elsewhere. Throws where it cannot be written. */
export function leaveExitNote(home: string, name: string): { take(): void } {
  const path = pathOf(home, name);
  if (path === null) return { take: () => undefined };
  makePrivateDirectory(dirname(path));
  writeNote(path, { kind: "alive" });
  let error: string | null = null;
  const onError = (thrown: unknown): void => {
    error = firstLine(thrown);
  };
  const onExit = (code: number): void => {
    // Nobody is left to be told of a refusal; but a note that stays says "killed".
    const isSaid = unlessRefused(() => writeNote(path, { kind: "exited", code, error }));
    if (!isSaid && !unlessRefused(() => rmSync(path, { force: true })))
      unlessRefused(() => truncateSync(path));
  };
  process.on("uncaughtExceptionMonitor", onError);
  process.on("exit", onExit);
  return {
    take: () => {
      process.off("uncaughtExceptionMonitor", onError);
      process.off("exit", onExit);
      removeExitNote(home, name);
    },
  };
}

/** Null: there is none, or none that can be read, or it may be one that its process could not change any more. */
export function readExitNote(home: string, name: string): ExitNote | null {
  const path = pathOf(home, name);
  if (path === null) return null;
  try {
    const note = exitNote.parse(JSON.parse(readFileSync(path, "utf8")));
    if (note.kind === "alive") accessSync(dirname(path), constants.W_OK);
    return note;
  } catch (thrown) {
    if (errnoOf(thrown) !== null || thrown instanceof SyntaxError || thrown instanceof z.ZodError)
      return null;
    throw thrown;
  }
}

export function removeExitNote(home: string, name: string): void {
  const path = pathOf(home, name);
  if (path === null) return;
  unlessRefused(() => rmSync(path, { force: true })); // one that stays is read by nobody: that end is on record
}

/** A file system that refuses costs the note, and nothing else: false. */
function unlessRefused(work: () => void): boolean {
  try {
    work();
    return true;
  } catch (thrown) {
    if (errnoOf(thrown) === null && !(thrown instanceof RefloatError)) throw thrown;
    return false;
  }
}

const writeNote = (path: string, note: ExitNote): void => writeAtomic(path, JSON.stringify(note));

function firstLine(thrown: unknown): string {
  const [line = ""] = String(thrown).split("\n", 1);
  return line.slice(0, MAX_ERROR_CHARS);
}
