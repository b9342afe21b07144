/**
 * `--notify CMD`: the user's own command gets what happened as one line of JSON on its input. refloat itself opens no
 * connection. Rate limited by what happened, so that a loop that fails every second does not page somebody every second;
 * what was held back is counted in the next one. A command that fails or hangs never holds up the loop.
 */
import type { Json } from "../model/json.ts";
import type { Clock } from "../platform/clock.ts";
import type { ProgramOutcome } from "../platform/run-program.ts";

export type NotifyEvent = "interrupted" | "suspended" | "limit" | "unsettled" | "stopped";

export interface Notice {
  readonly event: NotifyEvent;
  readonly session: string | null;
  readonly message: string;
  readonly details: Readonly<Record<string, Json>>;
}

export type RunNotify = (input: string) => Promise<ProgramOutcome>;

/** The same news within this time is held back. */
export const NOTIFY_EVERY_MS = 5 * 60_000;
/** A command that takes longer is ended: a chat service that hangs is no reason to stand still. */
export const NOTIFY_TIMEOUT_MS = 30_000;

export class Notifier {
  readonly #run: RunNotify;
  readonly #clock: Clock;
  readonly #complain: (line: string) => void;
  readonly #last = new Map<NotifyEvent, { atMs: number; heldBack: number }>();

  constructor(run: RunNotify, clock: Clock, complain: (line: string) => void) {
    this.#run = run;
    this.#clock = clock;
    this.#complain = complain;
  }

  async notify(notice: Notice): Promise<void> {
    const nowMs = this.#clock.monotonicMs();
    const last = this.#last.get(notice.event);
    // The end of the loop is said whatever came before: nothing follows it.
    if (last && notice.event !== "stopped" && nowMs - last.atMs < NOTIFY_EVERY_MS) {
      last.heldBack += 1;
      return;
    }
    this.#last.set(notice.event, { atMs: nowMs, heldBack: 0 });
    const { event, session, message, details } = notice;
    const at = new Date(this.#clock.nowMs()).toISOString();
    const body = {
      schema: "refloat.notify/1",
      event,
      at,
      session,
      message,
      held_back: last?.heldBack ?? 0,
      ...details,
    };
    const failure = failureOf(await this.#run(`${JSON.stringify(body)}\n`));
    if (failure !== null) this.#complain(`--notify ${failure}; the loop goes on.`);
  }
}

function failureOf(outcome: ProgramOutcome): string | null {
  switch (outcome.kind) {
    case "ended":
      return outcome.code === 0 ? null : `ended with code ${outcome.code}`;
    case "signalled":
      return `died by ${outcome.signal}`;
    case "too-slow":
      return `took longer than ${outcome.limitMs / 1000} s and was ended`;
    case "too-long":
      return "printed too much and was ended";
    case "not-started":
      return `could not be started: ${outcome.error.message}`;
    default:
      return outcome satisfies never;
  }
}
