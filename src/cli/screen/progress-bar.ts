/** How far a long piece of work is: a bar at a terminal, nothing anywhere else and nothing when it is short. */
import type { Clock } from "../../platform/clock.ts";
import { digits } from "../../text/counting.ts";

const WIDTH = 30;
/** Shorter work needs no bar: it would only flicker. */
const AFTER_MS = 300;
const EVERY_MS = 100;

export interface ProgressBar {
  at(done: number): void;
  /** Takes the bar away. */
  end(): void;
}

export function progressBar(
  total: number,
  options: { readonly clock: Clock; readonly isQuiet: boolean; readonly stream?: NodeJS.WriteStream },
): ProgressBar {
  const stream = options.stream ?? process.stderr;
  const isShown = stream.isTTY === true && !options.isQuiet;
  let nextAtMs = options.clock.monotonicMs() + AFTER_MS;
  let isDrawn = false;
  return {
    at: (done) => {
      if (!isShown) return;
      const nowMs = options.clock.monotonicMs();
      if (nowMs < nextAtMs) return;
      nextAtMs = nowMs + EVERY_MS;
      isDrawn = true;
      stream.write(`\r${barText(done, total)}`);
    },
    end: () => {
      if (isDrawn) stream.write("\r\x1b[K");
      isDrawn = false;
    },
  };
}

export function barText(done: number, total: number): string {
  const filled = total === 0 ? WIDTH : Math.floor((done / total) * WIDTH);
  return `[${"#".repeat(filled)}${" ".repeat(WIDTH - filled)}] ${digits(done)} of ${digits(total)}`;
}
