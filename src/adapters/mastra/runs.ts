/**
 * Snapshots of Mastra's workflow runs on a refloat store: a run is a session, with the rows of all workflows that run under its id (nested ones
 * share it). A snapshot is on disk when it resolves, so a run that was suspended, or whose process was killed, goes on elsewhere.
 */
import { type InMemoryDB, WorkflowsInMemory, WorkflowsStorage } from "@mastra/core/storage";
import { sessionIdFor } from "../shared/session-id.ts";
import type { MastraRows, RowsPlace } from "./rows.ts";
import { notPruned } from "./unserved.ts";

type Method = Exclude<
  {
    [Name in keyof WorkflowsInMemory]: WorkflowsInMemory[Name] extends (...args: never[]) => Promise<unknown>
      ? Name
      : never;
  }[keyof WorkflowsInMemory],
  undefined
>;
type Asked<Name extends Method> = Parameters<WorkflowsInMemory[Name]>[0];
type Answered<Name extends Method> = ReturnType<WorkflowsInMemory[Name]>;

const workflowsOf = (db: InMemoryDB): WorkflowsInMemory => new WorkflowsInMemory({ db });

export class RefloatRuns extends WorkflowsStorage {
  readonly #rows: MastraRows;
  readonly #prefix: string;

  constructor(rows: MastraRows, prefix: string) {
    super();
    this.#rows = rows;
    this.#prefix = prefix;
  }

  /** Each update is made under the run's claim, of what is on disk. */
  override supportsConcurrentUpdates(): boolean {
    return true;
  }

  override updateWorkflowResults(asked: Asked<"updateWorkflowResults">): Answered<"updateWorkflowResults"> {
    return this.#change(asked.runId, (workflows) => workflows.updateWorkflowResults(asked));
  }

  override updateWorkflowState(asked: Asked<"updateWorkflowState">): Answered<"updateWorkflowState"> {
    return this.#change(asked.runId, (workflows) => workflows.updateWorkflowState(asked));
  }

  override persistWorkflowSnapshot(asked: Asked<"persistWorkflowSnapshot">): Promise<void> {
    return this.#change(asked.runId, (workflows) => workflows.persistWorkflowSnapshot(asked));
  }

  override loadWorkflowSnapshot(asked: Asked<"loadWorkflowSnapshot">): Answered<"loadWorkflowSnapshot"> {
    return this.#look([asked.runId], (workflows) => workflows.loadWorkflowSnapshot(asked));
  }

  override async listWorkflowRuns(asked?: Asked<"listWorkflowRuns">): Answered<"listWorkflowRuns"> {
    const sessions = await this.#rows.sessions(`${this.#prefix}:run:`);
    return this.#rows.look(sessions, (db) => workflowsOf(db).listWorkflowRuns(asked));
  }

  override getWorkflowRunById(asked: Asked<"getWorkflowRunById">): Answered<"getWorkflowRunById"> {
    return this.#look([asked.runId], (workflows) => workflows.getWorkflowRunById(asked));
  }

  /** With the last workflow of a run nothing of it is left. */
  override async deleteWorkflowRunById(asked: Asked<"deleteWorkflowRunById">): Promise<void> {
    const { session } = this.#run(asked.runId);
    const { workflows } = await this.#rows.read(session);
    if (workflows.size === 0) return;
    await this.#change(asked.runId, (rows) => rows.deleteWorkflowRunById(asked));
    if ((await this.#rows.read(session)).workflows.size === 0) await this.#rows.drop(session);
  }

  override async dangerouslyClearAll(): Promise<void> {
    for (const session of await this.#rows.sessions(`${this.#prefix}:run:`)) await this.#rows.drop(session);
  }

  override prune(policies: Record<string, object>): Promise<never[]> {
    return notPruned(policies);
  }

  sessionOf(run: string): string {
    return sessionIdFor(`${this.#prefix}:run`, run);
  }

  #run(id: string): RowsPlace {
    return { session: this.sessionOf(id), name: id, isHome: (table) => table === "workflows" };
  }

  #look<T>(runs: readonly string[], work: (workflows: WorkflowsInMemory) => Promise<T>): Promise<T> {
    return this.#rows.look(
      runs.map((id) => this.#run(id).session),
      (db) => work(workflowsOf(db)),
    );
  }

  #change<T>(run: string, work: (workflows: WorkflowsInMemory) => Promise<T>): Promise<T> {
    return this.#rows.change(
      [this.#run(run)],
      () => true,
      (db) => work(workflowsOf(db)),
    );
  }
}
