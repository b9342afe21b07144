/**
 * A conversation as a list that a framework hands over and wants back: items are added at its end, taken off it, or replaced from
 * some place on. Each change is one record (how many go, which come), so it is whole or not there; the newest items are
 * read from the journal's end, however long it is.
 */
import { z } from "zod";
import type { RefloatStore } from "../../app/store/open-store.ts";
import type { Session } from "../../conversation/session.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import { isCode } from "./held-sessions.ts";
import { keyed, type UnkeptCall, unkeptCalls } from "./unkept-calls.ts";

const changeBody = z.looseObject({
  /** How many of the last items go first; null: all of them. */
  drop: z.number().int().nonnegative().nullable(),
  add: z.array(z.unknown()),
});

/** Records read at once from the end: a change has a few items. */
const PAGE_ROWS = 50;

/** What differs between frameworks: where a call's id is in an item, and how a call nobody kept is told to a model. */
export interface ItemWords<Item> {
  readonly kind: string;
  /** Ids of the calls that this item tells of. */
  callsIn(item: Item): readonly string[];
  /** A call and its outcome, as items. */
  itemsOf(call: UnkeptCall): readonly Item[];
}

export class ItemList<Item> {
  readonly #store: RefloatStore;
  readonly #words: ItemWords<Item>;

  constructor(store: RefloatStore, words: ItemWords<Item>) {
    this.#store = store;
    this.#words = words;
  }

  /** The last ones, or all, oldest first. */
  async last(session: string, limit = Number.POSITIVE_INFINITY): Promise<Item[]> {
    const found: Item[] = [];
    let dropped = 0;
    const range = { kinds: [this.#words.kind], order: "backward", pageRows: PAGE_ROWS } as const;
    for await (const { body, isForgotten } of this.#store.records(session, range)) {
      if (found.length >= limit) break;
      const change = isForgotten ? null : changeBody.safeParse(body).data;
      if (!change) continue;
      const stays = Math.max(0, change.add.length - dropped);
      dropped -= change.add.length - stays;
      found.unshift(...(change.add.slice(0, stays) as Item[]));
      if (change.drop === null) break;
      dropped += change.drop;
    }
    return Number.isFinite(limit) ? found.slice(-limit || found.length) : found;
  }

  /** With an id of its own the same change again is a no-op, and another under it is refused (D4). */
  async change(session: Session, drop: number | null, add: readonly Item[], id?: string): Promise<void> {
    const body: JsonObject = { drop, add: add as unknown as Json };
    await session.record(this.#words.kind, body, id === undefined ? {} : { id: keyed(this.#words.kind, id) });
  }

  /** Makes the list this one, writing only from the first item that differs. */
  async become(session: Session, items: readonly Item[]): Promise<void> {
    const before = (await this.last(session.id)).map((item) => JSON.stringify(item));
    const now = items.map((item) => JSON.stringify(item));
    const differs = now.findIndex((one, at) => one !== before[at]);
    const same = differs === -1 ? now.length : differs;
    if (same === now.length && same === before.length) return;
    await this.change(session, before.length - same, items.slice(same));
  }

  /** Whether a change was made under this id. Asked only where it cannot be made now. */
  async wasMade(session: string, id: string): Promise<boolean> {
    const wanted = keyed(this.#words.kind, id);
    for await (const record of this.#store.records(session, { kinds: [this.#words.kind], order: "backward" }))
      if (record.id === wanted) return true;
    return false;
  }

  /**
   * Calls that ran, or may have, and that the list tells nothing of: their process was killed before its framework kept them. They
   * are added, so that the model is told (C4); else it would ask for them again. Not those of `own`, whose framework lives.
   */
  async heal(session: Session, own: ReadonlySet<string>): Promise<void> {
    const calls = await unkeptCalls(this.#store, session.id, this.#words.kind);
    if (calls.length === 0) return;
    const told = new Set((await this.last(session.id)).flatMap((item) => this.#words.callsIn(item)));
    const missing = calls.filter(({ id }) => !told.has(id) && !own.has(id));
    if (missing.length === 0) return;
    const items = missing.flatMap((call) => this.#words.itemsOf(call));
    const id = `told:${missing.map((call) => call.id).join(",")}`;
    await this.change(session, 0, items, id).catch((thrown: unknown) => {
      if (!isCode(thrown, "E_ID_REUSED")) throw thrown; // another process told the same
    });
  }
}
