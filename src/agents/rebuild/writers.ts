/**
 * Calls that may have written files without saying what: commands, tools of others, subagents, edits that never ended. Each counts from
 * its beginning until it was over; what a file was shown to be before that end may not be what it was afterwards (T1).
 */
import type { CommandReach } from "./command-reach.ts";
import { mayMean } from "./command-reach.ts";

export interface Writer {
  readonly call: string | null;
  /** For people. */
  readonly what: string;
  /** `edit`: one of the agent's own edits, which leaves the ends of lines it does not touch as they are. */
  readonly kind: "command" | "edit";
  /** Steps are the transcript's order. Infinity: it is not over, or goes on behind its end. */
  end: number;
}

interface Named {
  readonly word: string;
  readonly writer: Writer;
}

export class Writers {
  /** Files of edits, each by its own path. */
  readonly #edits = new Map<string, Set<Writer>>();
  /** Words of commands, by their last name. */
  readonly #named = new Map<string, Named[]>();
  /** Those that may have written anything and are not over. */
  readonly #open = new Set<Writer>();
  #last: Writer | null = null;

  /** It may write what a command reaches. */
  command(writer: Writer, reach: CommandReach): void {
    if (reach.kind === "anything") this.#open.add(writer);
    if (reach.kind !== "named") return;
    for (const word of reach.words) {
      const name = lastName(word);
      const known = this.#named.get(name);
      if (known) known.push({ word, writer });
      else this.#named.set(name, [{ word, writer }]);
    }
  }

  edit(writer: Writer, paths: readonly string[]): void {
    for (const path of paths) {
      const known = this.#edits.get(path);
      if (known) known.add(writer);
      else this.#edits.set(path, new Set([writer]));
    }
  }

  over(writer: Writer, step: number): void {
    writer.end = step;
    if (!this.#open.delete(writer)) return;
    if (this.#last === null || this.#last.end < step) this.#last = writer;
  }

  /** It is known what it did, or that it did nothing. */
  withdraw(writer: Writer, paths: readonly string[]): void {
    writer.end = -1;
    this.#open.delete(writer);
    for (const path of paths) {
      const known = this.#edits.get(path);
      known?.delete(writer);
      if (known?.size === 0) this.#edits.delete(path);
    }
  }

  /** An edit of it has not ended. */
  hasOpenEdit(path: string): boolean {
    return [...(this.#edits.get(path) ?? [])].some(({ end }) => end === Number.POSITIVE_INFINITY);
  }

  /** One that may have written this file after `step`; null: none can. */
  after(path: string, step: number, kind: Writer["kind"] | "any" = "any"): Writer | null {
    const [open] = this.#open;
    if (open !== undefined) return open;
    if (this.#last !== null && this.#last.end > step) return this.#last;
    if (kind !== "command")
      for (const writer of this.#edits.get(path) ?? []) if (writer.end > step) return writer;
    for (const name of path.split("/")) {
      const found = this.#named
        .get(name)
        ?.findLast(({ word, writer }) => writer.end > step && mayMean(word, path));
      if (found) return found.writer;
    }
    return null;
  }
}

const lastName = (word: string): string => word.replace(/\/+$/, "").split("/").at(-1) ?? "";
