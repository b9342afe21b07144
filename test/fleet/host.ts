/**
 * A machine of its own, played by namespaces: its own processes, mounts, name and machine id (K2), a home of its own, and the store that
 * all machines share. Killing it kills everything that runs on it.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BIN, ended, type JsonObject, type Ran } from "../support/cli.ts";
import { ANN } from "../support/left-session.ts";
import { unshareArguments } from "../support/needs.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const GIT = { ...ANN, GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null" };

export interface HostOptions {
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
}

export interface Host {
  readonly name: string;
  /** Its disk. */
  readonly disk: string;
  start(args: readonly string[], options: HostOptions): ChildProcess;
  refloat(args: readonly string[], options: HostOptions): Promise<Ran>;
  json(args: readonly string[], options: HostOptions): Promise<{ code: number | null; json: JsonObject }>;
  git(cwd: string, ...args: readonly string[]): string;
}

const disks: string[] = [];

/** `store`: shared by all; null: it has one of its own. */
export function startHost(name: string, store: string | null): Host {
  const disk = temporaryFolder();
  const home = join(disk, "home");
  mkdirSync(home);
  const machineId = join(disk, "machine-id");
  writeFileSync(machineId, `${randomBytes(16).toString("hex")}\n`);
  disks.push(disk);
  const env = {
    ...{ PATH: process.env.PATH, HOME: home, REFLOAT_HOME: join(home, "refloat") },
    ...(store === null ? {} : { REFLOAT_STORE: store }),
    ...GIT,
  };
  const start: Host["start"] = (args, options) => {
    // Nobody sees another's disk.
    const others = disks
      .filter((other) => other !== disk)
      .map((other) => `{ [ ! -d ${other} ] || mount -t tmpfs none ${other}; }`);
    const own = [`mount --bind ${machineId} /etc/machine-id`, `hostname ${name}`];
    const boot = [...own, ...others, '{ "$@"; exit $?; }'].join(" && ");
    const words = [process.execPath, BIN, ...args];
    const spaces = unshareArguments("--mount", "--pid", "--fork", "--kill-child", "--mount-proc");
    return spawn("unshare", [...spaces, "--uts", "--", "sh", "-c", boot, "sh", ...words], {
      cwd: options.cwd,
      env: { ...env, ...options.env },
    });
  };
  const refloat: Host["refloat"] = (args, options) => {
    const child = start(args, options);
    child.stdin?.end(options.stdin ?? "");
    return ended(child);
  };
  return {
    name,
    disk,
    start,
    refloat,
    json: async (args, options) => {
      const { code, stdout, stderr } = await refloat([...args, "--json"], options);
      if (stdout.trim() === "") throw new Error(`${args.join(" ")}: ${code}, and nothing said but ${stderr}`);
      return { code, json: JSON.parse(stdout) as JsonObject };
    },
    git: (cwd, ...args) =>
      execFileSync("git", args, {
        cwd,
        encoding: "utf8",
        env: { PATH: process.env.PATH, HOME: home, ...GIT },
        stdio: ["ignore", "pipe", "pipe"],
      }).trimEnd(),
  };
}
