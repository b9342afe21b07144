/**
 * The evidence of an interruption, from the journal: a turn that began and did not end, or was ended as
 * interrupted with none after it (L1). Being idle, however long, is none (L5); nor is a conversation that goes on.
 */
import { effectOfTool } from "../conversation/effects.ts";
import type { SessionId } from "../model/ids.ts";
import { type Effect, effect as effectSchema, type StoredRecord } from "../model/record.ts";
import type { SessionRow } from "../store/driver.ts";
import type { Store } from "../store/store.ts";
import { countDirtyEnds, PROGRESS_KINDS } from "./count-dirty-ends.ts";
import { readInput } from "./inbox.ts";
import type { TurnInput } from "./options.ts";

/** A turn's own evidence lies at the end of the journal; a turn of more calls is judged by its last ones. */
const EVIDENCE_RECORDS = 200;
const EVIDENCE_KINDS = [...PROGRESS_KINDS, "turn.began", "stop.asked", "recovered", "resume.decided"];

export interface Interruption {
  readonly turn: string;
  /** The input it was to answer, by id; null: the input was given directly, or lies too far back. */
  readonly inputId: string | null;
  /** Its owner left it open: nobody has settled it yet. */
  readonly isOpen: boolean;
  /** It is on record that this turn is left: not to be written again at every start. */
  readonly isLeft: boolean;
  readonly isAskedToStop: boolean;
  /** Without progress, this one included. */
  readonly dirtyEnds: number;
  /** Null: it has not been found before. */
  readonly discoveredAtMs: number | null;
  readonly lastSignMs: number | null;
  readonly cause: string;
  readonly calls: readonly { readonly tool: string; readonly effect: Effect }[];
}

/** The row alone tells whether there can be one: that is what a start with many conversations looks at. */
export const mayBeInterrupted = ({ facts }: SessionRow): boolean =>
  typeof facts.turn === "string" || typeof facts.interrupted === "string";

export async function readInterruption(store: Store, row: SessionRow): Promise<Interruption | null> {
  if (!mayBeInterrupted(row)) return null;
  const newestFirst = await store.records({
    session: row.id,
    order: "backward",
    limit: EVIDENCE_RECORDS,
    kinds: EVIDENCE_KINDS,
  });
  return interruptionOf(newestFirst.reverse());
}

/** What the interrupted turn was to answer. */
export function interruptedInput(
  store: Store,
  session: SessionId,
  { inputId }: Interruption,
): Promise<TurnInput | null> {
  return inputId === null ? Promise.resolve(null) : readInput(store, session, inputId);
}

/** Pure: what the last records say. */
export function interruptionOf(oldestFirst: readonly StoredRecord[]): Interruption | null {
  const began = oldestFirst.findLast(({ kind }) => kind === "turn.began");
  if (!began) return null;
  const turn = String(began.body.turn);
  const ended = oldestFirst.findLast(({ kind, body }) => kind === "turn.ended" && body.turn === turn);
  if (ended && ended.body.outcome !== "interrupted") return null;
  const isOpen = !ended;
  const asker = askerOf(oldestFirst, began);
  const found = oldestFirst.find(
    ({ kind, body }) => kind === "recovered" && listOf(body.turns).includes(turn),
  );
  const inputId = asker.body.input;
  return {
    turn,
    inputId: typeof inputId === "string" ? inputId : null,
    isOpen,
    isLeft: oldestFirst.some(
      ({ kind, body }) => kind === "resume.decided" && body.turn === turn && body.decision === "leave",
    ),
    isAskedToStop: oldestFirst.some(({ kind, seq }) => kind === "stop.asked" && seq > asker.seq),
    dirtyEnds: countDirtyEnds(oldestFirst) + (isOpen ? 1 : 0),
    discoveredAtMs: found?.atMs ?? null,
    lastSignMs: lastSign(oldestFirst, ended)?.atMs ?? null,
    cause: typeof found?.body.cause === "string" ? found.body.cause : "unknown",
    calls: unseenCalls(oldestFirst, asker.seq),
  };
}

/** The turn that took the input: one resumed before has none of its own and answers the same one. */
function askerOf(oldestFirst: readonly StoredRecord[], last: StoredRecord): StoredRecord {
  const asks = ({ body }: StoredRecord): boolean =>
    typeof body.input === "string" || Array.isArray(body.parts);
  const goesBack = oldestFirst.filter(({ kind, seq }) => kind === "turn.began" && seq <= last.seq);
  return goesBack.findLast(asks) ?? goesBack[0] ?? last;
}

/** What the owner itself wrote last: not what recovery wrote about it. */
function lastSign(
  oldestFirst: readonly StoredRecord[],
  ended: StoredRecord | undefined,
): StoredRecord | undefined {
  return oldestFirst.findLast(
    ({ seq, kind, attempt, body }) =>
      attempt !== null &&
      seq < (ended?.seq ?? Number.POSITIVE_INFINITY) &&
      kind !== "recovered" &&
      body.synthetic !== true,
  );
}

function unseenCalls(oldestFirst: readonly StoredRecord[], fromSeq: number): Interruption["calls"] {
  const seen = new Set(
    oldestFirst
      .filter(({ kind, body }) => kind === "call.ended" && body.synthetic !== true)
      .map(({ body }) => body.call),
  );
  return oldestFirst
    .filter(({ kind, seq, body }) => kind === "call.started" && seq > fromSeq && !seen.has(body.call))
    .map(({ body }) => {
      const tool = String(body.tool);
      const effect = effectSchema.safeParse(body.effect);
      return { tool, effect: effect.success ? effect.data : effectOfTool(tool) };
    });
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
