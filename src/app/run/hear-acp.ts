/**
 * Hears an agent that speaks ACP with its editor, through us: what passes is recorded as it passes, in the order it came. Recording never holds a byte back: a store
 * that is slow or fails costs records, which is said, and never the conversation (D6).
 */
import { readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { AcpEars, type AcpHeard, acpWords } from "../../agents/acp/acp-ears.ts";
import { HeardRecords } from "../../agents/journal/heard-records.ts";
import { ensureError, RefloatError } from "../../model/errors.ts";
import type { NewRecord } from "../../model/record.ts";
import { newRecord } from "../../session/new-record.ts";
import type { OpenHearing, RunHearing } from "../../supervise/hearing.ts";
import type { HeardRun } from "./hear-agent.ts";

/** What waits to be written, in characters of JSON: beyond it what is said is not recorded (T5). */
const MAX_WAITING_CHARS = 32 * 1024 * 1024;
/** A file that is read before it is written over. */
const MAX_BEFORE_BYTES = 8 * 1024 * 1024;

/** Conversations that a session is looked through for. */
const MAX_EARLIER = 200;

/** As sessions show it where nobody named the agent; ids of what was heard are told apart by it. */
const SOURCE = "acp";

export const acpHearingOf =
  (run: HeardRun): OpenHearing =>
  (attempt) =>
    new AcpHearing(run, attempt);

class AcpHearing implements RunHearing {
  readonly #run: HeardRun;
  readonly #attempt: Parameters<OpenHearing>[0];
  readonly #ears: AcpEars;
  readonly #writers = new Map<string, HeardRecords>();
  readonly #begun = new Set<string>();
  /** Conversations of earlier attempts. */
  readonly #earlier = new Set<string>();
  #turn: string | null = null;
  #writing: Promise<void> = Promise.resolve();
  #waiting = 0;
  #count = 0;
  /** The last that was heard of each conversation's turns (L7). */
  readonly #ended = new Map<string, boolean>();

  constructor(run: HeardRun, attempt: Parameters<OpenHearing>[0]) {
    this.#run = run;
    this.#attempt = attempt;
    const readBefore = (path: string) => textBefore(resolve(run.place, path));
    this.#ears = new AcpEars(attempt.attempt, readBefore, attempt.onFailure);
  }

  take(piece: Buffer): readonly [] {
    this.#hear(() => this.#ears.take("agent", piece));
    return [];
  }

  takeInput(piece: Buffer): void {
    this.#hear(() => this.#ears.take("client", piece));
  }

  start(): void {
    // Nothing is looked for: it all comes by the pipes.
  }

  async end(): Promise<{ readonly hasEnded: boolean; readonly isSilent: boolean }> {
    this.#hear(() => this.#ears.cutOff());
    await this.#writing;
    const ends = [...this.#ended.values()];
    const isWhole = ends.length > 0 && ends.every((isEnded) => isEnded);
    return { hasEnded: isWhole && this.#goesOn(), isSilent: ends.length === 0 };
  }

  /** Of a session that was cut off: its own conversation is among those that ended, or nothing of it is known to have (L7). */
  #goesOn(): boolean {
    return this.#earlier.size === 0 || [...this.#ended.keys()].some((one) => this.#earlier.has(one));
  }

  words(text: string): string {
    return acpWords(text) ?? text;
  }

  #hear(listen: () => readonly AcpHeard[]): void {
    try {
      for (const one of listen()) this.#keepOrSay(one);
    } catch (thrown) {
      this.#attempt.onFailure(ensureError(thrown));
    }
  }

  /** What cannot be kept costs itself: the end of a turn may stand behind it (L7). */
  #keepOrSay(one: AcpHeard): void {
    try {
      this.#keep(one);
    } catch (thrown) {
      this.#attempt.onFailure(ensureError(thrown));
    }
  }

  #keep(one: AcpHeard): void {
    const { nativeId, heard } = one;
    if (heard.kind === "turn-began") this.#ended.set(nativeId, false);
    if (heard.kind === "turn-ended") this.#ended.set(nativeId, heard.outcome === "completed");
    const chars = JSON.stringify(heard).length;
    if (this.#waiting + chars > MAX_WAITING_CHARS) {
      this.#attempt.onFailure(new RefloatError("E_STORE_BUSY", { ms: 0 }));
      return;
    }
    this.#waiting += chars;
    this.#writing = this.#writing.then(async () => {
      await this.#write(one).catch((thrown: unknown) => this.#attempt.onFailure(ensureError(thrown)));
      this.#waiting -= chars;
    });
  }

  async #write({ nativeId, heard }: AcpHeard): Promise<void> {
    const { store } = this.#run;
    const { session, attempt } = this.#attempt;
    this.#count += 1;
    const place = `${attempt}:${this.#count}`;
    const plan =
      heard.kind === "plan" ? new Map(heard.items.map((item, at) => [String(at), item] as const)) : new Map();
    const writer = await this.#writer(nativeId);
    const records: NewRecord[] = [...writer.of(heard, { place, plan })];
    if (this.#count === 1) for (const id of await this.#heardBefore()) this.#earlier.add(id);
    if (heard.kind === "session" && !this.#begun.has(nativeId)) {
      this.#begun.add(nativeId);
      const about = { agent: SOURCE, native_id: nativeId, path: null, cwd: heard.cwd, version: null };
      const body = { ...about, next: null, status: "live", unknown_types: 0, channel: "acp" as const };
      records.push(newRecord(store.clock, "agent.heard", body));
    }
    if (records.length > 0) await store.append(session, { attempt }, records);
  }

  async #heardBefore(): Promise<string[]> {
    const kinds = ["agent.heard"] as const;
    const { session } = this.#attempt;
    const records = await this.#run.store.records({ session, kinds, order: "backward", limit: MAX_EARLIER });
    return records.map(({ body }) => String(body.native_id));
  }

  /** Everything heard belongs to the attempt's own turn. */
  async #writer(nativeId: string): Promise<HeardRecords> {
    const known = this.#writers.get(nativeId);
    if (known) return known;
    const { store } = this.#run;
    this.#turn ??= (await store.open(this.#attempt.session)).find(({ what }) => what === "turn")?.id ?? null;
    const writer = new HeardRecords(
      store.clock,
      { agent: SOURCE, nativeId },
      {
        turns: "session",
        open: { turn: this.#turn, calls: [] },
      },
    );
    this.#writers.set(nativeId, writer);
    return writer;
  }
}

/** Null: there is none. Undefined: not told: no text, too long, or not to be read. */
function textBefore(path: string): string | null | undefined {
  try {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (!stat) return null;
    if (!stat.isFile() || stat.size > MAX_BEFORE_BYTES) return undefined;
    const bytes = readFileSync(path);
    const text = bytes.toString("utf8");
    return Buffer.from(text, "utf8").equals(bytes) ? text : undefined;
  } catch (thrown) {
    if (thrown instanceof Error && "code" in thrown) return undefined; // the editor says what is wrong with it
    throw thrown;
  }
}
