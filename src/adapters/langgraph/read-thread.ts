/** Reading a thread's journal back as the framework's checkpoints. Needs no claim: whoever looks disturbs nobody. */
import {
  type Checkpoint,
  type CheckpointPendingWrite,
  type CheckpointTuple,
  maxChannelVersion,
  type SerializerProtocol,
  TASKS,
} from "@langchain/langgraph-checkpoint";
import type { RefloatStore } from "../../app/store/open-store.ts";
import { RefloatError } from "../../model/errors.ts";
import {
  CHECKPOINT_KIND,
  type KeptCheckpoint,
  type KeptValue,
  load,
  placesOf,
  readCheckpoint,
  readWrites,
  type TypedText,
  WRITES_KIND,
  type WritesBody,
} from "./checkpoint-records.ts";

/** The newest are what is asked for; each may be large. */
const NEWEST_ROWS = 8;
/** Checkpoint records one look keeps at hand: a listing goes through the same ones again and again. */
const MAX_AT_HAND = 2000;

export class ThreadReader {
  readonly #store: RefloatStore;
  readonly #serde: SerializerProtocol;
  readonly #session: string;
  readonly #atHand = new Map<number, KeptCheckpoint>();

  constructor(store: RefloatStore, serde: SerializerProtocol, session: string) {
    this.#store = store;
    this.#serde = serde;
    this.#session = session;
  }

  /** The newest of this namespace, or the one with this id. Order is the store's (D3). */
  async find(ns: string, id: string | null, at?: number): Promise<KeptCheckpoint | null> {
    if (at !== undefined) {
      const known = await this.#at(at);
      if (known?.checkpoint === id && known.ns === ns) return known;
    }
    for await (const record of this.#store.records(this.#session, {
      kinds: [CHECKPOINT_KIND],
      order: "backward",
      pageRows: NEWEST_ROWS,
    })) {
      const found = readCheckpoint(record);
      if (found?.ns === ns && (id === null || found.checkpoint === id)) return found;
    }
    return null;
  }

  /** Newest first, each once though it was put twice, with the writes that wait on it. */
  async *all(): AsyncGenerator<{ readonly kept: KeptCheckpoint; readonly writes: readonly WritesBody[] }> {
    const seen = new Set<string>();
    const waiting = new Map<string, WritesBody[]>();
    const kinds = [CHECKPOINT_KIND, WRITES_KIND];
    for await (const record of this.#store.records(this.#session, { kinds, order: "backward" })) {
      const writes = readWrites(record);
      if (writes) {
        const key = keyOf(writes);
        waiting.set(key, [writes, ...(waiting.get(key) ?? [])]);
      }
      const kept = readCheckpoint(record);
      if (!kept || seen.has(keyOf(kept))) continue;
      seen.add(keyOf(kept));
      this.#keepAtHand(kept);
      const isWhole = kept.first === null;
      yield { kept, writes: isWhole ? (waiting.get(keyOf(kept)) ?? []) : await this.writesOn(kept) };
      waiting.delete(keyOf(kept));
    }
  }

  /** What tasks of this checkpoint wrote, in the order of the journal. */
  async writesOn({ ns, checkpoint, seq, first }: KeptCheckpoint): Promise<WritesBody[]> {
    const found: WritesBody[] = [];
    const range = { kinds: [WRITES_KIND], fromSeq: first ?? seq };
    for await (const record of this.#store.records(this.#session, range)) {
      const writes = readWrites(record);
      if (writes?.checkpoint === checkpoint && writes.ns === ns) found.push(writes);
    }
    return found;
  }

  async tuple(kept: KeptCheckpoint, writes: readonly WritesBody[]): Promise<CheckpointTuple> {
    const { thread: thread_id, ns: checkpoint_ns, checkpoint: checkpoint_id, parent } = kept;
    const rest = (await load(this.#serde, kept.rest)) as Omit<Checkpoint, "channel_values">;
    const checkpoint: Checkpoint = { ...rest, channel_values: await this.#valuesOf(kept) };
    if (checkpoint.v < 4 && parent !== null) await this.#bringPendingSends(checkpoint, checkpoint_ns, parent);
    const metadata = (await load(this.#serde, kept.metadata)) as NonNullable<CheckpointTuple["metadata"]>;
    return {
      config: { configurable: { thread_id, checkpoint_ns, checkpoint_id } },
      checkpoint,
      metadata,
      pendingWrites: await this.#pending(writes),
      ...(parent === null
        ? {}
        : { parentConfig: { configurable: { thread_id, checkpoint_ns, checkpoint_id: parent } } }),
    };
  }

  /** A task's first word on an index stands; errors, interrupts and the like (negative ones) are said again. */
  async #pending(all: readonly WritesBody[]): Promise<CheckpointPendingWrite[]> {
    const standing = new Map<string, readonly [task: string, channel: string, value: TypedText]>();
    for (const { task, writes } of all)
      for (const [channel, index, value] of writes) {
        const key = `${task},${index}`;
        if (index < 0 || !standing.has(key)) standing.set(key, [task, channel, value]);
      }
    return Promise.all(
      [...standing.values()].map(
        async ([task, channel, value]): Promise<CheckpointPendingWrite> => [
          task,
          channel,
          await load(this.#serde, value),
        ],
      ),
    );
  }

  /** Checkpoints of versions before 4 kept what is to be sent with their parent's writes. */
  async #bringPendingSends(checkpoint: Checkpoint, ns: string, parent: string): Promise<void> {
    const found = await this.find(ns, parent);
    const sent = found ? await this.#pending(await this.writesOn(found)) : [];
    const values = checkpoint.channel_values as Record<string, unknown>;
    values[TASKS] = sent.filter(([, channel]) => channel === TASKS).map(([, , value]) => value);
    const versions = Object.values(checkpoint.channel_versions);
    checkpoint.channel_versions[TASKS] = versions.length > 0 ? maxChannelVersion(...versions) : 1;
  }

  async #valuesOf(kept: KeptCheckpoint): Promise<Record<string, unknown>> {
    const values: Record<string, unknown> = {};
    for (const [channel, seq] of placesOf(kept)) {
      const holder = seq === kept.seq ? kept : await this.#at(seq);
      const value = holder?.values[channel];
      if (!value) throw this.#damaged(seq);
      values[channel] = await this.#valueOf(channel, value);
    }
    return values;
  }

  async #valueOf(channel: string, value: KeptValue): Promise<unknown> {
    if ("whole" in value) return load(this.#serde, value.whole as TypedText);
    const links: { list: readonly TypedText[]; keep: number }[] = [value];
    if (value.start !== null && value.base !== null) await this.#bring(value.start, value.base);
    for (let base = value.base; base !== null; ) {
      const link = (await this.#at(base))?.values[channel];
      if (!link || !("list" in link)) throw this.#damaged(base);
      links.push(link);
      base = link.base;
    }
    const items: TypedText[] = [];
    for (const { list, keep } of links.toReversed()) {
      items.length = Math.min(items.length, keep);
      items.push(...list);
    }
    return Promise.all(items.map((item) => load(this.#serde, item)));
  }

  async #at(seq: number): Promise<KeptCheckpoint | null> {
    if (!this.#atHand.has(seq)) await this.#bring(seq, seq);
    return this.#atHand.get(seq) ?? null;
  }

  async #bring(fromSeq: number, toSeq: number): Promise<void> {
    if (this.#atHand.has(fromSeq) && this.#atHand.has(toSeq)) return;
    for await (const record of this.#store.records(this.#session, {
      kinds: [CHECKPOINT_KIND],
      fromSeq,
      toSeq,
    })) {
      const kept = readCheckpoint(record);
      if (kept) this.#keepAtHand(kept);
    }
  }

  #keepAtHand(kept: KeptCheckpoint): void {
    const oldest = this.#atHand.size >= MAX_AT_HAND ? this.#atHand.keys().next() : null;
    if (oldest && !oldest.done) this.#atHand.delete(oldest.value);
    this.#atHand.set(kept.seq, kept);
  }

  #damaged(seq: number): RefloatError {
    const why = `record ${seq} of session ${this.#session} is damaged or was forgotten, and a later checkpoint builds on it`;
    return new RefloatError("E_BAD_RECORD", { kind: CHECKPOINT_KIND, why });
  }
}

const keyOf = ({ ns, checkpoint }: { readonly ns: string; readonly checkpoint: string }): string =>
  JSON.stringify([ns, checkpoint]);
