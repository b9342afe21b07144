/** What went wrong on our side while the agent ran: each said once, all of it in the report. */
import { RefloatError } from "../model/errors.ts";

/** Different failures worth telling apart; a store that fails every second is one. */
const MAX_KEPT = 50;

export class Troubles {
  readonly all: string[] = [];
  readonly #tell: (line: string) => void;

  constructor(tell: (line: string) => void) {
    this.#tell = tell;
  }

  /** `what`: what is lost by it, in a few words. */
  add(what: string, error: Error): void {
    const code = error instanceof RefloatError ? ` (${error.code})` : "";
    const line = `${what}: ${error.message}${code}`;
    if (this.all.includes(line) || this.all.length >= MAX_KEPT) return;
    this.all.push(line);
    this.#tell(line);
  }
}
