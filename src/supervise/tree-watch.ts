/**
 * Looks at the agent's processes now and then and keeps who was seen in the run folder, so that a child that cleared
 * its environment is found after the agent's death, and after ours (S2). A subreaper would see every one; Node cannot
 * be one. What is started, cleared of its mark and left alone between two looks is not seen: docs/run.md says so.
 */
import { ensureError } from "../model/errors.ts";
import type { Clock } from "../platform/clock.ts";
import {
  childrenOf,
  environmentOf,
  listProcesses,
  type ProcessRow,
  processRow,
} from "../platform/process-list.ts";
import type { ProcessName } from "../platform/stop-process.ts";
import { MARK_VARIABLE } from "../session/leftovers.ts";
import { writeSeenProcesses } from "../session/run-folder.ts";

/**
 * Which processes descend from the agent, look by look. Pure. The kernel forgets a dead parent, so three things
 * are remembered: who was seen (pid and start time), and the sessions (setsid) they began. A process in such a session descends from its
 * beginner even if everybody between them is gone: a session is only ever inherited.
 */
export interface KnownProcesses {
  /** By pid; those that are gone are dropped at the next look. */
  readonly seen: ReadonlyMap<number, ProcessName>;
  /** The beginner of each session that was seen, with its start time. */
  readonly sessions: ReadonlyMap<number, number>;
}

/** `isMarked` is asked of a process nothing else tells about. */
export function look(
  rows: readonly ProcessRow[],
  before: KnownProcesses,
  isMarked: (row: ProcessRow) => boolean,
): KnownProcesses {
  const live = rows.filter(({ hasExited }) => !hasExited);
  const byPid = new Map(rows.map((row) => [row.pid, row]));
  const sessions = new Map(
    [...before.sessions].filter(([pid, started]) => isStillTheirs(byPid, pid, started)),
  );
  const seen = new Map<number, ProcessName>();
  const add = ({ pid, started, session }: ProcessRow): void => {
    seen.set(pid, { pid, started });
    if (session === pid) sessions.set(pid, started);
  };
  for (const row of live) if (before.seen.get(row.pid)?.started === row.started || isMarked(row)) add(row);
  for (let isGrowing = true; isGrowing; ) {
    const more = live.filter(
      ({ pid, parent, session }) => !seen.has(pid) && (seen.has(parent) || sessions.has(session)),
    );
    for (const row of more) add(row);
    isGrowing = more.length > 0;
  }
  return { seen, sessions: new Map([...sessions].filter(([id]) => live.some((row) => row.session === id))) };
}

/** A session's number is not given away while anybody is in it; when its beginner is there, it must be the same one. */
function isStillTheirs(byPid: ReadonlyMap<number, ProcessRow>, pid: number, started: number): boolean {
  const beginner = byPid.get(pid);
  return beginner === undefined || beginner.started === started;
}

/** Between two looks at those already known and their children ... */
const LOOK_EVERY_MS = 250;
/** ... and at every process there is: for those whose parents were gone before anybody saw them. */
const LOOK_EVERYWHERE_MS = 5000;
/** A look waits at least this many times as long as the last one took: a machine may have thousands of processes. */
const COST_RATIO = 50;

export interface TreeWatchOptions {
  readonly agent: ProcessName;
  readonly mark: string;
  readonly folder: string;
  readonly boot: string;
  readonly clock: Clock;
  readonly onLook: () => void;
  readonly onFailure: (error: Error) => void;
}

export class TreeWatch {
  readonly #options: TreeWatchOptions;
  readonly #ending = new AbortController();
  /** Processes whose environment was read and does not hold the mark, by pid with their start time. */
  #unmarked = new Map<number, number>();
  #known: KnownProcesses;
  #written = "";

  constructor(options: TreeWatchOptions) {
    this.#options = options;
    const { pid, started } = options.agent;
    this.#known = { seen: new Map([[pid, { pid, started }]]), sessions: new Map([[pid, started]]) };
  }

  get seen(): readonly ProcessName[] {
    return [...this.#known.seen.values()];
  }

  /** Looks until it is stopped. */
  async start(): Promise<void> {
    const { clock, onLook } = this.#options;
    const { signal } = this.#ending;
    let everywhereAtMs = clock.monotonicMs() + LOOK_EVERY_MS;
    while (!signal.aborted) {
      const beganMs = clock.monotonicMs();
      const isEverywhere = beganMs >= everywhereAtMs;
      if (isEverywhere) this.lookNow();
      else this.#lookNear();
      onLook();
      const restMs = (clock.monotonicMs() - beganMs) * COST_RATIO;
      if (isEverywhere) everywhereAtMs = clock.monotonicMs() + Math.max(LOOK_EVERYWHERE_MS, restMs);
      const waitMs = isEverywhere ? LOOK_EVERY_MS : Math.max(LOOK_EVERY_MS, restMs);
      await clock.sleep(waitMs, signal).catch(() => undefined);
    }
  }

  /** At every process. */
  lookNow(): void {
    const rows = listProcesses();
    if (rows === null) return;
    const unmarked = new Map<number, number>();
    this.#known = look(rows, this.#known, (row) => this.#isMarked(row, unmarked));
    this.#unmarked = unmarked;
    this.#write();
  }

  /** At those known and their children: what this costs does not depend on the machine. */
  #lookNear(): void {
    const rows = new Map<number, ProcessRow>();
    const waiting = [...this.#known.seen.keys()];
    for (let pid = waiting.pop(); pid !== undefined; pid = waiting.pop()) {
      const row = rows.has(pid) ? null : processRow(pid);
      if (!row) continue;
      rows.set(pid, row);
      waiting.push(...(childrenOf(pid) ?? []));
    }
    // The beginner of a session may be gone while others are in it: only a look everywhere can tell.
    const { sessions } = this.#known;
    const near = look([...rows.values()], this.#known, () => false);
    this.#known = { seen: near.seen, sessions: new Map([...sessions, ...near.sessions]) };
    this.#write();
  }

  stop(): void {
    this.#ending.abort();
  }

  #isMarked({ pid, started }: ProcessRow, unmarked: Map<number, number>): boolean {
    const isKnown = this.#unmarked.get(pid) === started;
    const found = isKnown ? null : environmentOf(pid, MARK_VARIABLE);
    if (found?.kind === "is" && found.value === this.#options.mark) return true;
    unmarked.set(pid, started);
    return false;
  }

  #write(): void {
    const text = this.seen.map(({ pid, started }) => `${pid}:${started}`).join(" ");
    if (text === this.#written) return;
    try {
      writeSeenProcesses(this.#options.folder, this.#options.boot, this.seen);
      this.#written = text;
    } catch (thrown) {
      this.#options.onFailure(ensureError(thrown));
    }
  }
}
