/**
 * Looks at the agent's processes now and then and keeps who was seen in the run folder, so that a child that cleared
 * its environment is found after the agent's death, and after ours (S2). A subreaper would see every one; Node cannot
 * be one. What is started, cleared of its mark and left alone between two looks is not seen: docs/run.md says so.
 */
import { ensureError } from "../model/errors.ts";
import type { Clock } from "../platform/clock.ts";
import { environmentOf, listProcesses, type ProcessRow } from "../platform/process-list.ts";
import { MARK_VARIABLE } from "../session/mark.ts";
import { type SeenProcess, writeSeenProcesses } from "../session/run-folder.ts";
import { type Known, look, type Seen } from "./descendants.ts";

/** Between two looks at a small machine ... */
const LOOK_EVERY_MS = 250;
/** ... and on one with so many processes that a look is not free, this many times as long as a look takes. */
const COST_RATIO = 40;

export interface TreeWatchOptions {
  readonly agent: Seen;
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
  #known: Known;
  #written = "";

  constructor(options: TreeWatchOptions) {
    this.#options = options;
    const { pid, started } = options.agent;
    this.#known = { seen: new Map([[pid, { pid, started }]]), sessions: new Map([[pid, started]]) };
  }

  get seen(): readonly SeenProcess[] {
    return [...this.#known.seen.values()];
  }

  /** Looks until it is stopped; never keeps the process alive by itself. */
  async start(): Promise<void> {
    const { clock } = this.#options;
    const { signal } = this.#ending;
    while (!signal.aborted) {
      const beganMs = clock.monotonicMs();
      this.lookNow();
      this.#options.onLook();
      const tookMs = clock.monotonicMs() - beganMs;
      await clock.sleep(Math.max(LOOK_EVERY_MS, tookMs * COST_RATIO), signal).catch(() => undefined);
    }
  }

  lookNow(): void {
    const rows = listProcesses();
    if (rows === null) return;
    const unmarked = new Map<number, number>();
    this.#known = look(rows, this.#known, (row) => this.#isMarked(row, unmarked));
    this.#unmarked = unmarked;
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
