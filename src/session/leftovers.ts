/**
 * Which processes are an attempt's, and which of those may be stopped (S2). Pure: what the kernel says comes in.
 *
 * Ours is: what carries the attempt's exact mark under the same user in the same pid namespace, and what the
 * supervisor itself saw descend from the agent (pid and start time). Not stopped, whatever they carry: what outlives
 * its starter by design (multiplexers, daemons), what runs inside such a one, what others may be connected to, what
 * belongs to another session, and this process with its ancestors.
 */
import type { ProcessRow } from "../platform/process-list.ts";

export interface ProcessFacts extends ProcessRow {
  /** The value of REFLOAT_SESSION in its environment; null: absent or unreadable. */
  readonly mark: string | null;
  /** It runs as our user in our pid namespace. */
  readonly isOurs: boolean;
}

export interface Leftover {
  readonly row: ProcessFacts;
  readonly evidence: "mark" | "descendant";
}

export interface LeftoverQuery {
  /** The exact mark of the attempt that is over. */
  readonly mark: string;
  readonly seen: readonly { readonly pid: number; readonly started: number }[];
  /** This process: it and its ancestors are never leftovers. */
  readonly self: number;
}

export function findLeftovers(processes: readonly ProcessFacts[], query: LeftoverQuery): Leftover[] {
  const own = ancestorsOf(processes, query.self);
  const seen = new Map(query.seen.map(({ pid, started }) => [pid, started]));
  return processes.flatMap((row): Leftover[] => {
    if (row.hasExited || own.has(row.pid)) return [];
    if (row.isOurs && row.mark === query.mark) return [{ row, evidence: "mark" }];
    return seen.get(row.pid) === row.started ? [{ row, evidence: "descendant" }] : [];
  });
}

export type LeftoverVerdict =
  | { readonly kind: "stop" }
  | { readonly kind: "leave"; readonly because: string };

export interface VerdictFacts {
  readonly mark: string;
  readonly processes: readonly ProcessFacts[];
  /** Everything found to be this attempt's. */
  readonly leftovers: readonly Leftover[];
  /** Null: it cannot be told, and is then not stopped. */
  readonly isListening: (pid: number) => boolean | null;
  /** Processes that hold a live session's claim, or are a live session's agent. */
  readonly liveOwners: readonly { readonly pid: number; readonly started: number | null }[];
}

export function judgeLeftover({ row }: Leftover, facts: VerdictFacts): LeftoverVerdict {
  const leave = (because: string): LeftoverVerdict => ({ kind: "leave", because });
  if (row.mark !== null && row.mark !== facts.mark) return leave("it belongs to another session");
  if (facts.liveOwners.some(({ pid, started }) => pid === row.pid && started === row.started))
    return leave("it holds another live session");
  const daemon = daemonAbove(row, facts);
  if (daemon === row) return leave("it is a daemon or a terminal multiplexer");
  if (daemon) return leave(`it runs inside ${daemon.name}`);
  const listening = facts.isListening(row.pid);
  if (listening === null) return leave("it cannot be looked into");
  return listening ? leave("it is a server that others may be connected to") : { kind: "stop" };
}

/** What outlives its starter by design, by the kernel's name of it (cut to 15 bytes by the kernel). */
const DAEMONS: ReadonlySet<string> = new Set([
  "tmux",
  "screen",
  "zellij",
  "dtach",
  "abduco",
  "mosh-server",
  "sshd",
  "ssh-agent",
  "gpg-agent",
  "scdaemon",
  "dirmngr",
  "keyboxd",
  "dbus-daemon",
  "dbus-broker",
  "dockerd",
  "containerd",
  "conmon",
  "systemd",
  "watchman",
]);

export function isDaemon(name: string): boolean {
  // tmux and ssh's multiplexer rename themselves: "tmux: server", "ssh: /path [mux]"; GNU screen becomes SCREEN.
  const first = /^[^:\s(]+/.exec(name.toLowerCase())?.[0] ?? "";
  return DAEMONS.has(first) || first.startsWith("containerd-shim") || /\[mux\]/.test(name);
}

/** Itself, or the nearest above it, among the attempt's own: everything descends from some init or login daemon. */
function daemonAbove(row: ProcessFacts, { processes, leftovers }: VerdictFacts): ProcessFacts | null {
  const byPid = new Map(processes.map((one) => [one.pid, one]));
  const own = new Set(leftovers.map((one) => one.row.pid));
  const passed = new Set<number>();
  for (let at: ProcessFacts | undefined = row; at && !passed.has(at.pid); at = byPid.get(at.parent)) {
    passed.add(at.pid);
    if (own.has(at.pid) && isDaemon(at.name)) return at;
  }
  return null;
}

function ancestorsOf(processes: readonly ProcessFacts[], self: number): Set<number> {
  const byPid = new Map(processes.map((one) => [one.pid, one]));
  const found = new Set<number>();
  for (let at = self; at > 0 && !found.has(at); at = byPid.get(at)?.parent ?? 0) found.add(at);
  return found;
}
