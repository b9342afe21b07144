/**
 * One end for each of Codex's calls, although it is told twice: as an item (exit code, whole output, true changes) and as the text the
 * model got. The first counts. A command that outlived its call ends with its item, or when a later call hears that it did.
 */
import type { Json } from "../../model/json.ts";
import { numberAt } from "../words/fields.ts";
import type { HeardAt, HeardCall, HeardResult } from "../words/heard.ts";
import { toldResult } from "./tool-results.ts";

/** More calls are not open at once, and a hostile file has no end of them (T5). */
const MAX_REMEMBERED = 4096;

export class CallEnds {
  /** Ended by an item; the text is still to come. */
  readonly #ended = new Map<string, true>();
  /** Ended by the text; an item may still come, also after the turn's end. */
  readonly #told = new Map<string, true>();
  /** Calls whose process goes on, by its number. */
  readonly #running = new Map<string, string>();
  /** Calls that ask after a process, by its number. */
  readonly #asking = new Map<string, string>();

  turnBegan(): void {
    this.#told.clear();
  }

  called({ id, tool, input }: HeardCall): void {
    const process = tool === "write_stdin" ? numberAt(input, "session_id") : null;
    if (process !== null) remember(this.#asking, id, String(process));
  }

  /** The item of a call. */
  ended(result: HeardResult): readonly HeardResult[] {
    if (this.#told.delete(result.call)) return [];
    remember(this.#ended, result.call, true);
    return [result];
  }

  /** The text the model got for a call. */
  told(call: string, output: Json | undefined, at: HeardAt): readonly HeardResult[] {
    const { result, runs } = toldResult(call, output, at);
    const asked = this.#asking.get(call);
    this.#asking.delete(call);
    if (runs !== null && asked === undefined) {
      remember(this.#running, runs, call);
      return [];
    }
    const first = runs === null && asked !== undefined ? this.#running.get(asked) : undefined;
    if (asked !== undefined && first !== undefined) this.#running.delete(asked);
    return [
      ...(first === undefined || this.#ended.delete(first) ? [] : [{ ...result, call: first }]),
      ...(this.#ended.delete(call) ? [] : [this.#remembered(result)]),
    ];
  }

  #remembered(result: HeardResult): HeardResult {
    remember(this.#told, result.call, true);
    return result;
  }
}

function remember<T>(into: Map<string, T>, id: string, value: T): void {
  into.set(id, value);
  const [oldest] = into.size > MAX_REMEMBERED ? into.keys() : [];
  if (oldest !== undefined) into.delete(oldest);
}
