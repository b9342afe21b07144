/**
 * A terminal taken over for a while: the other screen, keys as they are typed. It is given back on every way out: at the
 * end, at an error, on SIGINT, SIGTERM and SIGHUP, while stopped by Ctrl-Z, and when the process exits without a word.
 */
import { endBySignal } from "../../platform/end-by-signal.ts";
import { suspendSelf } from "../../platform/suspend-self.ts";
import { type Key, readKeys, withoutMore } from "./read-keys.ts";
import type { ScreenSize } from "./review-screen.ts";

export type Happening =
  | { readonly kind: "key"; readonly key: Key }
  /** Another size, or somebody else has drawn meanwhile. */
  | { readonly kind: "redraw" }
  | { readonly kind: "signal"; readonly signal: NodeJS.Signals };

export interface ReviewTerminal {
  size(): ScreenSize;
  draw(lines: readonly string[]): void;
  /** What happens next. */
  next(): Promise<Happening>;
  /** Keys typed before something was on the screen are no answer to it. */
  forgetKeys(): void;
  /** Gives the terminal to another program until it is done. */
  lend<T>(use: () => Promise<T>): Promise<T>;
  close(): void;
}

/** The other screen, no cursor, no wrapping of a line that is wider than we think, pastes marked as such. */
const ENTER = "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[?2004h";
const LEAVE = "\x1b[?2004l\x1b[?7h\x1b[?25h\x1b[?1049l";

const ENDING: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"];
/** How long the rest of a key's sequence may take: a terminal sends it at once, a slow line a little later. */
const SEQUENCE_MS = 100;
/** Where the terminal does not say. */
const DEFAULT_SIZE: ScreenSize = { rows: 24, columns: 80 };
/** Two columns leave no room for anything on a wider one's half; the drawing of a line is bounded (T5). */
const MAX_COLUMNS = 400;

export function openReviewTerminal(
  stdin: NodeJS.ReadStream = process.stdin,
  stdout: NodeJS.WriteStream = process.stdout,
): ReviewTerminal {
  const queue: Happening[] = [];
  let wake: (() => void) | null = null;
  let isOurs = false;
  let held = "";
  let timer: NodeJS.Timeout | null = null;

  function happen(...what: readonly Happening[]): void {
    queue.push(...what);
    wake?.();
  }

  function take(): void {
    if (isOurs) return;
    isOurs = true;
    // Whoever had the terminal meanwhile may have set it otherwise without our knowing.
    stdin.setRawMode(false);
    stdin.setRawMode(true);
    stdin.resume();
    stdout.write(ENTER);
  }

  function give(): void {
    if (!isOurs) return;
    isOurs = false;
    stdout.write(LEAVE);
    stdin.setRawMode(false);
    stdin.pause();
  }

  function onBytes(piece: Buffer | string): void {
    if (timer) clearTimeout(timer);
    const read = readKeys(held + piece.toString());
    held = read.rest;
    typed(read.keys);
    if (held !== "") timer = setTimeout(onNoMore, SEQUENCE_MS);
  }

  function onNoMore(): void {
    const read = withoutMore(held);
    held = read.rest;
    typed(read.keys);
  }

  function typed(keys: readonly Key[]): void {
    for (const key of keys) {
      if (key === "suspend") void suspend();
      else happen({ kind: "key", key });
    }
  }

  async function suspend(): Promise<void> {
    give();
    // With a listener the signal would only call it.
    process.off("SIGTSTP", onStop);
    process.off("SIGCONT", onContinued);
    await suspendSelf("SIGTSTP");
    process.on("SIGTSTP", onStop);
    process.on("SIGCONT", onContinued);
    onContinued();
  }

  const onStop = (): void => void suspend();
  const onContinued = (): void => {
    isOurs = false;
    take();
    happen({ kind: "redraw" });
  };
  const onResize = (): void => happen({ kind: "redraw" });
  const onClosed = (): void => happen({ kind: "key", key: "hang-up" });
  const onEnding = (signal: NodeJS.Signals): void => {
    // A second one means that we are too slow at ending.
    const isAgain = queue.some(({ kind }) => kind === "signal");
    give();
    queue.unshift({ kind: "signal", signal });
    wake?.();
    if (isAgain) endBySignal(signal);
  };

  function listen(): void {
    stdin.on("data", onBytes);
    stdin.on("end", onClosed);
    stdin.on("error", onClosed); // the terminal is gone
    stdout.on("resize", onResize);
    for (const signal of ENDING) process.on(signal, onEnding);
    process.on("SIGTSTP", onStop);
    process.on("SIGCONT", onContinued);
    process.on("exit", give);
  }

  function stopListening(): void {
    if (timer) clearTimeout(timer);
    stdin.off("data", onBytes);
    stdin.off("end", onClosed);
    stdin.off("error", onClosed);
    stdout.off("resize", onResize);
    for (const signal of ENDING) process.off(signal, onEnding);
    process.off("SIGTSTP", onStop);
    process.off("SIGCONT", onContinued);
    process.off("exit", give);
  }

  listen();
  take();
  return {
    size: () => sizeOf(stdout),
    draw: (lines) => {
      if (isOurs) stdout.write(drawn(lines));
    },
    next: async () => {
      for (;;) {
        const first = queue.shift();
        if (first) return first;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        wake = null;
      }
    },
    forgetKeys: () => {
      held = "";
      const kept = queue.filter(({ kind }) => kind !== "key");
      queue.splice(0, queue.length, ...kept);
    },
    lend: async (use) => {
      stopListening();
      give();
      // Ctrl-C in the other program is that program's: we are only in the same group.
      const ignore = (): void => undefined;
      process.on("SIGINT", ignore);
      try {
        return await use();
      } finally {
        process.off("SIGINT", ignore);
        listen();
        take();
        queue.length = 0;
      }
    },
    close: () => {
      stopListening();
      give();
    },
  };
}

function sizeOf({ rows, columns }: NodeJS.WriteStream): ScreenSize {
  return {
    rows: rows > 0 ? rows : DEFAULT_SIZE.rows,
    columns: Math.min(MAX_COLUMNS, columns > 0 ? columns : DEFAULT_SIZE.columns),
  };
}

/** Each line at its place, on an empty row; nothing scrolls. */
function drawn(lines: readonly string[]): string {
  return `${lines.map((line, i) => `\x1b[${i + 1};1H\x1b[2K${line}`).join("")}\x1b[J`;
}
