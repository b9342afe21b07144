/**
 * How a process ended that could not say so in the store: a file beside it that says "alive", and at the process's exit
 * how it went. A process that ends by itself, or by an error nobody caught, still gets to write it; one that is killed
 * by a signal does not, and that is how it is known (DESIGN 9: `crash`, never a guess). Written without syncs: a power cut
 * is told by the boot id. It is gone when the process has said its end elsewhere.
 */
import { readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { z } from "zod";
import { RefloatError } from "../model/errors.ts";
import { makePrivateDirectory, writeAtomic } from "./durable-file.ts";
import { errnoOf } from "./io-error.ts";

/** What is said of an error: its first line. */
const MAX_ERROR_CHARS = 300;

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
    unlessRefused(() => writeNote(path, { kind: "exited", code, error })); // nobody is left to be told
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

/** Null: there is none, or none that can be read. */
export function readExitNote(home: string, name: string): ExitNote | null {
  const path = pathOf(home, name);
  if (path === null) return null;
  try {
    return exitNote.parse(JSON.parse(readFileSync(path, "utf8")));
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

/** A file system that refuses costs the note, and nothing else. */
function unlessRefused(work: () => void): void {
  try {
    work();
  } catch (thrown) {
    if (errnoOf(thrown) === null && !(thrown instanceof RefloatError)) throw thrown;
  }
}

const writeNote = (path: string, note: ExitNote): void => writeAtomic(path, JSON.stringify(note));

function firstLine(thrown: unknown): string {
  const [line = ""] = String(thrown).split("\n", 1);
  return line.slice(0, MAX_ERROR_CHARS);
}
