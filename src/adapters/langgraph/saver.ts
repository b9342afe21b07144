/**
 * LangGraph's checkpointer on a refloat store: a thread is a session, a checkpoint a record in its journal. Every `put` that resolves
 * is on disk (D1); one process at a time writes to a thread (K1), and a killed one hands it over at once.
 */
import type { RunnableConfig } from "@langchain/core/runnables";
import {
  BaseCheckpointSaver,
  type ChannelVersions,
  type Checkpoint,
  type CheckpointListOptions,
  type CheckpointMetadata,
  type CheckpointTuple,
  type PendingWrite,
  type SerializerProtocol,
  WRITES_IDX_MAP,
} from "@langchain/langgraph-checkpoint";
import type { RefloatStore } from "../../app/store/open-store.ts";
import type { Session } from "../../conversation/session.ts";
import { RefloatError } from "../../model/errors.ts";
import { deleteSession, HeldSessions, type HoldOptions } from "../shared/held-sessions.ts";
import { sessionIdFor } from "../shared/session-id.ts";
import {
  asBody,
  CHECKPOINT_KIND,
  type CheckpointBody,
  dump,
  type KeptValue,
  load,
  placesOf,
  WRITES_KIND,
} from "./checkpoint-records.ts";
import { growth, hashesOf, type WrittenList } from "./list-growth.ts";
import { ThreadReader } from "./read-thread.ts";

const PREFIX = "langgraph";
/** Threads whose last state a process remembers, to write only what is new; an older one writes its lists whole once more. */
const MAX_REMEMBERED_THREADS = 100;

export interface RefloatSaverOptions extends Partial<Omit<HoldOptions, "agent">> {
  readonly serde?: SerializerProtocol;
  /** What the ids of its sessions begin with, so that several programs share a store; "langgraph" unless said. */
  readonly prefix?: string;
  /** Who the sessions say they are of; "langgraph" unless said. */
  readonly agent?: string;
}

/** What this process wrote last in one namespace of a thread. */
interface Remembered {
  readonly checkpoint: string;
  readonly seq: number;
  readonly versions: ChannelVersions;
  readonly places: ReadonlyMap<string, number>;
  readonly lists: ReadonlyMap<string, WrittenList>;
}

/** What a checkpoint is written against. */
type Before = Pick<Remembered, "versions" | "places" | "lists">;

interface Thread {
  /** One after the other: each builds on the record before it. */
  tail: Promise<unknown>;
  /** Pending writes on their way; what deletes the thread waits for them. */
  readonly writes: Set<Promise<unknown>>;
  readonly last: Map<string, Remembered>;
}

export class RefloatSaver extends BaseCheckpointSaver {
  readonly #store: RefloatStore;
  readonly #held: HeldSessions;
  readonly #prefix: string;
  readonly #threads = new Map<string, Thread>();

  constructor(store: RefloatStore, { serde, prefix = PREFIX, ...hold }: RefloatSaverOptions = {}) {
    super(serde);
    this.#prefix = prefix;
    this.#store = store;
    this.#held = new HeldSessions(store, { agent: PREFIX, workspace: PREFIX, ...hold });
  }

  /** The session that a thread is, for `runOnce` and for whoever looks with refloat's own commands. */
  sessionOf(threadId: string): string {
    return sessionIdFor(this.#prefix, threadId);
  }

  /** The sessions it holds, for tools that run beside the graph. */
  get held(): HeldSessions {
    return this.#held;
  }

  override async getTuple(config: RunnableConfig): Promise<CheckpointTuple | undefined> {
    const { thread_id: thread, checkpoint_ns: ns = "", checkpoint_id: id } = config.configurable ?? {};
    if (thread === undefined) return undefined;
    const reader = this.#reader(String(thread));
    const last = this.#threads.get(this.sessionOf(String(thread)))?.last.get(ns);
    const kept = await reader.find(ns, id ?? null, last?.checkpoint === id ? last?.seq : undefined);
    return kept ? reader.tuple(kept, await reader.writesOn(kept)) : undefined;
  }

  override async *list(
    config: RunnableConfig,
    { limit = Number.POSITIVE_INFINITY, before, filter = {} }: CheckpointListOptions = {},
  ): AsyncGenerator<CheckpointTuple> {
    const { thread_id: thread, checkpoint_ns: ns, checkpoint_id: id } = config.configurable ?? {};
    const beforeId: string | undefined = before?.configurable?.checkpoint_id;
    const sessions = thread === undefined ? await this.#everyThread() : [this.sessionOf(String(thread))];
    let left = limit;
    for (const session of sessions) {
      const reader = new ThreadReader(this.#store, this.serde, session);
      for await (const { kept, writes } of reader.all()) {
        if (left <= 0) return;
        const isAsked =
          (ns === undefined || kept.ns === ns) &&
          (id === undefined || kept.checkpoint === id) &&
          (beforeId === undefined || kept.checkpoint < beforeId);
        if (!isAsked) continue;
        const tuple = await reader.tuple(kept, writes);
        const metadata = tuple.metadata as Record<string, unknown> | undefined;
        if (!Object.entries(filter).every(([key, value]) => metadata?.[key] === value)) continue;
        left--;
        yield tuple;
      }
    }
  }

  override async put(
    config: RunnableConfig,
    checkpoint: Checkpoint,
    metadata: CheckpointMetadata,
    newVersions: ChannelVersions,
  ): Promise<RunnableConfig> {
    const thread = threadOf(config, "put a checkpoint");
    const ns: string = config.configurable?.checkpoint_ns ?? "";
    const parent: string | null = config.configurable?.checkpoint_id ?? null;
    // Taken as it is now: the framework goes on with its own objects.
    const { channel_values, ...rest } = checkpoint;
    const versions = { ...rest.channel_versions };
    // A channel that is not new is believed to be its parent's only where the parent has that version of it: a copy of a checkpoint
    // names none as new, and the parent of what it copies as its own. Of one without a parent only what is new is kept, as the
    // framework's suite has it, unless it is such a copy.
    const isTold = (channel: string): boolean =>
      channel in newVersions || parent !== null || metadata.source === "fork";
    const isSame = (channel: string, before: Before): boolean =>
      !(channel in newVersions) &&
      before.places.has(channel) &&
      versions[channel] !== undefined &&
      versions[channel] === before.versions[channel];
    const known = this.#threads.get(this.sessionOf(thread))?.last.get(ns);
    const sure = known?.checkpoint === parent ? known : NOTHING_BEFORE;
    const told = Object.entries(channel_values).filter(([channel]) => isTold(channel));
    const written = Promise.all([
      dump(this.serde, rest),
      dump(this.serde, metadata),
      this.#dumpValues(told.filter(([channel]) => !isSame(channel, sure))),
    ]);
    written.catch(() => undefined); // awaited below, when the thread is claimed: until then nobody would hear of it
    await this.#inTurn(thread, async (session, { last }) => {
      const [ownRest, ownMetadata, dumped] = await written;
      const before = await this.#before(thread, ns, parent, last);
      const lists = new Map<string, WrittenList>();
      const values: Record<string, KeptValue> = {};
      const same: Record<string, number> = {};
      const fresh = new Map<string, DumpedValue>();
      for (const [channel, given] of told) {
        const list = before.lists.get(channel);
        if (isSame(channel, before)) {
          same[channel] = before.places.get(channel) as number;
          if (list) lists.set(channel, list);
          continue;
        }
        const value = dumped.get(channel) ?? (await dumpValue(this.serde, given));
        fresh.set(channel, value);
        values[channel] = keptValue(value, list);
      }
      const known = last.get(ns);
      const body: CheckpointBody = {
        thread,
        ns,
        checkpoint: checkpoint.id,
        parent,
        first: known?.checkpoint === checkpoint.id ? known.seq : null,
        rest: ownRest,
        metadata: ownMetadata,
        values,
        same,
      };
      const { seq } = await session.record(CHECKPOINT_KIND, asBody(body));
      for (const [channel, value] of fresh) {
        const kept = values[channel];
        if (value.kind === "list" && kept && "list" in kept)
          lists.set(channel, {
            seq,
            start: (kept.start as number | null) ?? seq,
            links: kept.links as number,
            hashes: value.hashes,
          });
      }
      last.set(ns, { checkpoint: checkpoint.id, seq, versions, places: placesOf({ ...body, seq }), lists });
    });
    return {
      configurable: {
        thread_id: config.configurable?.thread_id,
        checkpoint_ns: ns,
        checkpoint_id: checkpoint.id,
      },
    };
  }

  override async putWrites(config: RunnableConfig, writes: PendingWrite[], task: string): Promise<void> {
    const thread = threadOf(config, "put writes");
    const { checkpoint_ns: ns = "", checkpoint_id: checkpoint } = config.configurable ?? {};
    if (checkpoint === undefined) throw missing("put writes", "checkpoint_id");
    const dumped = Promise.all(
      writes.map(
        async ([channel, value], at) =>
          [channel, WRITES_IDX_MAP[channel] ?? at, await dump(this.serde, value)] as [
            string,
            number,
            [string, string],
          ],
      ),
    );
    const id = this.sessionOf(thread);
    const known = this.#threads.get(id) ?? this.#remember(id);
    // After the checkpoint they are of, beside each other.
    const written = Promise.all([dumped, known.tail]).then(([writes]) => {
      const body = { ns, checkpoint: String(checkpoint), task, writes };
      return this.#held.use(id, thread, (session) => session.record(WRITES_KIND, asBody(body)));
    });
    const writing: Promise<unknown> = written.then(
      () => known.writes.delete(writing),
      () => known.writes.delete(writing), // the caller has the error
    );
    known.writes.add(writing);
    await written;
  }

  /** What was put before goes with it, what comes later stays. */
  override async deleteThread(threadId: string): Promise<void> {
    const session = this.sessionOf(threadId);
    const before = this.#threads.get(session);
    this.#threads.delete(session);
    const deleted = Promise.all([before?.tail, ...(before?.writes ?? [])]).then(async () => {
      await this.#held.release(session);
      await deleteSession(this.#store, session);
    });
    this.#remember(session).tail = deleted.catch(() => undefined); // whoever deletes has the error
    await deleted;
  }

  /** Gives every thread back. The store is the caller's to close. */
  close(): Promise<void> {
    return this.#held.close();
  }

  async #dumpValues(values: readonly [string, unknown][]): Promise<Map<string, DumpedValue>> {
    return new Map(
      await Promise.all(
        values.map(async ([channel, value]) => [channel, await dumpValue(this.serde, value)] as const),
      ),
    );
  }

  /** What the parent had, from memory where this process wrote it, else from its record. */
  async #before(
    thread: string,
    ns: string,
    parent: string | null,
    last: ReadonlyMap<string, Remembered>,
  ): Promise<Before> {
    if (parent === null) return NOTHING_BEFORE;
    const known = last.get(ns);
    if (known?.checkpoint === parent) return known;
    const kept = await this.#reader(thread).find(ns, parent);
    if (!kept) return NOTHING_BEFORE;
    const { channel_versions: versions } = (await load(this.serde, kept.rest)) as Checkpoint;
    return { versions, places: placesOf(kept), lists: new Map() };
  }

  /** In the order of the calls, with the thread claimed. What a process remembers is true only as long as nobody else wrote. */
  #inTurn(thread: string, work: (session: Session, thread: Thread) => Promise<void>): Promise<void> {
    const id = this.sessionOf(thread);
    const known = this.#threads.get(id) ?? this.#remember(id);
    const done = known.tail.then(() => this.#held.use(id, thread, (session) => work(session, known)));
    known.tail = done.catch(() => {
      // Whoever put it has the error; what is kept is asked of the store again.
      if (this.#threads.get(id) === known) this.#threads.delete(id);
    });
    return done;
  }

  #remember(id: string): Thread {
    const oldest = this.#threads.size >= MAX_REMEMBERED_THREADS ? this.#threads.keys().next() : null;
    if (oldest && !oldest.done) this.#threads.delete(oldest.value);
    const thread: Thread = { tail: Promise.resolve(), writes: new Set(), last: new Map() };
    this.#threads.set(id, thread);
    return thread;
  }

  async #everyThread(): Promise<string[]> {
    const sessions = await this.#store.sessions({ prefix: `${this.#prefix}:` });
    return sessions.map(({ id }) => id);
  }

  #reader(thread: string): ThreadReader {
    return new ThreadReader(this.#store, this.serde, this.sessionOf(thread));
  }
}

const NOTHING_BEFORE: Before = { versions: {}, places: new Map(), lists: new Map() };

type DumpedValue =
  | { readonly kind: "whole"; readonly value: [string, string] }
  | { readonly kind: "list"; readonly items: [string, string][]; readonly hashes: string[] };

/** A list is kept item by item, so that what was there before is not written again. */
async function dumpValue(serde: SerializerProtocol, value: unknown): Promise<DumpedValue> {
  const isList = Array.isArray(value) && value.length > 0 && value.every((item) => item !== undefined);
  if (!isList) return { kind: "whole", value: await dump(serde, value) };
  const items = await Promise.all(value.map((item) => dump(serde, item)));
  return { kind: "list", items, hashes: hashesOf(items) };
}

const keptValue = (value: DumpedValue, before: WrittenList | undefined): KeptValue =>
  value.kind === "whole" ? { whole: value.value } : growth(value.items, value.hashes, before ?? null);

function threadOf(config: RunnableConfig, what: string): string {
  const thread = config.configurable?.thread_id;
  if (thread === undefined || thread === null || thread === "") throw missing(what, "thread_id");
  return String(thread);
}

const missing = (what: string, field: string): RefloatError =>
  new RefloatError("E_BAD_ID", { what: field, why: `to ${what} the config must have it under configurable` });
