/** `refloat/openai-agents`: a Session of the OpenAI Agents SDK on a refloat store, and tools that run once. docs/openai-agents.md. */
import { isDeepStrictEqual } from "node:util";
import type {
  AgentInputItem,
  SessionHistoryRewriteArgs,
  SessionHistoryRewriteAwareSession,
  SessionHistoryTransactionArgs,
  SessionHistoryTransactionAwareSession,
} from "@openai/agents-core";
import type { RefloatStore } from "../app/store/open-store.ts";
import type { Session } from "../conversation/session.ts";
import { RefloatError } from "../model/errors.ts";
import type { Effect } from "../model/record.ts";
import { randomId } from "../platform/random.ts";
import { HeldSessions, type HoldOptions } from "./shared/held-sessions.ts";
import { ItemList, type ItemWords } from "./shared/item-list.ts";
import { runOnce } from "./shared/once.ts";
import { sessionIdFor } from "./shared/session-id.ts";

const PREFIX = "openai-agents";

export interface RefloatSessionOptions extends Partial<Omit<HoldOptions, "agent">> {
  /** Goes on with this conversation; left out: a new one. */
  readonly sessionId?: string;
  readonly agent?: string;
  readonly prefix?: string;
}

/** What a tool's `execute` is called with, as far as it matters here. */
type Execute<Input, Context> = (input: Input, context?: Context, details?: CallDetails) => unknown;
interface CallDetails {
  readonly toolCall?: { readonly callId?: string };
}

const WORDS: ItemWords<AgentInputItem> = {
  kind: "openai-agents.items",
  callsIn: (item) => (item.type === "function_call" ? [item.callId] : []),
  itemsOf: ({ id, tool, input, output }) => [
    {
      type: "function_call",
      callId: id,
      name: tool,
      arguments: typeof input === "string" ? input : JSON.stringify(input),
      status: "completed",
    },
    {
      type: "function_call_result",
      callId: id,
      name: tool,
      status: "completed",
      output: { type: "text", text: typeof output === "string" ? output : JSON.stringify(output) },
    },
  ],
};

export class RefloatSession
  implements SessionHistoryRewriteAwareSession, SessionHistoryTransactionAwareSession
{
  readonly #id: string;
  readonly #session: string;
  readonly #store: RefloatStore;
  readonly #held: HeldSessions;
  readonly #items: ItemList<AgentInputItem>;
  /** The handle for which it was looked what nobody kept. */
  #healed: Session | null = null;
  /** Calls begun here: the framework that asked for them lives, and will keep them itself. */
  readonly #own = new Set<string>();
  /** Changes that are made of what is there come one after the other. */
  #tail: Promise<unknown> = Promise.resolve();

  constructor(
    store: RefloatStore,
    { sessionId = randomId(), prefix = PREFIX, ...hold }: RefloatSessionOptions = {},
  ) {
    this.#id = sessionId;
    this.#session = sessionIdFor(prefix, sessionId);
    this.#store = store;
    this.#held = new HeldSessions(store, { agent: PREFIX, workspace: PREFIX, ...hold });
    this.#items = new ItemList(store, WORDS);
  }

  async getSessionId(): Promise<string> {
    return this.#id;
  }

  /** The last ones, or all. Claims the conversation: whoever reads it is about to go on with it. */
  getItems(limit?: number): Promise<AgentInputItem[]> {
    return this.#change(() => this.#items.last(this.#session, limit));
  }

  addItems(items: AgentInputItem[]): Promise<void> {
    return this.#change((session) => this.#items.change(session, 0, items));
  }

  popItem(): Promise<AgentInputItem | undefined> {
    return this.#change(async (session) => {
      const [last] = await this.#items.last(this.#session, 1);
      if (last) await this.#items.change(session, 1, []);
      return last;
    });
  }

  /** The list is empty from then on; what was in it stays in the journal (D2). `store.forget` erases it. */
  clearSession(): Promise<void> {
    return this.#change((session) => this.#items.change(session, null, []));
  }

  replaceHistoryWithCompaction(items: AgentInputItem[]): Promise<void> {
    return this.#change((session) => this.#items.change(session, null, items));
  }

  applyHistoryMutations({ mutations }: SessionHistoryRewriteArgs): Promise<void> {
    return this.#change(async (session) => {
      const items = await this.#items.last(this.#session);
      const rewritten = mutations.reduce<AgentInputItem[]>(
        (all, { callId, replacement }) =>
          all.map((item) => (item.type === "function_call" && item.callId === callId ? replacement : item)),
        items,
      );
      await this.#items.become(session, rewritten);
    });
  }

  /** Made once under its id, also where it is asked for again after a death (D4). */
  applyHistoryTransaction({ operationId, transaction }: SessionHistoryTransactionArgs): Promise<void> {
    return this.#change(async (session) => {
      if (transaction.type === "append_items")
        return this.#items.change(session, 0, transaction.items, operationId);
      const { expectedSuffix, replacement } = transaction;
      const found = await this.#items.last(this.#session, expectedSuffix.length);
      if (isDeepStrictEqual(found, JSON.parse(JSON.stringify(expectedSuffix))))
        return this.#items.change(session, expectedSuffix.length, replacement, operationId);
      if (await this.#items.wasMade(this.#session, operationId)) return;
      const why = "its last items are not those that were to be replaced";
      throw new RefloatError("E_BAD_RECORD", { kind: WORDS.kind, why });
    });
  }

  /** A tool's `execute`, guarded: it runs once for one call. Throws E_OUTCOME_UNKNOWN for one that a dead process began. */
  once<Input, Context>(
    { name, effect }: { readonly name: string; readonly effect?: Effect },
    execute: Execute<Input, Context>,
  ): Execute<Input, Context> {
    return async (input, context, details) => {
      const id = details?.toolCall?.callId;
      if (id === undefined) return execute(input, context, details);
      this.#own.add(id);
      return this.#held.inTurn(this.#session, this.#id, (turn) =>
        runOnce(
          this.#store,
          this.#session,
          turn,
          { id, tool: name, input, ...(effect ? { effect } : {}) },
          () => execute(input, context, details),
        ),
      );
    };
  }

  /** Gives the conversation back. The store is the caller's to close. */
  close(): Promise<void> {
    return this.#held.close();
  }

  #change<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const done = this.#tail.then(() =>
      this.#held.use(this.#session, this.#id, async (session) => {
        if (this.#healed !== session) await this.#items.heal(session, this.#own);
        this.#healed = session;
        return work(session);
      }),
    );
    this.#tail = done.catch(() => undefined); // the caller has the error
    return done;
  }
}
