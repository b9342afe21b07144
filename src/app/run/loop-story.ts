/** What a loop tells whoever is not there: the user's own command (`--notify`), and its report. */

import type { Clock } from "../../platform/clock.ts";
import type { LoopNews, LoopOutcome } from "../../supervise/loop.ts";
import { NOTIFY_TIMEOUT_MS, Notifier, type NotifyEvent } from "../../supervise/notifier.ts";
import { runUserCommand, type UsersPlace } from "./user-command.ts";

/** Sessions a report names one by one. */
const MAX_REPORTED = 100;
const NOTIFY_OUTPUT_BYTES = 1024 * 1024;

interface ReportedSession {
  readonly number: number;
  readonly session: string;
  readonly exit_code: number;
  readonly state: string;
  readonly cause: string;
  readonly progress: boolean;
}

/** Sentences for people, with commands as they can be typed where the loop was started (T6). */
export interface LoopWords {
  stops(news: LoopNews & { readonly kind: "stops" }): string;
  unsettled(session: string): string;
}

export interface LoopNotifying {
  /** Null: nobody is notified. */
  readonly command: string | null;
  readonly place: UsersPlace;
  readonly words: LoopWords;
  readonly complain: (line: string) => void;
}

export class LoopStory {
  readonly #clock: Clock;
  readonly #words: LoopWords;
  readonly #notifier: Notifier | null;
  readonly #sessions: ReportedSession[] = [];
  readonly #startedAt: string;

  constructor(clock: Clock, { command, place, words, complain }: LoopNotifying) {
    this.#clock = clock;
    this.#words = words;
    this.#startedAt = new Date(clock.nowMs()).toISOString();
    this.#notifier = command === null ? null : new Notifier(shell(command, place), clock, complain);
  }

  async hear(news: LoopNews): Promise<void> {
    if (news.kind === "ended") return this.#ended(news);
    if (news.kind !== "stops") return;
    const { why, soFar } = news;
    const details = { why, sessions: soFar.sessions };
    await this.#notify("stopped", soFar.last?.session ?? null, this.#words.stops(news), details);
  }

  async unsettled(session: string): Promise<void> {
    await this.#notify("unsettled", session, this.#words.unsettled(session), {});
  }

  async #ended({ number, end }: LoopNews & { readonly kind: "ended" }): Promise<void> {
    const { session, code, state, cause, hasProgress, resetsAtMs } = end;
    this.#sessions.push({ number, session, exit_code: code, state, cause, progress: hasProgress });
    if (this.#sessions.length > MAX_REPORTED) this.#sessions.shift();
    const event = cause === "limit" ? "limit" : state === "finished" ? null : state;
    if (event === null) return;
    const resets_at = resetsAtMs === null ? null : new Date(resetsAtMs).toISOString();
    await this.#notify(event, session, `session ${number} of the loop`, {
      cause,
      exit_code: code,
      ...(event === "limit" ? { resets_at } : {}),
    });
  }

  async #notify(
    event: NotifyEvent,
    session: string | null,
    message: string,
    details: Readonly<Record<string, string | number | null>>,
  ): Promise<void> {
    await this.#notifier?.notify({ event, session, message, details });
  }

  report({ why, code, soFar }: LoopOutcome): Record<string, unknown> {
    const resetsAtMs = soFar.last?.resetsAtMs ?? null;
    return {
      exit_code: code,
      stopped: why,
      sessions: soFar.sessions,
      without_progress: soFar.withoutProgress,
      resets_at: resetsAtMs === null ? null : new Date(resetsAtMs).toISOString(),
      started_at: this.#startedAt,
      ended_at: new Date(this.#clock.nowMs()).toISOString(),
      last: this.#sessions,
    };
  }
}

const shell =
  (command: string, place: UsersPlace): ConstructorParameters<typeof Notifier>[0] =>
  (input) =>
    runUserCommand(command, place, {
      input: Buffer.from(input),
      maxOutputBytes: NOTIFY_OUTPUT_BYTES,
      timeoutMs: NOTIFY_TIMEOUT_MS,
    });
