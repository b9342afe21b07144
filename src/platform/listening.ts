/** Whether a process waits for connections: somebody else may be using it; and who is at the other end of one. */
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { readOrNull } from "./io-error.ts";

const LISTEN_STATE = "0A";
/** The flag __SO_ACCEPTCON in /proc/net/unix. */
const ACCEPTS = 0x10000;

/** Null: this system does not tell, or the process is another user's or gone. */
export function isListening(pid: number): boolean | null {
  const sockets = socketsOf(pid);
  if (sockets === null) return null;
  if (sockets.size === 0) return false;
  return [...internetSockets(pid), ...unixSockets(pid)].some((inode) => sockets.has(inode));
}

/** A connection within this machine, as this end sees it. */
export interface Ports {
  readonly localPort: number;
  readonly remotePort: number;
}

/** The processes that have its other end; empty: it is elsewhere, in another namespace, another user's, or this system does not tell. */
export function pidsAtOtherEnd({ localPort, remotePort }: Ports): number[] {
  const portOf = (address = ""): number => Number.parseInt(address.split(":").at(-1) ?? "", 16);
  const inodes = ["tcp", "tcp6"].flatMap((kind) =>
    tableOf(process.pid, kind)
      .filter(([, local, remote]) => portOf(local) === remotePort && portOf(remote) === localPort)
      .map((fields) => fields[9] ?? ""),
  );
  if (inodes.length === 0) return [];
  const pids = (readOrNull(() => readdirSync("/proc")) ?? [])
    .filter((name) => /^\d+$/.test(name))
    .map(Number);
  return pids.filter((pid) => {
    const sockets = socketsOf(pid);
    return inodes.some((inode) => sockets?.has(inode));
  });
}

function socketsOf(pid: number): Set<string> | null {
  const names = readOrNull(() => readdirSync(`/proc/${pid}/fd`));
  if (names === null) return null;
  const links = names.map((name) => readOrNull(() => readlinkSync(`/proc/${pid}/fd/${name}`)) ?? "");
  return new Set(links.flatMap((link) => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? []));
}

/** By the process's own network namespace. Columns: number, local, remote, state, queues, timer, retries, uid, timeout, inode. */
function internetSockets(pid: number): string[] {
  return ["tcp", "tcp6"].flatMap((kind) =>
    tableOf(pid, kind)
      .filter((fields) => fields[3] === LISTEN_STATE)
      .map((fields) => fields[9] ?? ""),
  );
}

/** Columns: number, references, protocol, flags, type, state, inode, path. */
function unixSockets(pid: number): string[] {
  return tableOf(pid, "unix")
    .filter((fields) => (Number.parseInt(fields[3] ?? "", 16) & ACCEPTS) !== 0)
    .map((fields) => fields[6] ?? "");
}

function tableOf(pid: number, kind: string): string[][] {
  const text = readOrNull(() => readFileSync(`/proc/${pid}/net/${kind}`, "latin1")) ?? "";
  return text
    .split("\n")
    .slice(1)
    .map((line) => line.trim().split(/\s+/));
}
