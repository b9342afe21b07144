/** What a gateway is given, and what it hands to those functions. */

import type { Session } from "../conversation/session.ts";
import type { Turn } from "../conversation/turn.ts";
import type { Json } from "../model/json.ts";
import type { Input, Part } from "../model/parts.ts";
import type { LeaveReason } from "./decide-resume.ts";
import type { FoundInstance } from "./gateway-journal.ts";
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
  /**
   * Hears of every turn that is left alone, with the reason. What it returns is delivered to whoever asked, as an answer
   * would be; null or nothing: he is not told. Left out: he is told in a sentence, unless he asked to stop or is not welcome.
   */
  readonly onLeft?: (left: TurnLeft) => Input | null | undefined | Promise<Input | null | undefined>;
  /** Hears what happens, a line for the operator's own log each: what was found, resumed, left, suspended, drained. */
  readonly onNotice?: (notice: GatewayNotice) => void;
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

/** What a gateway says of itself as it goes: for the operator's log, which is the application's. */
interface NoticeHead {
  readonly level: "info" | "warning";
  /** Null: the gateway itself. */
  readonly session: string | null;
  /** One line for people. */
  readonly text: string;
}

export type GatewayNotice = NoticeHead &
  (
    | { readonly kind: "instance-found"; readonly found: FoundInstance }
    | {
        readonly kind: "opened";
        readonly resumed: number;
        readonly left: number;
        /** Inputs or deliveries waited, and nothing was interrupted. */
        readonly waiting: number;
      }
    | { readonly kind: "resumed"; readonly turn: string; readonly cause: string }
    | { readonly kind: "left"; readonly left: TurnLeft }
    | { readonly kind: "lifted"; readonly reason: string }
    /** Its `answer` does not heed its signal: look after it. */
    | { readonly kind: "cut-off"; readonly turn: string }
    | { readonly kind: "renewed"; readonly to: string }
    | { readonly kind: "drain-began"; readonly turns: number }
    | { readonly kind: "drain-ended"; readonly interrupted: readonly string[] }
    | { readonly kind: "no-exit-note"; readonly error: Error }
  );

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

/** Something to be said that answers no input: a reminder, the end of a long job. */
export interface Outbound {
  /** The durable conversation, as in `receive`; it comes into being with this if it is not there. */
  readonly session: string;
  readonly route?: Json;
  /** The same one again is said once (D4); left out: a new one. */
  readonly id?: string;
  readonly parts: Input;
}

/** Handed out only when it is in the conversation and owed, on disk (T1). */
export type SendReceipt = Pick<GatewayReceipt, "id" | "session" | "seq" | "isRepeat">;

/** Handed out only when the input is on disk (C1, T1). */
export interface GatewayReceipt {
  readonly id: string;
  readonly session: string;
  readonly seq: number;
  /** It was there already: nothing was added. */
  readonly isRepeat: boolean;
  /** What its turn waits for, beyond those before it: the end of recovery, the next start, a lift, another process. */
  readonly waitsFor: WaitsFor;
  /** The same in words, with what ends the waiting; null: nothing. */
  readonly because: string | null;
}

export type WaitsFor = "nothing" | "start" | "restart" | "lift" | "holder";

/** A turn that was interrupted and is not gone on with by itself. */
export interface TurnLeft extends Interrupted {
  readonly why: LeaveReason;
  /** The same in a sentence for whoever asked, with what he can do. */
  readonly text: string;
  /** How the process ended in which it ran. */
  readonly cause: string;
  /** Without progress, this one included. */
  readonly dirtyEnds: number;
  /** Nothing runs in the conversation by itself until it is lifted; where it is attended, a new input does so. */
  readonly isSuspended: boolean;
  readonly isAttended: boolean;
  /** The next input begins a new session, which names this one. */
  readonly beginsAnew: boolean;
  /** When it is looked at again by itself; null: not by itself. */
  readonly untilMs: number | null;
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
  /** In the first turn after a fresh start: the session in which the conversation was before. Else null. */
  readonly continues: string | null;
  /** To be told to the model in this request only; null: nothing happened. */
  readonly note: string | null;
  /** Aborted when the turn is to end: asked to stop, or the drain's time is up. Not heeded, it is cut off a little later. */
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
