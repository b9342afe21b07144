/**
 * A conversation of the AI SDK on a refloat store: its messages in and out, UI messages or model messages, and tools that run once. What
 * a killed process had called and not yet kept with its messages is told to the model by the next one (C4).
 */
import type { JSONValue, ModelMessage, UIMessage } from "ai";
import type { RefloatStore } from "../../app/store/open-store.ts";
import type { Session } from "../../conversation/session.ts";
import type { Effect } from "../../model/record.ts";
import { randomId } from "../../platform/random.ts";
import { HeldSessions, type HoldOptions } from "../shared/held-sessions.ts";
import { ItemList, type ItemWords } from "../shared/item-list.ts";
import { runOnce } from "../shared/once.ts";
import { sessionIdFor } from "../shared/session-id.ts";

const PREFIX = "ai-sdk";

export interface RefloatChatOptions extends Partial<Omit<HoldOptions, "agent">> {
  /** Goes on with this conversation; left out: a new one. */
  readonly id?: string;
  readonly agent?: string;
  readonly prefix?: string;
}

/** What a tool's `execute` is called with, as far as it matters here. */
type Execute<Input, Options extends { readonly toolCallId: string }> = (
  input: Input,
  options: Options,
) => unknown;

/** Messages of either kind; `uiChat` and `modelChat` make one. */
export class RefloatChat<Message extends UIMessage | ModelMessage> {
  readonly id: string;
  readonly #session: string;
  readonly #store: RefloatStore;
  readonly #held: HeldSessions;
  readonly #items: ItemList<Message>;
  #healed: Session | null = null;
  /** Calls begun here: the framework that asked for them lives, and will keep them itself. */
  readonly #own = new Set<string>();
  #tail: Promise<unknown> = Promise.resolve();

  constructor(store: RefloatStore, words: ItemWords<Message>, options: RefloatChatOptions) {
    const { id = randomId(), prefix = PREFIX, ...hold } = options;
    this.id = id;
    this.#session = sessionIdFor(prefix, id);
    this.#store = store;
    this.#held = new HeldSessions(store, { agent: PREFIX, workspace: PREFIX, ...hold });
    this.#items = new ItemList(store, words);
  }

  /** All, or the last ones. Claims the conversation: whoever asks is about to go on with it. */
  messages(limit?: number): Promise<Message[]> {
    return this.#inTurn(() => this.#items.last(this.#session, limit));
  }

  /** As they are now, for who only looks: no claim, and nothing is added. */
  peek(limit?: number): Promise<Message[]> {
    return this.#items.last(this.#session, limit);
  }

  /** Adds messages at the end; on disk when it resolves. */
  add(...messages: readonly Message[]): Promise<void> {
    return this.#inTurn((session) => this.#items.change(session, 0, messages));
  }

  /** Makes the conversation this one, as `onFinish` hands it over. Only what differs is written; what is taken out stays in the journal. */
  save(messages: readonly Message[]): Promise<void> {
    return this.#inTurn((session) => this.#items.become(session, messages));
  }

  /** A tool's `execute`, guarded: it runs once for one call. Throws E_OUTCOME_UNKNOWN for one that a dead process began. */
  once<Input, Options extends { readonly toolCallId: string }>(
    { name, effect }: { readonly name: string; readonly effect?: Effect },
    execute: Execute<Input, Options>,
  ): (input: Input, options: Options) => Promise<JSONValue> {
    return async (input, options) => {
      const call = { id: options.toolCallId, tool: name, input, ...(effect ? { effect } : {}) };
      this.#own.add(call.id);
      const output = await this.#held.inTurn(this.#session, this.id, (turn) =>
        runOnce(this.#store, this.#session, turn, call, () => execute(input, options)),
      );
      return output as JSONValue;
    };
  }

  /** Gives the conversation back. The store is the caller's to close. */
  close(): Promise<void> {
    return this.#held.close();
  }

  #inTurn<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const done = this.#tail.then(() =>
      this.#held.use(this.#session, this.id, async (session) => {
        if (this.#healed !== session) await this.#items.heal(session, this.#own);
        this.#healed = session;
        return work(session);
      }),
    );
    this.#tail = done.catch(() => undefined); // the caller has the error
    return done;
  }
}
