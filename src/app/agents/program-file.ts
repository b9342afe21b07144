/**
 * Where the recorder finds the program for what a shell cannot do: `bin/refloat-program` of the home, the interpreter and the program's file
 * on a line each. Without it `refloat` is looked for as a shell does.
 */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { makePrivateDirectory, writeDurable } from "../../platform/durable-file.ts";
import { builtFile } from "../../platform/own-files.ts";

export const programFileOf = (home: string): string => join(home, "bin", "refloat-program");

const ownLines = (): string => `${process.execPath}\n${fileURLToPath(builtFile("cli/bin.js"))}\n`;

/** None yet, or one that leads to another program than this. */
export function isProgramFileNew(home: string): boolean {
  const path = programFileOf(home);
  return !existsSync(path) || readFileSync(path, "utf8") !== ownLines();
}

/** Never by a program that was only fetched for this one start: its file would lead nowhere. */
export function writeProgramFile(home: string): void {
  const path = programFileOf(home);
  makePrivateDirectory(dirname(path));
  writeDurable(path, ownLines());
}
