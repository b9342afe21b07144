/** A PATH with every program that is here but some: as where they were never installed. */
import { existsSync, readdirSync, symlinkSync } from "node:fs";
import { dirname, join } from "node:path";
import { temporaryFolder } from "./temporary-folder.ts";

export function pathWithout(...missing: readonly string[]): string {
  const folder = temporaryFolder();
  const folders = [dirname(process.execPath), ...(process.env.PATH ?? "/usr/bin:/bin").split(":")];
  const found = new Map<string, string>();
  for (const from of folders)
    for (const name of existsSync(from) ? readdirSync(from) : [])
      if (!missing.includes(name) && !found.has(name)) found.set(name, join(from, name));
  for (const [name, target] of found) symlinkSync(target, join(folder, name));
  return folder;
}
