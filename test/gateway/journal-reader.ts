/** What the journal says, read beside the server's process. */
import { onTestFinished } from "vitest";
import type { SessionId } from "../../src/model/ids.ts";
import type { StoredRecord } from "../../src/model/record.ts";
import { openRawStore } from "../../src/store/open-raw-store.ts";
import type { Store } from "../../src/store/store.ts";
import { type ChildOrders, until } from "./chat-process.ts";

export class JournalReader {
  readonly store: Store;

  private constructor(store: Store) {
    this.store = store;
  }

  static async open({ url, open }: Pick<ChildOrders, "url" | "open">): Promise<JournalReader> {
    const store = await openRawStore(url, { ...open, thread: false });
    onTestFinished(() => store.close());
    return new JournalReader(store);
  }

  async records(session: string, ...kinds: string[]): Promise<StoredRecord[]> {
    const found: StoredRecord[] = [];
    for await (const record of this.store.journal(session as SessionId)) {
      if (kinds.length === 0 || kinds.includes(record.kind)) found.push(record);
    }
    return found;
  }

  /** Waits until a record of this kind with these fields is there. */
  recorded(session: string, kind: string, fields: Record<string, unknown> = {}): Promise<StoredRecord> {
    return until(`${kind} ${JSON.stringify(fields)} in ${session}`, async () =>
      (await this.records(session, kind)).find(({ body }) =>
        Object.entries(fields).every(([key, value]) => body[key] === value),
      ),
    );
  }

  /** The outcomes of its turns in order; null: still open. */
  async outcomes(session: string): Promise<unknown[]> {
    const ended = new Map(
      (await this.records(session, "turn.ended")).map(({ body }) => [body.turn, body.outcome]),
    );
    return (await this.records(session, "turn.began")).map(({ body }) => ended.get(body.turn) ?? null);
  }

  /** True: no turn began before the one before it had ended (K1). */
  async isOneAtATime(session: string): Promise<boolean> {
    const kinds = (await this.records(session, "turn.began", "turn.ended")).map(({ kind }) => kind);
    return kinds.every((kind, i) => (kind === "turn.began") === (i % 2 === 0));
  }
}
