/** Which build of the program this is: another after every change of its code, whether or not anybody raised a number. */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, statSync } from "node:fs";
import { builtFile } from "./own-files.ts";
import { randomId } from "./random.ts";

/** The program's pieces, named by their contents, and the modules it is made of. */
const FOLDERS = ["program/", "triage/", "text/"];

/** Sources that nobody built are no build: one of its own for every process. */
export function programBuild(): string {
  const folders = FOLDERS.map(builtFile).filter((folder) => existsSync(folder));
  if (folders.length === 0) return randomId();
  const hash = createHash("sha256").update(process.version);
  for (const folder of folders)
    for (const name of readdirSync(folder).sort()) {
      const { size, mtimeMs } = statSync(new URL(name, folder));
      hash.update(`\n${name} ${size} ${mtimeMs}`);
    }
  return hash.digest("hex").slice(0, 16);
}
