/**
 * One real PostgreSQL server on a loopback port of its own, with fsync on. It can be killed as by a power
 * cut of its machine's processes (SIGKILL to the postmaster and all its children) and started again.
 *
 * It never outlives the process that started it: a small shell stands between, whose input is a pipe from
 * us. When we die, however we die, the pipe ends, and the shell stops the server and removes its folder.
 */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  appendFileSync,
  chmodSync,
  chownSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { listProcesses } from "../../src/platform/process-list.ts";
import type { PostgresPrograms } from "./postgres-programs.ts";

export interface PostgresServer {
  readonly url: string;
  /** SIGKILL to every process of the server. Resolves when all are gone; the folder stays. */
  kill(): Promise<void>;
  /** Starts it again on the same port and folder; resolves when it takes connections. */
  start(): Promise<void>;
  /** Ends it and removes its folder. */
  stop(): Promise<void>;
}

export interface ServerOptions {
  /** Server settings beyond the small ones every test server has. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Files in its folder, by name, before it starts: a key and its certificate. */
  readonly files?: Readonly<Record<string, string>>;
}

const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: "127.0.0.1",
  unix_socket_directories: "",
  fsync: "on",
  max_connections: "60",
  shared_buffers: "16MB",
  max_wal_size: "128MB",
  log_min_messages: "panic",
};

/** The shell between: the server's pid on the first line, its exit status at the end. */
const GUARD = `
base=$1; shift
exec 3<&0
"$@" 3<&- & pid=$!
echo $pid
( read _; trap "" TERM; kill -QUIT $pid; while kill -0 $pid 2>/dev/null; do sleep 0.1; done; rm -rf "$base" ) <&3 &
guard=$!
{ wait $pid; } 2>/dev/null; status=$?
kill $guard
exit $status`;

const USER = "refloat";
const PASSWORD = "p/a:s@s-word";
/** Recovery after a SIGKILL on a slow, busy disk. */
const START_LIMIT_MS = 60_000;

export async function startPostgres(
  programs: PostgresPrograms,
  options: ServerOptions = {},
): Promise<PostgresServer> {
  const base = mkdtempSync(join(programs.temp, "refloat-pg-"));
  try {
    return await startIn(base, programs, options);
  } catch (thrown) {
    rmSync(base, { recursive: true, force: true });
    throw thrown;
  }
}

async function startIn(
  base: string,
  programs: PostgresPrograms,
  options: ServerOptions,
): Promise<PostgresServer> {
  const data = await makeCluster(base, programs, options);
  return runCluster(base, data, programs);
}

/** The folder of a server that was never started, with its settings; it has a port of its own. */
export async function makeCluster(
  base: string,
  programs: PostgresPrograms,
  options: ServerOptions,
): Promise<string> {
  if (programs.as) chownSync(base, programs.as.uid, programs.as.gid);
  const data = join(base, "data");
  initialise(programs, base, data);
  await setIn(data, options.settings ?? {});
  for (const [name, text] of Object.entries(options.files ?? {})) {
    writeFileSync(join(data, name), text, { mode: 0o600 });
    if (programs.as) chownSync(join(data, name), programs.as.uid, programs.as.gid);
  }
  return data;
}

/** In the file, not on the command line: a test may change them with ALTER SYSTEM. What is set last holds. */
export async function setIn(data: string, settings: Readonly<Record<string, string>>): Promise<void> {
  const all = Object.entries({ ...SETTINGS, ...settings, port: String(await freePort()) });
  appendFileSync(
    join(data, "postgresql.conf"),
    all.map(([name, value]) => `${name} = '${value}'\n`).join(""),
  );
}

export function urlOf(data: string): string {
  const port = [...readFileSync(join(data, "postgresql.conf"), "utf8").matchAll(/^port = '(\d+)'$/gm)].at(-1);
  return `postgres://${USER}:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port?.[1]}/postgres`;
}

export async function runCluster(
  base: string,
  data: string,
  programs: PostgresPrograms,
): Promise<PostgresServer> {
  const command = [join(programs.bin, "postgres"), "-D", data];
  let running: Running | null = await launch(programs, base, data, command);
  return {
    url: urlOf(data),
    kill: async () => {
      if (running) await killAll(running);
      running = null;
    },
    start: async () => {
      running ??= await launch(programs, base, data, command);
    },
    stop: async () => {
      if (running) await stopFast(running);
      running = null;
      rmSync(base, { recursive: true, force: true });
    },
  };
}

interface Running {
  readonly shell: ChildProcess;
  readonly pid: number;
  readonly ended: Promise<unknown>;
}

function initialise(programs: PostgresPrograms, base: string, data: string): void {
  const passwordFile = join(base, "password");
  writeFileSync(passwordFile, `${PASSWORD}\n`, { mode: 0o600 });
  if (programs.as) chownSync(passwordFile, programs.as.uid, programs.as.gid);
  // A collation that is not byte order, as on most servers: what relies on byte order must ask for it.
  const flags = ["--encoding=UTF8", "--locale-provider=icu", "--icu-locale=en-US", "--locale=C"];
  execFileSync(
    join(programs.bin, "initdb"),
    [
      `--pgdata=${data}`,
      `--username=${USER}`,
      `--pwfile=${passwordFile}`,
      "--auth=scram-sha-256",
      "--no-sync",
      ...flags,
    ],
    { cwd: base, stdio: ["ignore", "ignore", "inherit"], ...programs.as },
  );
  chmodSync(data, 0o700);
}

async function launch(
  programs: PostgresPrograms,
  base: string,
  data: string,
  command: readonly string[],
): Promise<Running> {
  // Left over from a kill; its pid may by now be somebody else's.
  rmSync(join(data, "postmaster.pid"), { force: true });
  const shell = spawn("/bin/sh", ["-c", GUARD, "guard", base, ...command], {
    cwd: base,
    stdio: ["pipe", "pipe", "inherit"],
    // A signal to our whole group (Ctrl-C, a time limit) must not end the shell before it has cleaned up.
    detached: true,
    ...programs.as,
  });
  const ended = once(shell, "exit");
  const [line] = await once(createInterface({ input: shell.stdout }), "line");
  const running = { shell, pid: Number(line), ended };
  for (let waited = 0; !isReady(data); waited += 20) {
    if (shell.exitCode !== null)
      throw new Error(`PostgreSQL ended with status ${shell.exitCode} at its start.`);
    if (waited > START_LIMIT_MS) throw new Error("PostgreSQL did not become ready.");
    await sleep(20);
  }
  return running;
}

/** The eighth line of the lock file says what the server is at. */
function isReady(data: string): boolean {
  try {
    const state = readFileSync(join(data, "postmaster.pid"), "utf8").split("\n")[7]?.trim();
    // The second is a standby's, which takes readers.
    return state === "ready" || state === "standby";
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "ENOENT") return false;
    throw thrown;
  }
}

async function killAll(running: Running): Promise<void> {
  // Stopped first, so that it neither starts nor reaps children while they are listed and killed.
  process.kill(running.pid, "SIGSTOP");
  const children = childrenOf(running.pid);
  for (const pid of [...children, running.pid]) process.kill(pid, "SIGKILL");
  await running.ended;
  // A new server refuses the folder while a child of the old one is still attached to its memory.
  while (processes().some(({ pid, isGone }) => children.includes(pid) && !isGone)) await sleep(10);
}

async function stopFast(running: Running): Promise<void> {
  // SIGINT is PostgreSQL's fast shutdown: sessions are ended, nothing is left to recover.
  if (running.shell.exitCode === null) process.kill(running.pid, "SIGINT");
  await running.ended;
}

function childrenOf(parent: number): number[] {
  return processes().flatMap(({ pid, ppid }) => (ppid === parent ? [pid] : []));
}

/** One that is gone may stay in the table until its new parent takes note, which in a container can be never. */
function processes(): { pid: number; ppid: number; isGone: boolean }[] {
  // A bare Debian has no ps; a Mac has no /proc.
  const listed = listProcesses();
  if (listed) return listed.map(({ pid, parent, hasExited }) => ({ pid, ppid: parent, isGone: hasExited }));
  const table = execFileSync("ps", ["-A", "-o", "pid=,ppid=,stat="], { encoding: "utf8" });
  return table.split("\n").map((line) => {
    const [pid, ppid, state = ""] = line.trim().split(/\s+/);
    return { pid: Number(pid), ppid: Number(ppid), isGone: state.startsWith("Z") };
  });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("No port was given.");
  return address.port;
}
