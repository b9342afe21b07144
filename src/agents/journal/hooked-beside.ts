/**
 * What hooks told and the journal has not: pure. A call is the same one by its agent's id; where hooks give none, by tool, input and order.
 */
import type { Json, JsonObject } from "../../model/json.ts";
import type { Heard, HeardResult } from "../words/heard.ts";
import { isMade } from "../words/made-id.ts";
import type { HookedCall, HookedTurn, HookedWork } from "./hooked-work.ts";

export interface JournalCall {
  /** The agent's own id. */
  readonly id: string;
  readonly tool: string;
  readonly input: Json;
  readonly turn: string;
  readonly isOpen: boolean;
  readonly isOwn: boolean;
  /** Of the claim that is on, as the prompts are: the same words in one before it are no word of this. */
  readonly isNow: boolean;
}

/** What the journal has of this source: the newest, in order. */
export interface JournalSoFar {
  /** The turn that is open; null: none. */
  readonly turn: string | null;
  readonly calls: readonly JournalCall[];
  /** What the person said in the claim that is on. */
  readonly prompts: readonly { readonly turn: string; readonly text: string }[];
  /** What the agent said last in the open turn; null: nothing. */
  readonly answer: string | null;
}

export interface BesideTold {
  readonly heard: readonly Heard[];
  /** The last turn's end by its own record, where it is the end of what the journal has (L7); null: no word of that. */
  readonly end: HookedTurn["end"];
}

export function besideJournal(work: HookedWork, journal: JournalSoFar): BesideTold {
  const found = matched(work, journal);
  const isAlone = !journal.calls.some(({ isNow }) => isNow) && journal.prompts.length === 0;
  const last = work.last;
  const heard = work.turns.flatMap((turn): readonly Heard[] => {
    const isLast = turn === last;
    const calls = turn.calls.flatMap((one) => callBeside(one, found.get(one) ?? null, isLast));
    if (isAlone) return [...said(turn), ...calls, ...(isLast ? [] : ended(turn))];
    // A prompt that its program worded otherwise is known by the calls that came of it: the same turn is not told twice.
    const isThere = turn.calls.some((one) => found.has(one));
    const isAsked = isLast && turn.prompt !== null && !isThere && !isKnown(turn.prompt, journal);
    // What was left open in a turn that is history is told inside the one that is on, or not at all.
    return isAsked ? [...said(turn), ...calls] : journal.turn === null && !isLast ? [] : calls;
  });
  const isOver = last?.end != null && (isAlone || covers(last, journal, found));
  return { heard, end: isOver && last !== null ? last.end : null };
}

const said = ({ prompt }: HookedTurn): readonly Heard[] => (prompt === null ? [] : [prompt]);

/** A turn that was followed by another and has no end came to none that anybody told. */
const ended = ({ end }: HookedTurn): readonly Heard[] => [
  { kind: "turn-ended", outcome: end?.outcome ?? "failed", proof: "record", at: end?.at ?? null },
];

function callBeside(
  { call, nth, result }: HookedCall,
  known: JournalCall | null,
  isLast: boolean,
): readonly Heard[] {
  if (known !== null) return known.isOpen && result !== null ? [{ ...result, call: known.id }] : [];
  const id = nth === 0 ? call.id : `${call.id}-${nth + 1}`;
  const over = result ?? (isLast ? null : neverEnded(id));
  return [{ ...call, id }, ...(over === null ? [] : [{ ...over, call: id }])];
}

/** Its turn is history, and nobody saw it end (C4). */
const neverEnded = (call: string): HeardResult => ({
  ...{ kind: "result", call, status: "cancelled", origin: "synthetic", output: "", at: null, edits: [] },
});

/** Which call of the journal each of them is; left out: none. */
function matched(work: HookedWork, { calls }: JournalSoFar): ReadonlyMap<HookedCall, JournalCall> {
  const byId = new Map(calls.map((one) => [one.id, one]));
  const found = new Map<HookedCall, JournalCall>();
  const unnamed: HookedCall[] = [];
  for (const one of work.turns.flatMap((turn) => turn.calls)) {
    const known = byId.get(one.nth === 0 ? one.call.id : `${one.call.id}-${one.nth + 1}`);
    if (known) found.set(one, known);
    else if (isMade(one.call.id)) unnamed.push(one);
  }
  const taken = new Set(found.values());
  const left = calls.filter((call) => call.isNow && !taken.has(call) && !isMade(call.id));
  for (const same of grouped(unnamed)) {
    const key = keyOf(same[0]?.call.tool ?? "", same[0]?.call.input ?? {});
    const there = left.filter((call) => keyOf(call.tool, call.input) === key);
    const both = withoutNewestOpen(same, same.length - there.length);
    // From the newest back: of the oldest the journal may show no more.
    for (const [nth, one] of both.toReversed().entries()) {
      const known = there.at(-1 - nth);
      if (known) found.set(one, known);
    }
  }
  return found;
}

/** Calls that look alike, in order. */
function grouped(calls: readonly HookedCall[]): readonly HookedCall[][] {
  const groups = new Map<string, HookedCall[]>();
  for (const one of calls) groups.set(one.call.id, [...(groups.get(one.call.id) ?? []), one]);
  return [...groups.values()];
}

/** Where the journal has fewer of them, those are missing that have no end: a transcript that writes a call when it is over has not written them. */
function withoutNewestOpen(calls: readonly HookedCall[], missing: number): readonly HookedCall[] {
  const open = calls.filter(({ result }) => result === null).slice(missing > 0 ? -missing : calls.length);
  return calls.filter((one) => !open.includes(one));
}

/** The same input whatever order its fields were written in. */
const keyOf = (tool: string, input: Json): string => `${tool}\n${JSON.stringify(sorted(input))}`;

function sorted(value: Json): Json {
  if (Array.isArray(value)) return value.map((one: Json) => sorted(one));
  if (typeof value !== "object" || value === null) return value;
  const object = value as JsonObject;
  return Object.fromEntries(
    Object.keys(object)
      .sort()
      .map((name) => [name, sorted(object[name] ?? null)]),
  );
}

/** Whether the end record is the end of the journal's open turn: the same prompt, no call it does not know, the same last words. */
function covers(
  { prompt, calls, end }: HookedTurn,
  { turn, calls: known, prompts, answer }: JournalSoFar,
  found: ReadonlyMap<HookedCall, JournalCall>,
): boolean {
  if (turn === null) return false;
  const asked = prompts.filter((one) => one.turn === turn);
  const isAsked =
    prompt === null || asked.length === 0 || asked.some(({ text }) => isSame(text, textOf(prompt)));
  const own = new Set(calls.flatMap((call) => found.get(call) ?? []));
  const isWhole = known.every((call) => call.turn !== turn || !call.isOwn || own.has(call));
  const isOther = end?.answer != null && answer !== null && !isEndOf(answer, end.answer);
  return isAsked && isWhole && !isOther;
}

const isKnown = (prompt: NonNullable<HookedTurn["prompt"]>, { prompts }: JournalSoFar): boolean =>
  prompts.some(({ text }) => isSame(text, textOf(prompt)));

const textOf = ({ parts }: NonNullable<HookedTurn["prompt"]>): string =>
  parts.flatMap((part) => (part.type === "text" ? [String(part.text)] : [])).join("\n");

const isSame = (a: string, b: string): boolean => a.trim() === b.trim();

/** A transcript may have an answer in pieces. */
const isEndOf = (a: string, b: string): boolean => a.trim().endsWith(b.trim()) || b.trim().endsWith(a.trim());
