/** What a supervisor has to say while its agent has the terminal: held back until the agent has left it. */
import { escapeForTerminal } from "../../text/escape.ts";
import type { Output } from "./output.ts";

/** Lines held at most; an agent may run for days. */
const MAX_HELD = 100;

export class Narration {
  readonly #out: Output;
  #isHeld = false;
  #held: string[] = [];

  constructor(out: Output) {
    this.#out = out;
  }

  say(line: string): void {
    const safe = `refloat: ${escapeForTerminal(line, { newlines: "show" })}`;
    if (!this.#isHeld) this.#out.narrate(safe);
    else if (this.#held.length < MAX_HELD) this.#held.push(safe);
  }

  /** A sentence of ours with a command in it: as it can be typed where it is read (T6). */
  sayTyped(line: string): void {
    this.say(this.#out.typed(line));
  }

  hold(): void {
    this.#isHeld = true;
  }

  release(): void {
    this.#isHeld = false;
    for (const line of this.#held) this.#out.narrate(line);
    this.#held = [];
  }
}
