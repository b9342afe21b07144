/**
 * What the application's `answer` came to. It is waited for as long as it takes, unless somebody asked to stop: then for a while
 * longer, and no more. A drain has a limit of its own, and says that it is up (`givenUp`). What comes of it later is nobody's.
 */
import { ensureError, RefloatError } from "../model/errors.ts";
import { within } from "../platform/within.ts";
import type { Host } from "./host.ts";
import type { Answer, GatewayTurn } from "./options.ts";
import type { TurnEnd } from "./turn-end.ts";

/** Why a turn's signal is aborted. */
export type StopOrder =
  | { readonly kind: "stop"; readonly reason: string }
  | { readonly kind: "drain"; readonly reason: string };

type Ending = Pick<TurnEnd, "outcome" | "reason" | "answer"> | "interrupted";

export interface AnswerEnd {
  readonly ending: Ending;
  /** It has not ended: it was asked to, and nobody waits any longer. */
  readonly isOverdue: boolean;
}

export async function answerOf(
  host: Host,
  context: GatewayTurn,
  givenUp: Promise<unknown>,
): Promise<AnswerEnd> {
  let answered: Ending | null = null;
  const answering = ask(host, context).then((ending) => {
    answered = ending;
  });
  const over = Promise.race([answering, givenUp]);
  const { clock } = host.store;
  const timeUp = stopOf(context.signal).then(() => within(clock, host.policy.stopGraceMs, over));
  await Promise.race([over, timeUp]);
  return { ending: answered ?? orderedEnd(context.signal), isOverdue: answered === null };
}

/** Resolves when the order to stop comes; a drain's order is none. */
const stopOf = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const heard = (): void => {
      if (orderOf(signal)?.kind === "stop") resolve();
    };
    if (signal.aborted) heard();
    else signal.addEventListener("abort", heard, { once: true });
  });

async function ask(host: Host, context: GatewayTurn): Promise<Ending> {
  const { signal } = context;
  try {
    const answer: Answer = await host.options.answer(context);
    // Asked to stop beats an answer that came all the same; a drain does not.
    return orderOf(signal)?.kind === "stop" ? orderedEnd(signal) : completed(answer);
  } catch (thrown) {
    if (signal.aborted) return orderedEnd(signal);
    if (isOfTheStore(thrown)) throw thrown;
    const error = ensureError(thrown);
    host.trouble(context.session.id, error);
    return { outcome: "failed", reason: error.message, answer: apologyFor(host, error) };
  }
}

const orderOf = (signal: AbortSignal): StopOrder | undefined => signal.reason as StopOrder | undefined;

const completed = (answer: Answer): Ending => ({ outcome: "completed", reason: null, answer });

/** As whoever gave the order means it: a person's is the turn's end, after a drain it goes on at the next start. */
function orderedEnd(signal: AbortSignal): Ending {
  const order = orderOf(signal);
  if (order?.kind !== "stop") return "interrupted";
  return { outcome: "cancelled", reason: order.reason, answer: { kind: "silent" } };
}

/** Then the turn's end cannot be recorded either: it is left open and closed when the store is back (D6). */
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
