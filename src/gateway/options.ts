/** What a gateway is given, and what it hands to those functions. */
import type { Input } from "../conversation/input.ts";
import type { Session } from "../conversation/session.ts";
import type { Turn } from "../conversation/turn.ts";
import type { Json } from "../model/json.ts";
import type { Part } from "../model/parts.ts";
import type { GatewayPolicy } from "./policy.ts";

export interface GatewayOptions {
  /** Which gateway this is: its own journal is the session `gateway:<name>`. */
  readonly name: string;
  /** The agent's name in its conversations. */
  readonly agent: string;
  /** The workspace of its conversations; left out: `gateway:<name>`, for those that work in none. */
  readonly workspace?: string;
  /** Runs one turn: talks to the model, runs tools, and returns the answer. */
  readonly answer: (turn: GatewayTurn) => Promise<Answer>;
  /** Sends an answer to where it belongs. Throwing means: it may have arrived. */
  readonly deliver: (delivery: Delivery) => Promise<DeliveryEnd>;
  /** May the one whose turn was interrupted still have it gone on with? Asked before every automatic resume. */
  readonly authorise?: (asked: Interrupted) => boolean | Promise<boolean>;
  /** Is somebody there to be asked? True when left out; a webhook or a timer is not. */
  readonly isAttended?: (conversation: { readonly session: string; readonly route: Json }) => boolean;
  /** What the asker is told when a turn failed; null: nothing. Left out: one sentence. */
  readonly apology?: (error: Error) => Input | null;
  readonly policy?: Partial<GatewayPolicy>;
  /** How many of a conversation's last messages a turn sees. */
  readonly window?: number;
  /** Turns that run at the same time. */
  readonly concurrency?: number;
  /** Hears what went wrong outside anybody's call: a store that failed, an authorisation that threw. */
  readonly onTrouble?: (trouble: Trouble) => void;
}

export interface Trouble {
  /** Null: the gateway itself. */
  readonly session: string | null;
  readonly error: Error;
}

/** An input as the platform brings it. */
export interface Inbound {
  /** The durable conversation. Several routes may lead to one; turns are kept apart by this, never by the route. */
  readonly session: string;
  /** Where its answer goes: anything the platform needs to find it. */
  readonly route?: Json;
  /** The platform's id of the message: the same one again is stored and answered once (D4). */
  readonly id?: string;
  readonly input: Input;
  readonly from?: string;
  /** The key of the question this input says yes to. */
  readonly confirms?: string;
}

/** Handed out only when the input is on disk (C1, T1). */
export interface GatewayReceipt {
  readonly id: string;
  readonly session: string;
  readonly seq: number;
  /** It was there already: nothing was added. */
  readonly isRepeat: boolean;
  /** What its turn waits for, beyond those before it: the end of recovery, the next start, a lift. */
  readonly waitsFor: "nothing" | "start" | "restart" | "lift";
}

export interface TurnInput {
  readonly id: string;
  readonly parts: readonly Part[];
  readonly from: string | null;
  readonly route: Json;
  readonly confirms: string | null;
}

export interface GatewayTurn {
  readonly session: Session;
  readonly turn: Turn;
  /** What is to be answered; in a resumed turn, what the interrupted one was to answer. */
  readonly input: TurnInput | null;
  readonly isResumed: boolean;
  readonly isAttended: boolean;
  /** To be told to the model in this request only; null: nothing happened. */
  readonly note: string | null;
  /** Aborted when the turn is to end: asked to stop, or the drain's time is up. */
  readonly signal: AbortSignal;
  /** Asks for a confirmation, or uses the one this input gives. Never one from before a restart. */
  confirm(key: string, question: string): Promise<Confirmation>;
}

export type Confirmation =
  | { readonly kind: "granted" }
  /** Not given, void or too old: put this question to the user and end the turn. */
  | { readonly kind: "ask"; readonly question: string; readonly why: string };

export type Answer =
  /** The whole answer: it is added to the conversation, the turn ends and the delivery is owed, in one step. */
  | { readonly kind: "reply"; readonly parts: Input }
  /** The answer is in the conversation already, streamed; this is what is to be delivered. */
  | { readonly kind: "streamed"; readonly parts: Input }
  | { readonly kind: "silent" };

export interface Delivery {
  readonly id: string;
  readonly session: string;
  readonly route: Json;
  /** The input it answers. */
  readonly input: string | null;
  /** With a first line that says so when it may be a duplicate. */
  readonly parts: readonly Part[];
  readonly mayBeDuplicate: boolean;
  readonly number: number;
}

export type DeliveryEnd =
  | { readonly kind: "delivered" }
  /** The other side certainly has nothing of it: it will be sent again, plainly. */
  | { readonly kind: "not-sent"; readonly why: string };

export interface Interrupted {
  readonly session: string;
  readonly from: string | null;
  readonly route: Json;
  readonly input: string | null;
  readonly turn: string;
}
