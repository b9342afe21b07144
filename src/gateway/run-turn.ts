/** One turn: begun durably, answered by the application, ended with its outcome (C8). */
import type { Session } from "../conversation/session.ts";
import type { Turn } from "../conversation/turn.ts";
import { giving } from "../model/errors.ts";
import type { SessionId } from "../model/ids.ts";
import { newRecord } from "../session/new-record.ts";
import { answerOf } from "./answer.ts";
import { confirm } from "./confirmations.ts";
import type { Deliveries } from "./deliveries.ts";
import type { Host } from "./host.ts";
import type { TurnInterruption } from "./interruption.ts";
import { cutOffNotice } from "./notices.ts";
import type { GatewayTurn, TurnInput } from "./options.ts";
import { freshNote, resumeNote } from "./resume-note.ts";
import { endTurn } from "./turn-end.ts";

export type TurnStart =
  | {
      readonly kind: "input";
      readonly input: TurnInput;
      readonly seq: number;
      /** An interrupted turn before it that was not resumed. */
      readonly left: TurnInterruption | null;
      /** It is the first turn after a fresh start: where the conversation was before. */
      readonly continues: string | null;
      /** Its history is suspected of ending its process: only while no other turn under suspicion runs. */
      readonly isAlone: boolean;
    }
  | {
      readonly kind: "resume";
      readonly interruption: TurnInterruption;
      readonly input: TurnInput | null;
      /** The journal's head when it was judged: an order to stop that came since is about this turn, too (L4). */
      readonly judgedAt: number;
      /** Only while no other turn under suspicion runs. */
      readonly isAlone: boolean;
    };

export interface RunningTurn {
  readonly turn: string;
  readonly beganSeq: number;
  readonly abort: AbortController;
  /** Nobody waits for its answer any longer. */
  giveUp(): void;
}

/** Overdue: cancelled, and its answer has not ended: whatever it still holds must be fenced. */
export type RunTurnEnd = "completed" | "cancelled" | "failed" | "interrupted" | "gone" | "overdue";

export async function runTurn(
  host: Host,
  session: Session,
  deliveries: Deliveries,
  start: TurnStart,
  onRunning: (running: RunningTurn) => void,
): Promise<RunTurnEnd> {
  const note = noteOf(host, start, session.id);
  const turn = await begin(host, session, start, note);
  if (!turn) return "gone";
  const abort = new AbortController();
  const beganSeq = start.kind === "resume" ? start.judgedAt + 1 : session.head;
  const givenUp = new Promise<void>((giveUp) => {
    onRunning({ turn: turn.id, beganSeq, abort, giveUp });
  });
  const context = contextOf(host, session, start, { turn, note, signal: abort.signal });
  const { isOverdue, ending } = await answerOf(host, context, givenUp);
  if (ending === "interrupted") return ending;
  await endTurn(host.store, session, deliveries, { turn, input: context.input, ...ending });
  if (!isOverdue) return ending.outcome;
  host.notice(cutOffNotice(session.id, turn.id, host.policy.stopGraceMs));
  return "overdue";
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
  return session.turn({ id: start.input.id, seq: start.seq }).catch(giving(null, "E_NOT_OPEN"));
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
