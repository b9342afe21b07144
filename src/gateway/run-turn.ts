/** One turn: begun durably, answered by the application, ended with its outcome (C8). */
import type { Session } from "../conversation/session.ts";
import type { Turn } from "../conversation/turn.ts";
import { ensureError, RefloatError } from "../model/errors.ts";
import type { SessionId } from "../model/ids.ts";
import { newRecord } from "../session/new-record.ts";
import { confirm } from "./confirmations.ts";
import type { Deliveries } from "./deliveries.ts";
import type { Host } from "./host.ts";
import type { Interruption } from "./interruption.ts";
import type { Answer, GatewayTurn, TurnInput } from "./options.ts";
import { freshNote, resumeNote } from "./resume-note.ts";
import { endTurn, type TurnEnd } from "./turn-end.ts";

export type TurnStart =
  | {
      readonly kind: "input";
      readonly input: TurnInput;
      readonly seq: number;
      /** An interrupted turn before it that was not resumed. */
      readonly left: Interruption | null;
      /** It is the first turn after a fresh start: where the conversation was before. */
      readonly continues: string | null;
      /** Its history is suspected of ending its process: only while no other turn under suspicion runs. */
      readonly isAlone: boolean;
    }
  | {
      readonly kind: "resume";
      readonly interruption: Interruption;
      readonly input: TurnInput | null;
      /** The journal's head when it was judged: an order to stop that came since is about this turn, too (L4). */
      readonly judgedAt: number;
      /** Only while no other turn under suspicion runs. */
      readonly isAlone: boolean;
    };

export type StopOrder =
  | { readonly kind: "stop"; readonly reason: string }
  | { readonly kind: "drain"; readonly reason: string };

export interface RunningTurn {
  readonly turn: string;
  readonly beganSeq: number;
  readonly abort: AbortController;
}

export type RunEnd = "completed" | "cancelled" | "failed" | "interrupted" | "gone";

export async function runTurn(
  host: Host,
  session: Session,
  deliveries: Deliveries,
  start: TurnStart,
  onRunning: (running: RunningTurn) => void,
): Promise<RunEnd> {
  const note = noteOf(host, start, session.id);
  const turn = await begin(host, session, start, note);
  if (!turn) return "gone";
  const abort = new AbortController();
  const beganSeq = start.kind === "resume" ? start.judgedAt + 1 : session.head;
  onRunning({ turn: turn.id, beganSeq, abort });
  const context = contextOf(host, session, start, { turn, note, signal: abort.signal });
  const end = await answerOf(host, context);
  if (end === "interrupted") return end;
  await endTurn(host.store, session, deliveries, { turn, input: context.input, ...end });
  return end.outcome;
}

/** Null: the input left the queue meanwhile, by an order to stop. */
async function begin(
  host: Host,
  session: Session,
  start: TurnStart,
  note: string | null,
): Promise<Turn | null> {
  if (start.kind === "resume") {
    const decided = newRecord(host.store.clock, "resume.decided", {
      turn: start.interruption.turn,
      decision: "resume",
      why: "interrupted",
      note,
    });
    // Handed in together, they share a commit; the turn alone is what counts.
    const written = host.store.append(session.id as SessionId, { attempt: session.attempt }, [decided]);
    const [turn] = await Promise.all([session.continueTurn(), written]);
    const { cause } = start.interruption;
    const text = `an interrupted turn goes on (cause: ${cause})`;
    host.notice({ kind: "resumed", level: "info", session: session.id, text, turn: turn.id, cause });
    return turn;
  }
  try {
    return await session.turn({ id: start.input.id, seq: start.seq });
  } catch (thrown) {
    if (thrown instanceof RefloatError && thrown.code === "E_NOT_OPEN") return null;
    throw thrown;
  }
}

function noteOf(host: Host, start: TurnStart, session: string): string | null {
  const interruption = start.kind === "resume" ? start.interruption : start.left;
  if (start.kind === "input" && start.continues !== null) return freshNote(start.continues);
  if (!interruption) return null;
  return resumeNote({
    kind: start.kind === "resume" ? "resumed" : "new-input",
    isAttended: isAttended(host, session, start.input),
    cause: interruption.cause,
    calls: interruption.calls,
  });
}

const isAttended = (host: Host, session: string, input: TurnInput | null): boolean =>
  host.options.isAttended?.({ session, route: input?.route ?? null }) ?? true;

function contextOf(
  host: Host,
  session: Session,
  start: TurnStart,
  begun: Pick<GatewayTurn, "turn" | "note" | "signal">,
): GatewayTurn {
  const input = start.input;
  const isResumed = start.kind === "resume";
  return {
    ...begun,
    session,
    input,
    isResumed,
    continues: start.kind === "input" ? start.continues : null,
    isAttended: isAttended(host, session.id, input),
    confirm: (key, question) =>
      confirm(host, {
        session: session.id as SessionId,
        attempt: session.attempt,
        key,
        question,
        input,
        isResumed,
      }),
  };
}

type Ending = Pick<TurnEnd, "outcome" | "reason" | "answer">;

async function answerOf(host: Host, context: GatewayTurn): Promise<Ending | "interrupted"> {
  const { signal } = context;
  try {
    const answer: Answer = await host.options.answer(context);
    const order = signal.reason as StopOrder | undefined;
    // Asked to stop beats an answer that came all the same; a drain does not.
    if (signal.aborted && order?.kind === "stop") return cancelled(order.reason);
    return { outcome: "completed", reason: null, answer };
  } catch (thrown) {
    const order = signal.reason as StopOrder | undefined;
    if (signal.aborted && order?.kind === "stop") return cancelled(order.reason);
    if (signal.aborted) return "interrupted";
    if (isOfTheStore(thrown)) throw thrown;
    const error = ensureError(thrown);
    host.trouble(context.session.id, error);
    return { outcome: "failed", reason: error.message, answer: apologyFor(host, error) };
  }
}

const cancelled = (reason: string): Ending => ({
  outcome: "cancelled",
  reason,
  answer: { kind: "silent" },
});

/** Then the turn's end cannot be recorded either: it is left open and settled when the store is back (D6). */
function isOfTheStore(thrown: unknown): boolean {
  return (
    thrown instanceof RefloatError &&
    (thrown.code === "E_FENCED" || thrown.code === "E_CLOSED" || thrown.code.startsWith("E_STORE_"))
  );
}

function apologyFor(host: Host, error: Error): Answer {
  const { apology } = host.options;
  const parts = apology ? apology(error) : "This could not be answered: the turn failed.";
  return parts === null ? { kind: "silent" } : { kind: "reply", parts };
}
