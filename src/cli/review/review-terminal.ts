/**
 * A terminal taken over for a while: the other screen, keys as they are typed. It is given back on every way out: at the
 * end, at an error, on SIGINT, SIGTERM and SIGHUP, while stopped by Ctrl-Z, and when the process exits without a word.
 */
import { endBySignal, suspendSelf } from "../../platform/own-process.ts";
import { type Happening, HappeningQueue } from "./happening-queue.ts";
import type { ScreenSize } from "./review-screen.ts";
import { TypedKeys } from "./typed-keys.ts";

/** The other screen, no cursor, no wrapping of a line that is wider than we think, pastes marked as such. */
const ENTER = "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[?2004h";
const LEAVE = "\x1b[?2004l\x1b[?7h\x1b[?25h\x1b[?1049l";

const ENDING: readonly NodeJS.Signals[] = ["SIGINT", "SIGTERM", "SIGHUP"];
/** Where the terminal does not say. */
const DEFAULT_SIZE: ScreenSize = { rows: 24, columns: 80 };
/** Two columns leave no room for anything on a wider one's half; the drawing of a line is bounded (T5). */
const MAX_COLUMNS = 400;

/** Ours from the beginning, until it is closed. */
export class ReviewTerminal {
  readonly #stdin: NodeJS.ReadStream;
  readonly #stdout: NodeJS.WriteStream;
  readonly #happened = new HappeningQueue();
  readonly #keys = new TypedKeys((key) => {
    if (key === "suspend") void this.#suspend();
    else this.#happened.add({ kind: "key", key });
  });
  #isOurs = false;

  constructor(stdin: NodeJS.ReadStream = process.stdin, stdout: NodeJS.WriteStream = process.stdout) {
    this.#stdin = stdin;
    this.#stdout = stdout;
    this.#listen();
    this.#take();
  }

  size(): ScreenSize {
    const { rows, columns } = this.#stdout;
    return {
      rows: rows > 0 ? rows : DEFAULT_SIZE.rows,
      columns: Math.min(MAX_COLUMNS, columns > 0 ? columns : DEFAULT_SIZE.columns),
    };
  }

  draw(lines: readonly string[]): void {
    if (this.#isOurs) this.#stdout.write(drawn(lines));
  }

  /** What happens next. */
  next(): Promise<Happening> {
    return this.#happened.next();
  }

  /** Keys typed before something was on the screen are no answer to it. */
  forgetKeys(): void {
    this.#keys.forget();
    this.#happened.forgetKeys();
  }

  /** Gives the terminal to another program until it is done. */
  async lend<T>(use: () => Promise<T>): Promise<T> {
    this.close();
    // Ctrl-C in the other program is that program's: we are only in the same group.
    const ignore = (): void => undefined;
    process.on("SIGINT", ignore);
    try {
      return await use();
    } finally {
      process.off("SIGINT", ignore);
      this.#listen();
      this.#take();
      this.#happened.clear();
    }
  }

  close(): void {
    this.#stopListening();
    this.#give();
  }

  #take(): void {
    if (this.#isOurs) return;
    this.#isOurs = true;
    // Whoever had the terminal meanwhile may have set it otherwise without our knowing.
    this.#stdin.setRawMode(false);
    this.#stdin.setRawMode(true);
    this.#stdin.resume();
    this.#stdout.write(ENTER);
  }

  readonly #give = (): void => {
    if (!this.#isOurs) return;
    this.#isOurs = false;
    this.#stdout.write(LEAVE);
    this.#stdin.setRawMode(false);
    this.#stdin.pause();
  };

  async #suspend(): Promise<void> {
    this.#give();
    // With a listener the signal would only call it.
    process.off("SIGTSTP", this.#onStop);
    process.off("SIGCONT", this.#onContinued);
    await suspendSelf("SIGTSTP");
    process.on("SIGTSTP", this.#onStop);
    process.on("SIGCONT", this.#onContinued);
    this.#onContinued();
  }

  readonly #onBytes = (piece: Buffer | string): void => this.#keys.add(piece.toString());
  readonly #onClosed = (): void => this.#happened.add({ kind: "key", key: "hang-up" });
  readonly #onResize = (): void => this.#happened.add({ kind: "redraw" });
  readonly #onStop = (): void => void this.#suspend();
  readonly #onContinued = (): void => {
    this.#isOurs = false;
    this.#take();
    this.#happened.add({ kind: "redraw" });
  };
  readonly #onEnding = (signal: NodeJS.Signals): void => {
    // A second one means that we are too slow at ending.
    const isAgain = this.#happened.hasSignal;
    this.#give();
    this.#happened.addFirst({ kind: "signal", signal });
    if (isAgain) endBySignal(signal);
  };

  #listen(): void {
    this.#stdin.on("data", this.#onBytes);
    this.#stdin.on("end", this.#onClosed);
    this.#stdin.on("error", this.#onClosed); // the terminal is gone
    this.#stdout.on("resize", this.#onResize);
    for (const signal of ENDING) process.on(signal, this.#onEnding);
    process.on("SIGTSTP", this.#onStop);
    process.on("SIGCONT", this.#onContinued);
    process.on("exit", this.#give);
  }

  #stopListening(): void {
    this.#keys.stopWaiting();
    this.#stdin.off("data", this.#onBytes);
    this.#stdin.off("end", this.#onClosed);
    this.#stdin.off("error", this.#onClosed);
    this.#stdout.off("resize", this.#onResize);
    for (const signal of ENDING) process.off(signal, this.#onEnding);
    process.off("SIGTSTP", this.#onStop);
    process.off("SIGCONT", this.#onContinued);
    process.off("exit", this.#give);
  }
}

/** Each line at its place, on an empty row; nothing scrolls. */
function drawn(lines: readonly string[]): string {
  return `${lines.map((line, i) => `\x1b[${i + 1};1H\x1b[2K${line}`).join("")}\x1b[J`;
}
