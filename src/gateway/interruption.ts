/**
 * The evidence of an interruption, from the journal: a turn that began and did not end, or was ended as
 * interrupted with none after it (L1). Being idle, however long, is none (L5); nor is a conversation that goes on.
 */
import { effectOfTool } from "../conversation/effects.ts";
import type { SessionId } from "../model/ids.ts";
import { type Effect, effect as effectSchema, type StoredRecord } from "../model/record.ts";
import type { OpenRow, SessionRow } from "../store/driver.ts";
import type { Store } from "../store/store.ts";
import { countDirtyEnds, PROGRESS_KINDS } from "./count-dirty-ends.ts";
import { readInput } from "./inbox.ts";
import type { TurnInput } from "./options.ts";

/** A turn's own evidence lies at the end of the journal; a turn of more calls is judged by its last ones. */
const EVIDENCE_RECORDS = 200;
const EVIDENCE_KINDS = [...PROGRESS_KINDS, "turn.began", "stop.asked", "recovered", "resume.decided"];

export interface InterruptionFacts {
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

export interface Interruption extends InterruptionFacts {
  readonly input: TurnInput | null;
}

export async function readInterruption(
  store: Store,
  row: SessionRow,
  open: readonly OpenRow[],
): Promise<Interruption | null> {
  const hasOpenTurn = open.some(({ what }) => what === "turn");
  if (!hasOpenTurn && typeof row.facts.interrupted !== "string") return null;
  const newestFirst = await store.records({
    session: row.id,
    order: "backward",
    limit: EVIDENCE_RECORDS,
    kinds: EVIDENCE_KINDS,
  });
  const facts = interruptionOf(newestFirst.reverse(), open);
  if (!facts) return null;
  return { ...facts, input: await inputOf(store, row.id, facts) };
}

function inputOf(
  store: Store,
  session: SessionId,
  { inputId }: InterruptionFacts,
): Promise<TurnInput | null> {
  return inputId === null ? Promise.resolve(null) : readInput(store, session, inputId);
}

/** Pure: what the last records say. */
export function interruptionOf(
  oldestFirst: readonly StoredRecord[],
  open: readonly OpenRow[],
): InterruptionFacts | null {
  const began = oldestFirst.findLast(({ kind }) => kind === "turn.began");
  if (!began) return null;
  const turn = String(began.body.turn);
  const ended = oldestFirst.findLast(({ kind, body }) => kind === "turn.ended" && body.turn === turn);
  const isOpen = open.some(({ what, id }) => what === "turn" && id === turn);
  if (ended ? ended.body.outcome !== "interrupted" : !isOpen) return null;
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

function unseenCalls(oldestFirst: readonly StoredRecord[], fromSeq: number): InterruptionFacts["calls"] {
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
