/**
 * Which processes are an attempt's, and which of those may be stopped (S2). Pure: what the kernel says comes in.
 *
 * Ours is: what carries the attempt's exact mark under the same user in the same pid namespace, and what the
 * supervisor itself saw descend from the agent (pid and start time). Not stopped, whatever they carry: what outlives
 * its starter by design (multiplexers, daemons), what runs inside such a one, what others may be connected to, what
 * belongs to another session, and this process with its ancestors.
 *
 * A server that all of its user's sessions share (an agent's daemon) is nobody's leftover, whoever started it first; and what it runs is not
 * told by a mark: it gave the one it inherited to the tools of every session.
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
  /** The shared server it runs below: nobody can tell for which of its sessions. */
  readonly server: number | null;
}

/** Whether this is the command line of a server that its user's sessions share; told by a room that knows agents. */
export type IsSharedServer = (command: readonly string[]) => boolean;

export interface LeftoverQuery {
  /** The exact mark of the attempt that is over. */
  readonly mark: string;
  readonly seen: readonly { readonly pid: number; readonly started: number }[];
  /** This process: it and its ancestors are never leftovers. */
  readonly self: number;
  /** Asked only of what was found and of those above it. */
  readonly isShared: (pid: number) => boolean;
}

export function findLeftovers(processes: readonly ProcessFacts[], query: LeftoverQuery): Leftover[] {
  const own = ancestorsOf(processes, query.self);
  const seen = new Map(query.seen.map(({ pid, started }) => [pid, started]));
  const evidenceOf = (row: ProcessFacts): Leftover["evidence"] | null => {
    if (row.isOurs && row.mark === query.mark) return "mark";
    return seen.get(row.pid) === row.started ? "descendant" : null;
  };
  const parents = new Map(processes.map(({ pid, parent }) => [pid, parent]));
  return processes.flatMap((row): Leftover[] => {
    const evidence = row.hasExited || own.has(row.pid) ? null : evidenceOf(row);
    if (evidence === null || query.isShared(row.pid)) return [];
    return [{ row, evidence, server: serverAbove(row.pid, parents, query.isShared) }];
  });
}

function serverAbove(
  pid: number,
  parents: ReadonlyMap<number, number>,
  isShared: LeftoverQuery["isShared"],
): number | null {
  const passed = new Set([pid]);
  for (let at = parents.get(pid) ?? 0; at > 1 && !passed.has(at); at = parents.get(at) ?? 0) {
    if (isShared(at)) return at;
    passed.add(at);
  }
  return null;
}

/**
 * What works in a folder and is nobody's child any more, with its own children: its starter died. What carries a mark is a session's,
 * and what a person started has his shell or his terminal above it.
 */
export function findAbandoned(
  processes: readonly ProcessFacts[],
  { self, worksHere }: { readonly self: number; readonly worksHere: (pid: number) => boolean },
): ProcessFacts[] {
  const own = ancestorsOf(processes, self);
  const byPid = new Map(processes.map((row) => [row.pid, row]));
  const isInit = (pid: number): boolean => pid <= 1 || byPid.get(pid)?.name === "systemd";
  const isAbandoned = ({ pid, parent }: ProcessFacts, passed: ReadonlySet<number>): boolean => {
    if (own.has(pid) || passed.has(pid) || !worksHere(pid)) return false;
    const above = byPid.get(parent);
    if (isInit(parent) || above === undefined) return true;
    return isAbandoned(above, new Set([...passed, pid]));
  };
  return processes.filter((row) => !row.hasExited && row.mark === null && isAbandoned(row, new Set()));
}

export type LeftoverVerdict =
  | { readonly kind: "stop" }
  | { readonly kind: "leave"; readonly because: string; readonly isAnothers: boolean };

export interface VerdictFacts {
  readonly mark: string;
  /** The agent itself while it is being ended: it is no leftover, and nothing keeps it. */
  readonly agent: number | null;
  /** Everything found to be this attempt's. */
  readonly leftovers: readonly Leftover[];
  /** Null: it cannot be told, and is then not stopped. */
  readonly isListening: (pid: number) => boolean | null;
  /** Processes that hold a live session's claim, or are a live session's agent. */
  readonly liveOwners: readonly { readonly pid: number; readonly started: number | null }[];
}

export function judgeLeftover({ row, server }: Leftover, facts: VerdictFacts): LeftoverVerdict {
  if (server !== null) {
    const because = `it belongs to ${server}, which serves other sessions, too`;
    return { kind: "leave", because, isAnothers: true };
  }
  const byPid = new Map(facts.leftovers.map((one) => [one.row.pid, one.row]));
  const passed = new Set<number>();
  for (let at: ProcessFacts | undefined = row; at && !passed.has(at.pid); at = byPid.get(at.parent)) {
    passed.add(at.pid);
    const shelter = whySheltered(at, facts);
    // What belongs to one that stays, stays with it: the panes of a multiplexer, the workers of a server.
    if (shelter !== null)
      return {
        kind: "leave",
        because: at === row ? `it ${shelter.why}` : `it belongs to ${at.pid}, which ${shelter.why}`,
        isAnothers: shelter.isAnothers,
      };
  }
  return { kind: "stop" };
}

interface Shelter {
  readonly why: string;
  /** It is another session's: nobody who settles this one ends it. */
  readonly isAnothers: boolean;
}

/** Null: nothing keeps it. */
function whySheltered(row: ProcessFacts, facts: VerdictFacts): Shelter | null {
  const another = (why: string): Shelter => ({ why, isAnothers: true });
  const own = (why: string): Shelter => ({ why, isAnothers: false });
  if (row.pid === facts.agent) return null;
  if (row.mark !== null && row.mark !== facts.mark) return another("carries another session's mark");
  if (facts.liveOwners.some(({ pid, started }) => pid === row.pid && started === row.started))
    return another("holds another live session");
  if (isDaemon(row.name)) return own(`is a daemon or a terminal multiplexer (${row.name})`);
  const listening = facts.isListening(row.pid);
  if (listening === null) return own("cannot be looked into");
  return listening ? own("is a server that others may be connected to") : null;
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

function ancestorsOf(processes: readonly ProcessFacts[], self: number): Set<number> {
  const byPid = new Map(processes.map((one) => [one.pid, one]));
  const found = new Set<number>();
  for (let at = self; at > 0 && !found.has(at); at = byPid.get(at)?.parent ?? 0) found.add(at);
  return found;
}

/**
 * The mark in a child's environment that says whose child it is: `REFLOAT_SESSION=<id>.<attempt>.<random>` (S2).
 * The random part is recorded before the child starts; only the whole, exact value counts.
 */
export const MARK_VARIABLE = "REFLOAT_SESSION";

interface RunMark {
  readonly session: string;
  readonly attempt: number;
  readonly random: string;
}

export const markText = ({ session, attempt, random }: RunMark): string => `${session}.${attempt}.${random}`;

/** An id may hold dots itself: the last two belong to the mark. Null: not a mark. */
export function parseMark(text: string): RunMark | null {
  const [, session, attempt, random] = /^(.+)\.([1-9]\d{0,14})\.([^.]+)$/s.exec(text) ?? [];
  if (session === undefined || random === undefined) return null;
  return { session, attempt: Number(attempt), random };
}
