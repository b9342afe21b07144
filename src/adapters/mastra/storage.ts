/** Mastra's storage on a refloat store: two of its domains, which is where an agent's conversation and a workflow's runs are. */
import { MastraCompositeStore } from "@mastra/core/storage";
import type { RefloatStore } from "../../app/store/open-store.ts";
import { HeldSessions, type HoldOptions } from "../shared/held-sessions.ts";
import { MastraRows } from "./rows.ts";
import { RefloatRuns } from "./runs.ts";
import { RefloatThreads } from "./threads.ts";

const PREFIX = "mastra";

export interface RefloatMastraOptions extends Partial<HoldOptions> {
  /** Mastra's own id of this storage; "refloat" unless said. */
  readonly id?: string;
  /** What the ids of its sessions begin with, so that several programs share a store; "mastra" unless said. */
  readonly prefix?: string;
}

/** Hand it to `new Mastra({ storage })` and `new Memory({ storage })`. It serves the domains `memory` and `workflows`. */
export class RefloatMastra extends MastraCompositeStore {
  readonly threads: RefloatThreads;
  readonly runs: RefloatRuns;
  readonly held: HeldSessions;

  constructor(store: RefloatStore, { id = "refloat", prefix = PREFIX, ...hold }: RefloatMastraOptions = {}) {
    const held = new HeldSessions(store, { agent: PREFIX, workspace: PREFIX, ...hold });
    const rows = new MastraRows(store, held);
    const threads = new RefloatThreads(rows, prefix);
    const runs = new RefloatRuns(rows, prefix);
    // Its own default for the state of threads is kept in memory: nothing is better than what a kill takes without a word.
    super({
      id,
      name: "RefloatMastra",
      domains: { memory: threads, workflows: runs, threadState: false },
    });
    this.threads = threads;
    this.runs = runs;
    this.held = held;
  }

  /** Gives every thread and run back. The store is the caller's to close. */
  override async close(): Promise<void> {
    await this.held.close();
  }
}
