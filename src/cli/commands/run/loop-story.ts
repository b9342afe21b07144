/** What a loop tells: its log on stderr, the countdown of a wait, the user's own command, and its report. */

import { runUserCommand } from "../../../app/run/user-command.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { LoopNews, LoopOutcome } from "../../../supervise/loop.ts";
import { NOTIFY_TIMEOUT_MS, Notifier, type NotifyEvent } from "../../../supervise/notifier.ts";
import type { Output } from "../../screen/output.ts";
import { shortId } from "../../screen/short-id.ts";
import { Countdown } from "./countdown.ts";
import { newsLine, stamped, whyWords } from "./loop-lines.ts";

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

export class LoopStory {
  readonly #out: Output;
  readonly #clock: Clock;
  readonly #notifier: Notifier | null;
  readonly #sessions: ReportedSession[] = [];
  readonly #startedAt: string;
  #countdown = new Countdown();

  constructor(out: Output, clock: Clock, notify: string | null) {
    this.#out = out;
    this.#clock = clock;
    this.#startedAt = new Date(clock.nowMs()).toISOString();
    this.#notifier = notify === null ? null : new Notifier(shell(notify), clock, (line) => this.say(line));
  }

  say(line: string): void {
    this.#out.narrate(`refloat: ${stamped(line, this.#clock.nowMs())}`);
  }

  async tell(news: LoopNews): Promise<void> {
    const line = newsLine(news);
    if (line !== null) this.say(this.#out.typed(line));
    switch (news.kind) {
      case "countdown":
        this.#countDown(news.leftMs);
        return;
      case "ended":
        await this.#ended(news);
        return;
      case "stops":
        await this.#notify("stopped", news.soFar.last?.session ?? null, this.#out.typed(whyWords(news)), {
          why: news.why,
          sessions: news.soFar.sessions,
        });
        return;
      case "begins":
      case "waits":
        this.#countdown = new Countdown();
        return;
      default:
        news satisfies never;
    }
  }

  async unsettled(session: string): Promise<void> {
    const message = `it left changes that nobody has settled: refloat inspect ${shortId(session)}`;
    await this.#notify("unsettled", session, this.#out.typed(message), {});
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

  #countDown(leftMs: number): void {
    const line = this.#countdown.line(leftMs);
    if (line !== null) this.say(line);
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
  (command: string): ConstructorParameters<typeof Notifier>[0] =>
  (input) =>
    runUserCommand(command, {
      input: Buffer.from(input),
      maxOutputBytes: NOTIFY_OUTPUT_BYTES,
      timeoutMs: NOTIFY_TIMEOUT_MS,
    });
