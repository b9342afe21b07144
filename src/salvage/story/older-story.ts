/**
 * Of a session that went on for longer than its story is told: what the older records still mean for the judge, without
 * which work would be safe that is not (S3). Operations and turns, by whose end what came in them is judged; calls that copied
 * from outside; the lines by which the agent marked operations in what it said. Everything else is let go as it is read.
 */
import { Fold, type FoldedItem } from "../../conversation/fold.ts";
import type { SessionId } from "../../model/ids.ts";
import type { Json } from "../../model/json.ts";
import { isText } from "../../model/parts.ts";
import type { StoredRecord } from "../../model/record.ts";
import type { Store } from "../../store/store.ts";
import { markerLines } from "../../triage/facts/text/markers.ts";
import { copiesFromOutside } from "../../triage/rules/operations.ts";
import type { LaidUpon } from "../../workspace/sessions/imports.ts";
import { commandOf } from "./call-check.ts";

/** What an agent said, as a session's story tells it. */
export interface StoryMessage {
  readonly seq: number;
  readonly text: string;
}

/** Null: not the agent's, or without a word. */
export const storyMessage = (item: FoldedItem): StoryMessage | null => saidBy("assistant", item);

/** Null: not the person's, or without a word. */
export const requestIn = (item: FoldedItem): StoryMessage | null => saidBy("user", item);

function saidBy(role: "assistant" | "user", item: FoldedItem): StoryMessage | null {
  if (item.kind !== "message" || item.role !== role) return null;
  const text = item.parts.filter(isText).map((part) => part.text);
  return text.length > 0 ? { seq: item.seq, text: text.join("\n") } : null;
}

/** Records the judge cannot do without, however old. */
export const JUDGED_BY = [
  "turn.began",
  "turn.ended",
  "message.added",
  "message.opened",
  "message.grew",
  "message.ended",
  "call.started",
  "call.ended",
  "operation.began",
  "operation.ended",
  "agent.planned",
] as const;

export interface OlderStory {
  /** To be folded before the newer ones. */
  readonly records: readonly StoredRecord[];
  /** Messages that mark operations: their marking lines alone. */
  readonly marked: readonly StoryMessage[];
  /** There are more records than were looked at. */
  readonly isCutShort: boolean;
}

export interface OlderStretch {
  readonly toSeq: number;
  /** The newer records: a message that goes on in them is told whole. */
  readonly newer: readonly StoredRecord[];
  readonly most: number;
  readonly isLaid: LaidUpon;
}

export async function readOlder(
  store: Store,
  session: SessionId,
  { toSeq, newer, most, isLaid }: OlderStretch,
): Promise<OlderStory> {
  const sieve = new Sieve();
  let seen = 0;
  for await (const record of store.journal(session, { toSeq, kinds: JUDGED_BY })) {
    if (++seen > most) break;
    if (!record.isDamaged && !isLaid(record)) sieve.take(record);
  }
  const { records, marked } = sieve.end(new Set(newer.map(streamOf)));
  return { records, marked, isCutShort: seen > most };
}

const streamOf = ({ body: { message } }: StoredRecord): Json => message ?? null;

class Sieve {
  readonly #records: StoredRecord[] = [];
  readonly #marked: StoryMessage[] = [];
  readonly #streams = new Map<Json, StoredRecord[]>();
  readonly #copying = new Set<Json>();

  take(record: StoredRecord): void {
    const { kind, body } = record;
    switch (kind) {
      case "message.added":
        this.#mark([record]);
        return;
      case "message.opened":
        this.#streams.set(streamOf(record), [record]);
        return;
      case "message.grew":
      case "message.ended":
        this.#grow(record);
        return;
      case "call.started":
        if (isCopying(body.input ?? null)) this.#copying.add(body.call ?? null);
        break;
      default:
        break;
    }
    const isOfCall = kind === "call.started" || kind === "call.ended";
    if (!isOfCall || this.#copying.has(body.call ?? null)) this.#records.push(record);
  }

  end(goingOn: ReadonlySet<Json>): Pick<OlderStory, "records" | "marked"> {
    for (const [message, stream] of this.#streams) {
      if (goingOn.has(message)) this.#records.push(...stream);
      else this.#mark(stream);
    }
    return { records: this.#records, marked: this.#marked };
  }

  #grow(record: StoredRecord): void {
    const stream = this.#streams.get(streamOf(record));
    stream?.push(record);
    if (!stream || record.kind !== "message.ended") return;
    this.#streams.delete(streamOf(record));
    this.#mark(stream);
  }

  /** Folded first: a line may come in pieces. */
  #mark(records: readonly StoredRecord[]): void {
    const fold = new Fold();
    for (const record of records) fold.add(record);
    const [item] = fold.items;
    const said = item ? storyMessage(item) : null;
    const text = said ? markerLines(said.text) : "";
    if (said && text !== "") this.#marked.push({ seq: said.seq, text });
  }
}

function isCopying(input: Json): boolean {
  const command = commandOf(input);
  return command !== null && copiesFromOutside(command);
}
