/**
 * LangGraph's long-term store on a refloat store: a namespace is a session, an item a record of its journal; the newest of a key
 * stands. Writes of several processes to one namespace wait for each other; reading needs no claim.
 */
import { BaseStore, type Item, type Operation, type OperationResults } from "@langchain/langgraph-checkpoint";
import { z } from "zod";
import type { RefloatStore } from "../../app/store/open-store.ts";
import type { JsonObject } from "../../model/json.ts";
import type { StoredRecord } from "../../model/record.ts";
import { HeldSessions, type HoldOptions } from "../shared/held-sessions.ts";
import { sessionIdFor } from "../shared/session-id.ts";
import { matches, underNamespace } from "./item-filter.ts";

const PREFIX = "langgraph-store";
const ITEM_KIND = "langgraph.item";
/** A namespace is written to now and then, by anybody: its claim is not kept for longer than a few writes in a row. */
const IDLE_MS = 100;
/** Namespaces whose items a process keeps at hand; each of them is only read on from where it was read last. */
const MAX_AT_HAND = 200;

const itemBody = z.looseObject({
  namespace: z.array(z.string()),
  key: z.string(),
  value: z.record(z.string(), z.unknown()).nullable(),
});

interface Namespace {
  head: number;
  readonly items: Map<string, Item>;
}

export interface RefloatMemoryOptions extends Partial<HoldOptions> {
  /** What the ids of its sessions begin with, so that several programs share a store; "langgraph-store" unless said. */
  readonly prefix?: string;
}

export class RefloatMemory extends BaseStore {
  readonly #store: RefloatStore;
  readonly #held: HeldSessions;
  readonly #prefix: string;
  readonly #atHand = new Map<string, Namespace>();

  constructor(store: RefloatStore, { prefix = PREFIX, ...options }: RefloatMemoryOptions = {}) {
    super();
    this.#prefix = prefix;
    this.#store = store;
    this.#held = new HeldSessions(store, {
      agent: "langgraph",
      workspace: "langgraph",
      idleMs: IDLE_MS,
      ...options,
    });
  }

  /** Reads see what was there before; writes of one batch are on disk when it resolves. */
  override async batch<Op extends readonly Operation[]>(operations: Op): Promise<OperationResults<Op>> {
    const results: unknown[] = [];
    const puts = new Map<string, () => Promise<unknown>>();
    for (const operation of operations) {
      if ("namespacePrefix" in operation) results.push(await this.#search(operation));
      else if ("value" in operation) {
        const { namespace, key, value } = operation;
        // The last of a batch for one key stands, as in the framework's own.
        puts.set(JSON.stringify([namespace, key]), () => this.#put(namespace, key, value));
        results.push(null);
      } else if ("key" in operation) {
        const { items } = await this.#namespace(this.#sessionOf(operation.namespace));
        results.push(items.get(operation.key) ?? null);
      } else results.push(await this.#namespaces(operation));
    }
    await Promise.all([...puts.values()].map((put) => put()));
    return results as OperationResults<Op>;
  }

  /** Gives every namespace back. The store is the caller's to close. */
  override async stop(): Promise<void> {
    await this.#held.close();
  }

  #put(namespace: readonly string[], key: string, value: Record<string, unknown> | null): Promise<unknown> {
    const body = { namespace, key, value } as unknown as JsonObject;
    const name = namespace.join(".");
    return this.#held.use(this.#sessionOf(namespace), name, (session) => session.record(ITEM_KIND, body));
  }

  async #search(asked: Extract<Operation, { namespacePrefix: string[] }>): Promise<Item[]> {
    const { namespacePrefix, filter = {}, offset = 0, limit = 10 } = asked;
    const found: Item[] = [];
    for (const { items } of await this.#all())
      for (const item of items.values())
        if (underNamespace(item.namespace, namespacePrefix) && matches(item.value, filter)) found.push(item);
    return found.slice(offset, offset + limit).map((item) => ({ ...item, score: undefined }));
  }

  async #namespaces(
    asked: Exclude<Operation, { key: string } | { namespacePrefix: string[] }>,
  ): Promise<string[][]> {
    const { matchConditions = [], maxDepth, offset = 0, limit } = asked;
    const paths = new Map<string, string[]>();
    for (const { items } of await this.#all()) {
      const [first] = items.values();
      const isAsked =
        first &&
        matchConditions.every(({ matchType, path }) => underNamespace(first.namespace, path, matchType));
      if (!isAsked) continue;
      const path = first.namespace.slice(0, maxDepth);
      paths.set(path.join(":"), path);
    }
    const sorted = [...paths].sort(([a], [b]) => a.localeCompare(b)).map(([, path]) => path);
    return sorted.slice(offset, offset + (limit ?? sorted.length));
  }

  async #all(): Promise<Namespace[]> {
    const sessions = await this.#store.sessions({ prefix: `${this.#prefix}:` });
    // As they were begun: the framework's own store lists them so.
    return Promise.all(
      sessions
        .map(({ id }) => id)
        .toReversed()
        .map((id) => this.#namespace(id)),
    );
  }

  #sessionOf(namespace: readonly string[]): string {
    return sessionIdFor(this.#prefix, namespace.join("."));
  }

  async #namespace(session: string): Promise<Namespace> {
    const known = this.#atHand.get(session) ?? { head: 0, items: new Map<string, Item>() };
    for await (const record of this.#store.records(session, {
      kinds: [ITEM_KIND],
      fromSeq: known.head + 1,
    })) {
      if (record.seq <= known.head) continue; // two looks at once
      take(known.items, record);
      known.head = record.seq;
    }
    this.#atHand.delete(session);
    this.#atHand.set(session, known);
    const oldest = this.#atHand.size > MAX_AT_HAND ? this.#atHand.keys().next() : null;
    if (oldest && !oldest.done) this.#atHand.delete(oldest.value);
    return known;
  }
}

function take(items: Map<string, Item>, { body, atMs }: StoredRecord): void {
  const said = itemBody.safeParse(body).data;
  if (!said) return;
  const { namespace, key, value } = said;
  if (value === null) items.delete(key);
  else {
    const updatedAt = new Date(atMs);
    items.set(key, { namespace, key, value, createdAt: items.get(key)?.createdAt ?? updatedAt, updatedAt });
  }
}
