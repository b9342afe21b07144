/**
 * Two machines without a server between them: each its own home, store and disk; `ssh` is a program on the sender's PATH that takes ssh's own
 * arguments and runs the command on the machine of that name, as ssh does: through a shell, in that machine's home, with its environment alone.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openStore } from "../../src/app/store/open-store.ts";
import type { SessionId } from "../../src/model/ids.ts";
import { sentAway } from "../../src/store/contract/session-facts.ts";
import { BIN, ended, type JsonObject, type Ran } from "../support/cli.ts";
import { ANN } from "../support/left-session.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const GIT = { ...ANN, GIT_CONFIG_NOSYSTEM: "1", GIT_CONFIG_GLOBAL: "/dev/null" };

/** What follows the host is one command line for its shell. KILL_THERE: that machine's process dies at this point. */
const SSH = `#!/bin/sh
while [ "$1" != "--" ]; do shift; done
host="$2"; shift 2
[ -f "$MACHINES/$host" ] || { echo "ssh: Could not resolve hostname $host" >&2; exit 255; }
home="$(cat "$MACHINES/$host")"
cd "$home" || exit 255
exec env -i PATH="$home/bin:/usr/bin:/bin:/usr/local/bin" HOME="$home" REFLOAT_HOME="$home/refloat" MACHINES="$MACHINES" \${KILL_THERE:+REFLOAT_CRASH_AT="$KILL_THERE"} sh -c "$*"
`;

export interface Machine {
  readonly name: string;
  readonly home: string;
  readonly store: string;
  start(args: readonly string[], options?: MachineOptions): ChildProcess;
  refloat(args: readonly string[], options?: MachineOptions): Promise<Ran>;
  json(args: readonly string[], options?: MachineOptions): Promise<{ code: number | null; json: JsonObject }>;
  git(cwd: string, ...args: readonly string[]): string;
}

export interface MachineOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface Network {
  machine(name: string): Machine;
  /** No ssh reaches it any more. */
  cut(name: string): void;
  heal(name: string): void;
}

export function network(): Network {
  const folder = temporaryFolder();
  const machines = join(folder, "machines");
  mkdirSync(machines);
  const homes = new Map<string, string>();
  const connect = (name: string): void => writeFileSync(join(machines, name), homes.get(name) ?? "");
  return {
    machine: (name) => {
      const home = join(folder, name);
      const bin = join(home, "bin");
      mkdirSync(bin, { recursive: true });
      homes.set(name, home);
      connect(name);
      program(join(bin, "ssh"), SSH);
      program(join(bin, "refloat"), `#!/bin/sh\nexec ${process.execPath} ${BIN} "$@"\n`);
      return machineAt(name, home, machines);
    },
    cut: (name) => writeFileSync(join(machines, name), join(folder, "nowhere")),
    heal: connect,
  };
}

function program(path: string, text: string): void {
  writeFileSync(path, text);
  chmodSync(path, 0o755);
}

function machineAt(name: string, home: string, machines: string): Machine {
  const env = {
    ...{ PATH: `${join(home, "bin")}:${process.env.PATH}`, HOME: home, REFLOAT_HOME: join(home, "refloat") },
    ...{ MACHINES: machines, ...GIT },
  };
  const start: Machine["start"] = (args, options = {}) =>
    spawn(process.execPath, [BIN, ...args], {
      cwd: options.cwd ?? home,
      env: { ...env, ...options.env },
      detached: true,
    });
  const refloat: Machine["refloat"] = (args, options) => {
    const child = start(args, options);
    child.stdin?.end();
    return ended(child);
  };
  return {
    name,
    home,
    store: join(home, "refloat/refloat.db"),
    start,
    refloat,
    json: async (args, options) => {
      const { code, stdout, stderr } = await refloat([...args, "--json"], options);
      if (stdout.trim() === "") throw new Error(`${args.join(" ")}: ${code}, and nothing said but ${stderr}`);
      return { code, json: JSON.parse(stdout) as JsonObject };
    },
    git: (cwd, ...args) =>
      execFileSync("git", args, { cwd, encoding: "utf8", env, stdio: ["ignore", "pipe", "pipe"] }).trimEnd(),
  };
}

export interface SessionThere {
  readonly isLive: boolean;
  readonly records: readonly { readonly id: string; readonly kind: string; readonly body: string }[];
}

/** Null: it is not there. */
export async function sessionAt({ store: path }: Machine, session: string): Promise<SessionThere | null> {
  const store = await openStore(path, { thread: false });
  try {
    const row = await store.raw.session(session as SessionId);
    if (!row) return null;
    const records = [];
    for await (const { id, kind, body } of store.raw.journal(session as SessionId))
      records.push({ id, kind, body: JSON.stringify(body) });
    return { isLive: sentAway(row) === null, records };
  } finally {
    await store.close();
  }
}

/** The agent of a small repository, killed in the middle: two commits that nobody pushed, edits, an untracked file. */
export const WORK = `git checkout -qb topic; for n in 1 2; do echo $n > c$n.txt; git add -A; git commit -qm "the agent's $n"; done
  echo two >> a.txt; echo new > new.txt; rm gone.txt; head -c 300000 /dev/zero | tr '\\0' x > large.txt; kill -9 $PPID; kill -9 $$`;
export const STATUS = [" D gone.txt", " M a.txt", "?? large.txt", "?? new.txt"];

export interface Left {
  readonly origin: string;
  readonly work: string;
  readonly session: string;
  readonly head: string;
}

export async function leftOn(machine: Machine, script = WORK): Promise<Left> {
  const origin = join(machine.home, "origin");
  mkdirSync(origin);
  machine.git(origin, "init", "-q", "-b", "main");
  for (const name of ["a.txt", "gone.txt"]) writeFileSync(join(origin, name), "one\n");
  machine.git(origin, "add", "-A");
  machine.git(origin, "commit", "-qm", "base");
  const work = join(machine.home, "work");
  machine.git(machine.home, "clone", "-q", origin, work);
  await machine.refloat(["run", "--", "sh", "-c", script], { cwd: work });
  const { sessions } = (await machine.json(["sessions"], { cwd: work })).json;
  return { origin, work, session: sessions[0].id, head: machine.git(work, "rev-parse", "HEAD") };
}

export const statusOf = (machine: Machine, tree: string): string[] =>
  machine.git(tree, "status", "--porcelain", "--untracked-files=all").split("\n").filter(Boolean).sort();
