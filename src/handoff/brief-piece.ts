/** The sections of a brief, in the order they are read, and the order in which they are given room. */
import type { Json } from "../model/json.ts";

/**
 * What goes into a brief of so many bytes. Pieces come by rank; pieces of one slot say the same at growing length, the
 * longer taking the shorter's place where it still fits. Pure and greedy: what matters more is never left out for
 * something that matters less, but a small piece may still fit where a large one did not.
 */
interface SlotPiece<S extends string = string> {
  readonly section: S;
  /** Pieces of one slot stand for each other. */
  readonly slot: string;
  /** The lower, the sooner it is taken. */
  readonly rank: number;
  /** Whole lines. */
  readonly markdown: string;
}

export interface FittedPieces<P extends SlotPiece> {
  /** One piece per slot at most, in the order they were given. */
  readonly kept: readonly P[];
  /** Slots nothing was kept of, by section. */
  readonly missing: ReadonlyMap<P["section"], number>;
  /** Sections of which something stands in a shorter form than there is. */
  readonly shortened: ReadonlySet<P["section"]>;
}

interface FitOptions<S extends string> {
  /** UTF-8 bytes for pieces and headings together. */
  readonly roomBytes: number;
  /** What a section costs besides its pieces, once it has one. */
  readonly headingBytes: (section: S) => number;
}

export function fitPieces<P extends SlotPiece>(
  pieces: readonly P[],
  { roomBytes, headingBytes }: FitOptions<P["section"]>,
): FittedPieces<P> {
  const kept = new Map<string, P>();
  const begun = new Set<string>();
  let room = roomBytes;
  const byRank = pieces.map((piece, at) => ({ piece, at })).sort(byRankThenPlace);
  for (const { piece } of byRank) {
    const before = kept.get(piece.slot);
    const heading = begun.has(piece.section) ? 0 : headingBytes(piece.section);
    const more = bytesOf(piece) - (before ? bytesOf(before) : 0) + heading;
    if (more > room) continue;
    room -= more;
    kept.set(piece.slot, piece);
    begun.add(piece.section);
  }
  return {
    kept: inOrder(pieces, kept),
    missing: missingOf(pieces, kept),
    shortened: shortenedOf(pieces, kept),
  };
}

const bytesOf = ({ markdown }: SlotPiece): number => Buffer.byteLength(markdown);

const byRankThenPlace = (
  a: { readonly piece: SlotPiece; readonly at: number },
  b: { readonly piece: SlotPiece; readonly at: number },
): number => a.piece.rank - b.piece.rank || a.at - b.at;

const inOrder = <P extends SlotPiece>(pieces: readonly P[], kept: ReadonlyMap<string, P>): P[] =>
  pieces.filter((piece) => kept.get(piece.slot) === piece);

function missingOf<P extends SlotPiece>(
  pieces: readonly P[],
  kept: ReadonlyMap<string, P>,
): Map<P["section"], number> {
  const missing = new Map<P["section"], Set<string>>();
  for (const { section, slot } of pieces) {
    if (kept.has(slot)) continue;
    missing.set(section, (missing.get(section) ?? new Set()).add(slot));
  }
  return new Map([...missing].map(([section, slots]) => [section, slots.size]));
}

function shortenedOf<P extends SlotPiece>(
  pieces: readonly P[],
  kept: ReadonlyMap<string, P>,
): Set<P["section"]> {
  const longest = new Map(pieces.map((piece) => [piece.slot, piece]));
  const shorter = [...kept.values()].filter((piece) => longest.get(piece.slot) !== piece);
  return new Set(shorter.map(({ section }) => section));
}

export const SECTIONS = {
  goal: "Goal",
  asked: "Asked besides",
  stopped: "Where it stopped",
  calls: "May have happened",
  worked: "Done, by its records",
  plan: "Left open in its plan",
  children: "Subagents",
  operations: "Operations",
  work: "Work left, with verdicts",
  claims: "Said, but not so",
  leftovers: "Processes it left",
  machines: "Ran beside it when it ended, by its records",
  steps: "Steps",
  decisions: "Decisions",
  waiting: "Inputs that wait",
  done: "What refloat has done",
  unknown: "Not known",
  next: "Next",
  more: "To see more",
} as const;
export type BriefSection = keyof typeof SECTIONS;

/**
 * Who gets room first: the next command and what was done to the tree, with the way back, each in a few words; what must not be
 * done twice, what was half done, the verdicts, the last words; then what it was for and was asked last, its tests, its plan and its
 * subagents; then the details. A brief of 300 tokens holds these as far as the last words.
 */
export const RANK = {
  next: 0,
  act: 1,
  olderAct: 2,
  call: 3,
  operation: 4,
  verdicts: 5,
  output: 6,
  claim: 7,
  goal: 8,
  asked: 9,
  soFar: 10,
  test: 11,
  plan: 12,
  child: 13,
  group: 14,
  turn: 15,
  leftover: 16,
  files: 17,
  step: 18,
  decision: 19,
  machine: 20,
  ran: 21,
  waiting: 22,
  done: 23,
  unknown: 24,
  more: 25,
  childDone: 26,
  olderAsked: 27,
  moreNext: 28,
  longCall: 29,
  longOutput: 30,
  longGoal: 31,
  longGroup: 32,
  older: 33,
  longOlder: 34,
} as const;

/** What a piece adds to the brief as JSON: a field of its own, or a member of a list. */
export type BriefJson =
  | {
      readonly field: "goal" | "last_output" | "turn" | "verdicts" | "edited" | "test" | "planned";
      readonly value: Json;
    }
  | {
      readonly list:
        | "next"
        | "calls"
        | "operations"
        | "groups"
        | "claims_contradicted"
        | "leftovers"
        | "steps"
        | "said"
        | "decisions"
        | "waiting"
        | "done"
        | "requests"
        | "ran"
        | "plan"
        | "children"
        | "machines"
        | "unknown"
        | "more";
      readonly value: Json;
    };

export interface BriefPiece extends SlotPiece<BriefSection> {
  readonly json: BriefJson;
}
