/** The program as a user whom file modes bind: whoever runs the tests, and nobody where that is root, who is not bound. */
import { execFileSync, spawnSync } from "node:child_process";
import { BIN } from "./cli.ts";
import { NOBODY, need } from "./needs.ts";

const isRoot = (): boolean => process.getuid?.() === 0;

/** For the options of a child process. */
export function asBoundUser(): { readonly uid?: number; readonly gid?: number } {
  need("bound by modes");
  return isRoot() ? NOBODY : {};
}

/** Gives the folders to that user. */
export function giveToBoundUser(...folders: readonly string[]): void {
  need("bound by modes");
  if (isRoot()) execFileSync("chown", ["-R", `${NOBODY.uid}:${NOBODY.gid}`, ...folders]);
}

export interface BoundRun {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

export function refloatAsBoundUser(
  args: readonly string[],
  { cwd, env }: BoundRun,
): { status: number | null; stdout: string } {
  const { status, stdout } = spawnSync(process.execPath, [BIN, ...args], {
    cwd,
    env: { PATH: process.env.PATH, ...env },
    ...asBoundUser(),
    encoding: "utf8",
  });
  return { status, stdout };
}
