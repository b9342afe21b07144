/**
 * The evidence of an interruption, from the journal: a turn that began and did not end, or was ended as
 * interrupted with none after it (L1). Being idle, however long, is none (L5); nor is a conversation that goes on.
 */

import { dirtyEndsOf, findDirtyEnd } from "../conversation/dirty-end.ts";
import { effectOfTool } from "../conversation/effects.ts";
import { openThings } from "../conversation/open-things.ts";
import type { SessionId } from "../model/ids.ts";
import type { JsonObject } from "../model/json.ts";
import { type Effect, effect as effectSchema, type StoredRecord } from "../model/record.ts";
import { renewedAs } from "../session/describe.ts";
import { EVIDENCE_KINDS as PROGRESS_KINDS } from "../session/progress.ts";
import type { OpenRow, SessionRow } from "../store/contract/driver.ts";
import { type RecordSource, readTail } from "../store/record-tail.ts";
import type { Store } from "../store/store.ts";
import { LEAVE_REASONS, type LeaveReason } from "./decide-resume.ts";
import { readInput } from "./inbox.ts";
import type { TurnInput } from "./options.ts";
import type { GatewayPolicy } from "./policy.ts";

/** A turn's own evidence lies at the end of the journal; a longer turn's calls are judged by its last ones. */
const EVIDENCE_RECORDS = 200;
/** Few of these are written for a turn, however long it is: they tell who asked, who stopped it, what was decided. */
const TURN_KINDS = [
  "turn.began",
  "turn.ended",
  "stop.asked",
  "recovered",
  "resume.decided",
  "session.suspended",
  "session.lifted",
];
const EVIDENCE_KINDS = [...TURN_KINDS, "call.started", "call.ended"];
/** What is read once for all that is asked here: the evidence, what counts dirty ends, and what opened the things that are open. */
const TAIL_KINDS = [...new Set([...EVIDENCE_KINDS, ...PROGRESS_KINDS, "message.opened"])];

export interface TurnInterruption {
  readonly turn: string;
  /** The journal's head at which it was looked at: orders that came later were not seen. */
  readonly judgedAt: number;
  /** The input it was to answer, by id; null: the input was given directly, or lies too far back. */
  readonly inputId: string | null;
  /** Its owner left it open: nobody has closed it yet. */
  readonly isOpen: boolean;
  /** It is on record that this turn is left, and no lift came after it: not to be written again at every start. */
  readonly left: { readonly why: LeaveReason; readonly atMs: number } | null;
  /** When it was resumed by itself and lost again, newest first: since somebody asked, or since a lift. */
  readonly resumedAtMs: readonly number[];
  readonly isAskedToStop: boolean;
  /** Without progress, this one included. */
  readonly dirtyEnds: number;
  /** Times it was suspended for its dirty ends since a turn was last completed in it. */
  readonly suspensions: number;
  /** Null: it has not been found before. */
  readonly discoveredAtMs: number | null;
  readonly lastSignMs: number | null;
  readonly cause: string;
  readonly calls: readonly { readonly tool: string; readonly effect: Effect }[];
}

/**
 * A new input reads the same history: if that ends the process again, it is not held against who goes on alone (L2). One
 * dirty end makes nobody suspect: a single crash cuts off every conversation, and their next inputs must not queue up.
 */
export const isUnderSuspicion = (
  { dirtyEnds, suspensions }: TurnInterruption,
  policy: Pick<GatewayPolicy, "dirtyEnds">,
): boolean => suspensions > 0 || dirtyEnds + 1 >= policy.dirtyEnds;

/** The turn the row says was left open or cut off; that is all a start with many conversations looks at. */
export function interruptedTurn({ facts }: Pick<SessionRow, "facts">): LeftTurn | null {
  if (typeof facts.turn === "string") return { turn: facts.turn, isOpen: true };
  return typeof facts.interrupted === "string" ? { turn: facts.interrupted, isOpen: false } : null;
}

export interface LeftTurn {
  readonly turn: string;
  readonly isOpen: boolean;
}

/** `open`: what is open in it; left out, it is read. */
export async function readInterruption(
  store: Store,
  row: SessionRow,
  open?: readonly OpenRow[],
): Promise<TurnInterruption | null> {
  const left = interruptedTurn(row);
  if (!left) return null;
  const things = left.isOpen ? (open ?? (await store.open(row.id))) : [];
  const tail = await readTail(store, row.id, TAIL_KINDS, EVIDENCE_RECORDS);
  const dirtyEnds = left.isOpen ? await dirtyEndsWith(tail, row, things) : dirtyEndsOf(row).count;
  const found = { ...left, judgedAt: row.head, dirtyEnds };
  // A lift orders nothing about a conversation that goes on elsewhere: what was left there was told, and stays left. One that
  // came after the row was read is seen with the next row: judged with this one, the suspension that it ended would stand again.
  const isOfUse = ({ kind, seq }: StoredRecord): boolean =>
    kind !== "session.lifted" || (renewedAs(row) === null && seq <= row.head);
  const near = await evidence(tail, row.id, EVIDENCE_KINDS, isOfUse);
  if (near.isAll || near.records.some(isAsking)) return interruptionOf(found, near.records);
  // More calls than that since somebody asked: the turn's few other records are read by themselves.
  const { records: far } = await evidence(tail, row.id, TURN_KINDS, isOfUse);
  const firstNear = near.records[0]?.seq ?? Number.POSITIVE_INFINITY;
  return interruptionOf(found, [...far.filter(({ seq }) => seq < firstNear), ...near.records]);
}

/** As everybody counts them (L2): on the row those that were closed, with the one that nobody has closed yet. */
async function dirtyEndsWith(tail: RecordSource, row: SessionRow, open: readonly OpenRow[]): Promise<number> {
  const things = await openThings(tail, row.id, { open });
  return (await findDirtyEnd(tail, row, things, "unknown")).count;
}

/** Oldest first. A damaged row says nothing (D5): the turn is known from the session's row. */
async function evidence(
  source: RecordSource,
  session: SessionId,
  kinds: readonly string[],
  isOfUse: (record: StoredRecord) => boolean,
): Promise<{ readonly records: readonly StoredRecord[]; readonly isAll: boolean }> {
  const limit = EVIDENCE_RECORDS;
  const newestFirst = await source.records({ session, order: "backward", limit, kinds });
  const records = newestFirst.filter((one) => !one.isDamaged && isOfUse(one)).reverse();
  return { records, isAll: newestFirst.length < limit };
}

/** What the interrupted turn was to answer. */
export function interruptedInput(
  store: Store,
  session: SessionId,
  { inputId }: TurnInterruption,
): Promise<TurnInput | null> {
  return inputId === null ? Promise.resolve(null) : readInput(store, session, inputId);
}

/** Pure: what the last records say of that turn. Null: it has ended otherwise since the row was read. */
export function interruptionOf(
  left: LeftTurn & Pick<TurnInterruption, "judgedAt" | "dirtyEnds">,
  oldestFirst: readonly StoredRecord[],
): TurnInterruption | null {
  const { turn, judgedAt, dirtyEnds } = left;
  const ended = oldestFirst.findLast(({ kind, body }) => kind === "turn.ended" && body.turn === turn);
  if (ended && ended.body.outcome !== "interrupted") return null;
  const isOpen = left.isOpen && !ended;
  const asker = oldestFirst.findLast(isAsking);
  const askedSeq = asker?.seq ?? 0;
  const found = oldestFirst.find(
    ({ kind, body }) => kind === "recovered" && listOf(body.turns).includes(turn),
  );
  // An order to go on voids what was decided before it, and what is judged after it is judged from there (L2).
  const lifted = oldestFirst.findLast(isLiftedByOrder);
  const orderedSeq = Math.max(askedSeq, lifted?.seq ?? 0);
  const orderedAtMs = lifted && lifted.seq > (found?.seq ?? 0) ? lifted.atMs : 0;
  const inputId = asker?.body.input;
  return {
    turn,
    judgedAt,
    inputId: typeof inputId === "string" ? inputId : null,
    isOpen,
    left: leftOf(oldestFirst, turn, orderedSeq),
    resumedAtMs: resumesOf(oldestFirst, orderedSeq),
    isAskedToStop: oldestFirst.some(({ kind, seq }) => kind === "stop.asked" && seq > orderedSeq),
    dirtyEnds,
    suspensions: suspensionsOf(oldestFirst),
    discoveredAtMs: found ? Math.max(found.atMs, orderedAtMs) : null,
    lastSignMs: latest(lastSign(oldestFirst, ended)?.atMs, orderedAtMs),
    cause: typeof found?.body.cause === "string" ? found.body.cause : "unknown",
    calls: unseenCalls(oldestFirst, askedSeq),
  };
}

/** A new input that ends a suspension orders nothing about the turn that was left: it is to be answered itself. */
const isLiftedByOrder = ({ kind, body }: StoredRecord): boolean =>
  kind === "session.lifted" && typeof body.input !== "string";

function leftOf(
  oldestFirst: readonly StoredRecord[],
  turn: string,
  sinceSeq: number,
): TurnInterruption["left"] {
  const decided = oldestFirst.findLast(
    ({ kind, body, seq }) =>
      kind === "resume.decided" && body.turn === turn && judgedAt(body, seq) >= sinceSeq,
  );
  if (decided?.body.decision !== "leave") return null;
  const why = LEAVE_REASONS.find((reason) => reason === decided.body.why);
  return why ? { why, atMs: decided.atMs } : null; // another's reason (D5) is no reason here: it is judged anew
}

/** A decision is written some time after it was made: what counts is what it was made of. */
const judgedAt = (body: JsonObject, seq: number): number =>
  typeof body.judged_at === "number" ? body.judged_at : seq - 1;

/** What a person ended on purpose was not lost by itself: no loop is made of that (L2). */
const resumesOf = (oldestFirst: readonly StoredRecord[], sinceSeq: number): number[] =>
  oldestFirst
    .filter(
      ({ kind, body, seq }) => kind === "resume.decided" && body.decision === "resume" && seq > sinceSeq,
    )
    .filter((resumed) => endAfter(oldestFirst, resumed)?.body.asked !== true)
    .map(({ atMs }) => atMs)
    .toReversed();

const endAfter = (oldestFirst: readonly StoredRecord[], resumed: StoredRecord): StoredRecord | undefined =>
  oldestFirst.find(({ kind, seq }) => kind === "recovered" && seq > resumed.seq);

/** Every one by its dirty ends, whoever counted them; one by order tells nothing of the conversation. */
function suspensionsOf(oldestFirst: readonly StoredRecord[]): number {
  const completed = oldestFirst.findLast(
    ({ kind, body }) => kind === "turn.ended" && body.outcome === "completed",
  );
  return oldestFirst.filter(
    ({ kind, body, seq }) =>
      kind === "session.suspended" && body.by === "escalation" && seq > (completed?.seq ?? 0),
  ).length;
}

const latest = (atMs: number | undefined, orderedAtMs: number): number | null =>
  atMs === undefined && orderedAtMs === 0 ? null : Math.max(atMs ?? 0, orderedAtMs);

/** The turn that took the input: one resumed before has none of its own and answers the same one. */
const isAsking = ({ kind, body }: StoredRecord): boolean =>
  kind === "turn.began" && (typeof body.input === "string" || Array.isArray(body.parts));

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

function unseenCalls(oldestFirst: readonly StoredRecord[], fromSeq: number): TurnInterruption["calls"] {
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
