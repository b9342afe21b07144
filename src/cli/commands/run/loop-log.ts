/** A loop's log on stderr: a line for each thing that happened, and now and then one of a long wait. */
import type { Clock } from "../../../platform/clock.ts";
import type { LoopNews } from "../../../supervise/loop.ts";
import type { Output } from "../../screen/output.ts";
import { Countdown } from "./countdown.ts";
import { newsLine, stamped } from "./loop-lines.ts";

export class LoopLog {
  readonly #out: Output;
  readonly #clock: Clock;
  #countdown = new Countdown();

  constructor(out: Output, clock: Clock) {
    this.#out = out;
    this.#clock = clock;
  }

  say(line: string): void {
    this.#out.narrate(`refloat: ${stamped(line, this.#clock.nowMs())}`);
  }

  /** A sentence of ours with a command in it (T6). */
  sayTyped(line: string): void {
    this.say(this.#out.typed(line));
  }

  hear(news: LoopNews): void {
    if (news.kind === "countdown") {
      const line = this.#countdown.line(news.leftMs);
      if (line !== null) this.say(line);
      return;
    }
    const line = newsLine(news);
    if (line !== null) this.sayTyped(line);
    if (news.kind === "begins" || news.kind === "waits") this.#countdown = new Countdown();
  }
}
