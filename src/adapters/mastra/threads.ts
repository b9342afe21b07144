/**
 * Mastra's memory on a refloat store: a thread with its messages is a session, a resource is one. Written under their claims (K1), on disk when
 * it resolves (D1); reading needs no claim. Observational memory is not served: Mastra is told so, and says so where it is switched on.
 */
import { type InMemoryDB, InMemoryMemory, MemoryStorage } from "@mastra/core/storage";
import { giving, RefloatError } from "../../model/errors.ts";
import { bodyAs } from "../../model/record.ts";
import { sessionIdFor } from "../shared/session-id.ts";
import { unkeptCalls } from "../shared/unkept-calls.ts";
import { kindOf, type MastraRow, type MastraRows, type MastraTable, type RowsPlace } from "./rows.ts";
import { callsIn, messageOf, toldId } from "./told-calls.ts";
import { notPruned } from "./unserved.ts";

type Method = Exclude<
  {
    [Name in keyof InMemoryMemory]: InMemoryMemory[Name] extends (...args: never[]) => Promise<unknown>
      ? Name
      : never;
  }[keyof InMemoryMemory],
  undefined
>;
type Asked<Name extends Method> = Parameters<InMemoryMemory[Name]>[0];
type Answered<Name extends Method> = ReturnType<InMemoryMemory[Name]>;

const memoryOf = (db: InMemoryDB): InMemoryMemory => new InMemoryMemory({ db });

export class RefloatThreads extends MemoryStorage {
  override readonly supportsPartialThreadUpdate = true;
  override readonly supportsObservationalMemory = false;
  readonly #rows: MastraRows;
  readonly #prefix: string;
  readonly #own = new Set<string>();

  constructor(rows: MastraRows, prefix: string) {
    super();
    this.#rows = rows;
    this.#prefix = prefix;
  }

  override getThreadById(asked: Asked<"getThreadById">): Answered<"getThreadById"> {
    return this.#rows.look([this.sessionOf(asked.threadId)], (db) => memoryOf(db).getThreadById(asked));
  }

  override saveThread(asked: Asked<"saveThread">): Answered<"saveThread"> {
    return this.#inThread(asked.thread.id, (memory) => memory.saveThread(asked));
  }

  override updateThread(asked: Asked<"updateThread">): Answered<"updateThread"> {
    return this.#inThread(asked.id, (memory) => memory.updateThread(asked));
  }

  /** Looked at and changed under one claim: another process's change is not overwritten. */
  override updateThreadMetadata({
    id,
    resourceId,
    update,
  }: Asked<"updateThreadMetadata">): Answered<"updateThreadMetadata"> {
    return this.#inThread(id, async (memory) => {
      const thread = await memory.getThreadById({
        threadId: id,
        ...(resourceId === undefined ? {} : { resourceId }),
      });
      const metadata = thread && update(thread);
      return metadata ? memory.updateThread({ id, metadata }) : thread;
    });
  }

  /** The thread and all of its messages at once: theirs is several steps, and has to undo them where one fails. */
  override updateThreadResourceId(
    asked: Asked<"updateThreadResourceId">,
  ): Answered<"updateThreadResourceId"> {
    return this.#inThread(asked.threadId, (memory) => memory.updateThreadResourceId(asked), all);
  }

  /** Nothing of it is left. */
  override deleteThread({ threadId }: Asked<"deleteThread">): Answered<"deleteThread"> {
    return this.#rows.drop(this.sessionOf(threadId));
  }

  /** With calls that ran, or may have, and that nobody kept: their process was killed before Mastra had saved what the agent did. */
  override async listMessages(asked: Asked<"listMessages">): Answered<"listMessages"> {
    for (const id of [asked.threadId].flat()) await this.#tellUnkept(id);
    const threads = [asked.threadId].flat().map((id) => this.sessionOf(id));
    const included = (asked.include ?? []).map(({ id }) => id);
    const hints = (asked.include ?? []).flatMap(({ threadId }) =>
      threadId ? [this.sessionOf(threadId)] : [],
    );
    const more = await this.#sessionsOf(included, [...threads, ...hints]);
    return this.#rows.look([...new Set([...threads, ...more])], (db) => memoryOf(db).listMessages(asked));
  }

  override async listMessagesByResourceId(
    asked: Asked<"listMessagesByResourceId">,
  ): Answered<"listMessagesByResourceId"> {
    return this.#rows.look(await this.#allThreads(), (db) => memoryOf(db).listMessagesByResourceId(asked));
  }

  override async listMessagesById(asked: Asked<"listMessagesById">): Answered<"listMessagesById"> {
    const sessions = await this.#sessionsOf(asked.messageIds, []);
    return this.#rows.look(sessions, (db) => memoryOf(db).listMessagesById(asked));
  }

  override async saveMessages(asked: Asked<"saveMessages">): Answered<"saveMessages"> {
    const threads = new Set(asked.messages.map(({ threadId }) => threadId || nowhere()));
    const told = asked.messages.flatMap(callsIn).map(toldId);
    const ids = new Set([...asked.messages.map(({ id }) => id), ...told]);
    return this.#rows.change(
      [...threads].map((id) => this.#thread(id)),
      named(ids),
      async (db) => {
        const saved = await memoryOf(db).saveMessages(asked);
        await memoryOf(db).deleteMessages(told); // Mastra tells of them itself now
        return saved;
      },
    );
  }

  /** One that names another thread moves there; a kill in between leaves it in both. */
  override async updateMessages(asked: Asked<"updateMessages">): Answered<"updateMessages"> {
    const ids = new Set(asked.messages.map(({ id }) => id));
    const from = await this.#sessionsOf([...ids], []);
    if (from.length === 0) return [];
    const to = asked.messages.flatMap(({ threadId }) => (threadId ? [this.sessionOf(threadId)] : []));
    return this.#rows.change(await this.#places([...new Set([...from, ...to])]), named(ids), (db) =>
      memoryOf(db).updateMessages(asked as Asked<"updateMessages">),
    );
  }

  override async deleteMessages(messageIds: string[]): Promise<void> {
    const from = await this.#sessionsOf(messageIds, []);
    if (from.length === 0) return;
    await this.#rows.change(await this.#places(from), named(new Set(messageIds)), (db) =>
      memoryOf(db).deleteMessages(messageIds),
    );
  }

  override async listThreads(asked: Asked<"listThreads">): Answered<"listThreads"> {
    const threads = await this.#rows.ofEach(await this.#allThreads(), "threads");
    return this.#rows.look([], (db) => {
      for (const thread of threads) db.threads.set((thread as { id: string }).id, thread as never);
      return memoryOf(db).listThreads(asked);
    });
  }

  override async copyThread(asked: Asked<"copyThread">): Answered<"copyThread"> {
    const id = asked.newThreadId || this.#rows.newId();
    const places = [this.#thread(asked.sourceThreadId), this.#thread(id)];
    return this.#rows.change(places, all, (db) => memoryOf(db).copyThread({ ...asked, newThreadId: id }));
  }

  override getResourceById(asked: Asked<"getResourceById">): Answered<"getResourceById"> {
    const { session } = this.#resource(asked.resourceId);
    return this.#rows.look([session], (db) => memoryOf(db).getResourceById(asked));
  }

  override saveResource(asked: Asked<"saveResource">): Answered<"saveResource"> {
    return this.#rows.change([this.#resource(asked.resource.id)], all, (db) =>
      memoryOf(db).saveResource(asked),
    );
  }

  override updateResource(asked: Asked<"updateResource">): Answered<"updateResource"> {
    return this.#rows.change([this.#resource(asked.resourceId)], all, (db) =>
      memoryOf(db).updateResource(asked),
    );
  }

  override async dangerouslyClearAll(): Promise<void> {
    const resources = await this.#rows.sessions(`${this.#prefix}:resource:`);
    for (const session of [...(await this.#allThreads()), ...resources]) await this.#rows.drop(session);
  }

  override prune(policies: Record<string, object>): Promise<never[]> {
    return notPruned(policies);
  }

  /** Calls begun here: the run that asked for them lives, and Mastra will save them itself. */
  isBegunHere(call: string): void {
    this.#own.add(call);
  }

  sessionOf(thread: string): string {
    return sessionIdFor(`${this.#prefix}:thread`, thread);
  }

  #inThread<T>(
    id: string,
    work: (memory: InMemoryMemory) => Promise<T>,
    isNeeded: (table: MastraTable, key: string) => boolean = (table) => table === "threads",
  ): Promise<T> {
    return this.#rows.change([this.#thread(id)], isNeeded, (db) => work(memoryOf(db)));
  }

  #thread(id: string): RowsPlace {
    return {
      session: this.sessionOf(id),
      name: id,
      isHome: (table, row) => threadOf(table, row) === id,
    };
  }

  #resource(id: string): RowsPlace {
    const session = sessionIdFor(`${this.#prefix}:resource`, id);
    return { session, name: id, isHome: (table) => table === "resources" };
  }

  #allThreads(): Promise<string[]> {
    return this.#rows.sessions(`${this.#prefix}:thread:`);
  }

  /** Of threads that are there: an id that is too long for a session's stands in its rows. */
  async #places(sessions: readonly string[]): Promise<RowsPlace[]> {
    return Promise.all(
      sessions.map(async (session) => {
        const { threads, messages } = await this.#rows.read(session);
        const [thread] = threads.keys();
        const [first] = messages.values();
        const id = thread ?? (first && threadOf("messages", first));
        const prefix = `${this.#prefix}:thread:`;
        return this.#thread(id ?? session.slice(prefix.length));
      }),
    );
  }

  /** Under the claim, which ends what a dead process left running. Whoever has the thread now lives, and tells of its calls itself. */
  async #tellUnkept(thread: string): Promise<void> {
    const session = this.sessionOf(thread);
    if (!(await this.#hasUnkept(session))) return;
    const telling = this.#rows.held.use(session, thread, async () => {
      const calls = await unkeptCalls(this.#rows.store, session, kindOf("messages"));
      const { threads, messages } = await this.#rows.read(session);
      const told = new Set([...messages.values()].flatMap(callsIn));
      const missing = calls.filter(({ id }) => !told.has(id) && !this.#own.has(id));
      const row = threads.get(thread) as { readonly resourceId: string } | undefined;
      if (missing.length === 0 || !row) return;
      const said = missing.map((call) => messageOf(call, thread, row.resourceId)) as never[];
      await this.#inThread(thread, (memory) => memory.saveMessages({ messages: said }), named(new Set()));
    });
    await telling.catch(giving(undefined, "E_HELD"));
  }

  /** Whether something was called, by another process, since messages were kept last. */
  async #hasUnkept(session: string): Promise<boolean> {
    const kinds = [kindOf("messages"), "call.started", "call.ended"];
    for await (const record of this.#rows.store.records(session, { kinds, order: "backward", pageRows: 1 })) {
      const call = bodyAs(record, "call.started")?.call ?? bodyAs(record, "call.ended")?.call;
      return call !== undefined && !this.#own.has(call);
    }
    return false;
  }

  /**
   * The threads in which messages with these ids are. Mastra asks for some by their id alone: those at hand are looked at first, then all
   * others, until every one is found.
   */
  async #sessionsOf(ids: readonly string[], hints: readonly string[]): Promise<string[]> {
    const missing = new Set(ids);
    const found = new Set<string>();
    const look = async (session: string): Promise<void> => {
      const { messages } = await this.#rows.read(session);
      for (const id of missing) {
        if (!messages.has(id)) continue;
        found.add(session);
        missing.delete(id);
      }
    };
    for (const session of hints) if (missing.size > 0) await look(session);
    if (missing.size === 0) return [...found];
    const sessions = (await this.#allThreads()).toReversed();
    const isSeen = (session: string): boolean =>
      [...missing].some((id) => this.#rows.hasAtHand(session, "messages", id));
    for (const session of sessions.filter(isSeen)) if (missing.size > 0) await look(session);
    for (const session of sessions) if (missing.size > 0) await look(session);
    return [...found];
  }
}

function threadOf(table: MastraTable, row: MastraRow): string | undefined {
  const { id, thread_id } = row as { readonly id?: string; readonly thread_id?: string };
  if (table === "messages") return thread_id;
  return table === "threads" ? id : undefined;
}

const all = (): boolean => true;

/** The thread's own row, and these messages of it: the operation minds no others. */
const named =
  (ids: ReadonlySet<string>) =>
  (table: MastraTable, key: string): boolean =>
    table === "threads" || (table === "messages" && ids.has(key));

function nowhere(): never {
  throw new RefloatError("E_BAD_RECORD", { kind: "mastra.messages", why: "a message names no thread" });
}
