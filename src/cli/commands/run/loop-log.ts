/** A loop's log on stderr: a line for each thing that happened, and now and then one of a long wait. */
import type { LoopTold } from "../../../app/run/loop-parts.ts";
import type { Clock } from "../../../platform/clock.ts";
import type { Output } from "../../screen/output.ts";
import { Countdown } from "./countdown.ts";
import { loopLines, stamped, untrustedNotify } from "./loop-lines.ts";

export class LoopLog {
  readonly #out: Output;
  readonly #clock: Clock;
  #countdown = new Countdown();

  constructor(out: Output, clock: Clock) {
    this.#out = out;
    this.#clock = clock;
  }

  hear(news: LoopTold): void {
    switch (news.kind) {
      case "countdown": {
        const line = this.#countdown.line(news.leftMs);
        if (line !== null) this.#say(line);
        break;
      }
      case "notify-untrusted":
        for (const line of untrustedNotify(news.command, this.#out)) this.#out.narrate(line);
        break;
      default:
        for (const line of loopLines(news, this.#out)) this.#say(line);
        if (news.kind === "begins" || news.kind === "waits") this.#countdown = new Countdown();
    }
  }

  #say(line: string): void {
    this.#out.narrate(`refloat: ${stamped(line, this.#clock.nowMs())}`);
  }
}
