/**
 * The brief for the next session (DESIGN 9): facts in, Markdown and JSON out, within a token budget.
 *
 *  H1  The Markdown never costs more than its budget (1 token = 4 UTF-8 bytes).
 *  H2  What matters more is there before what matters less (RANK in brief-piece.ts), and what is not there is counted,
 *      with the command that shows it.
 *  H3  Text of the session stands in code marks or in a fence it cannot close (T3), secrets taken out before (T4).
 *  H4  The same facts and budget give the same brief.
 */

import type { Json } from "../model/json.ts";
import { MAX_BUDGET_TOKENS, MIN_BUDGET_TOKENS } from "../model/limits.ts";
import { tokensOf } from "../text/cut-to-bytes.ts";
import { shellWord } from "../text/escape.ts";
import { inlineText } from "../text/fence.ts";
import type { BriefFacts } from "./brief-facts.ts";
import { type BriefPiece, type BriefSection, type FittedPieces, fitPieces, SECTIONS } from "./brief-piece.ts";
import { callPieces, goalPieces, operationPieces, stoppedPieces } from "./session-pieces.ts";
import { morePieces, requestPieces, toldPieces, unknownPieces } from "./told-pieces.ts";
import { whatHappened } from "./what-happened.ts";
import {
  claimPieces,
  decisionPieces,
  donePieces,
  leftoverPieces,
  nextPieces,
  saidPieces,
  stepPieces,
  waitingPieces,
  workPieces,
} from "./work-pieces.ts";

const BYTES_PER_TOKEN = 4;

export interface LeftOut {
  readonly section: BriefSection;
  /** Facts that are not there at all. */
  readonly count: number;
  /** Something of the section stands there in a shorter form. */
  readonly shortened: boolean;
}

export interface Brief {
  readonly markdown: string;
  readonly budget: number;
  readonly tokens: number;
  readonly left_out: readonly LeftOut[];
  /** What is in the Markdown, as fields. */
  readonly facts: Readonly<Record<string, Json>>;
}

/** `facts` come redacted (gather-facts.ts). */
export function writeBrief(facts: BriefFacts, budgetTokens: number): Brief {
  const pieces = piecesOf(facts);
  const head = whatHappened(facts);
  const budgetBytes = budgetTokens * BYTES_PER_TOKEN;
  const whole = fitInto(pieces, budgetBytes - Buffer.byteLength(head));
  const hasAll = whole.missing.size === 0 && whole.shortened.size === 0;
  const footer = (left: readonly LeftOut[]): string => footerOf(facts, pieces, left, budgetTokens);
  // That much is set aside for the line that counts what is missing.
  const room = budgetBytes - Buffer.byteLength(head) - Buffer.byteLength(footer(mostLeftOut(pieces)));
  const fitted = hasAll ? whole : fitInto(pieces, room);
  const markdown = `${head}${bodyOf(fitted.kept)}${hasAll ? "" : footer(leftOutOf(fitted))}`;
  return {
    markdown,
    budget: budgetTokens,
    tokens: tokensOf(markdown),
    left_out: leftOutOf(fitted),
    facts: jsonOf(fitted.kept),
  };
}

function piecesOf(facts: BriefFacts): readonly BriefPiece[] {
  return [
    ...goalPieces(facts),
    ...requestPieces(facts),
    ...stoppedPieces(facts),
    ...callPieces(facts),
    ...toldPieces(facts),
    ...operationPieces(facts),
    ...workPieces(facts),
    ...claimPieces(facts),
    ...leftoverPieces(facts),
    ...stepPieces(facts),
    ...saidPieces(facts),
    ...decisionPieces(facts),
    ...waitingPieces(facts),
    ...donePieces(facts),
    ...unknownPieces(facts),
    ...nextPieces(facts),
    ...morePieces(facts),
  ];
}

const headingOf = (section: BriefSection): string => `\n## ${SECTIONS[section]}\n\n`;

const fitInto = (pieces: readonly BriefPiece[], roomBytes: number): FittedPieces<BriefPiece> =>
  fitPieces(pieces, { roomBytes, headingBytes: (section) => Buffer.byteLength(headingOf(section)) });

function bodyOf(kept: readonly BriefPiece[]): string {
  let text = "";
  let section: BriefSection | null = null;
  for (const piece of kept) {
    if (piece.section !== section) text += headingOf(piece.section);
    section = piece.section;
    text += piece.markdown;
  }
  return text;
}

/** What the facts of a section are called where they are counted. */
const NOUNS: Readonly<Record<BriefSection, string>> = {
  goal: "goal",
  asked: "requests",
  stopped: "last words",
  calls: "calls",
  worked: "work done",
  plan: "plan",
  children: "subagents",
  operations: "operations",
  work: "groups",
  claims: "claims",
  leftovers: "processes",
  machines: "machinery",
  steps: "steps",
  decisions: "decisions",
  waiting: "inputs",
  done: "acts",
  unknown: "what is not known",
  next: "commands",
  more: "commands to see more",
};

function footerOf(
  { session }: BriefFacts,
  pieces: readonly BriefPiece[],
  left: readonly LeftOut[],
  budget: number,
): string {
  const missing = left
    .filter((one) => one.count > 0)
    .map(({ section, count }) => `${NOUNS[section]} ${count}`);
  const shortened = left.filter((one) => one.shortened).map(({ section }) => NOUNS[section]);
  const parts = [
    ...(missing.length > 0 ? [missing.join(", ")] : []),
    ...(shortened.length > 0 ? [`shortened: ${shortened.join(", ")}`] : []),
  ];
  // Nobody can name a session that was never recorded.
  const of = session.implied ? "" : ` ${idInCommand(session.id)}`;
  const command = `refloat handoff${of} --budget ${fullBudget(pieces)}`;
  return `\nLeft out for ${budget} tokens: ${parts.join("; ")}. All of it: ${inlineText(command)}\n`;
}

/** An id that is long or odd would cost more than the fact it leads to. */
const idInCommand = (id: string): string => (Buffer.byteLength(id) <= 40 ? shellWord(id) : "ID");

/** What would hold everything, in round numbers. */
function fullBudget(pieces: readonly BriefPiece[]): number {
  const longest = fitInto(pieces, Number.POSITIVE_INFINITY);
  const tokens = tokensOf(bodyOf(longest.kept)) + MIN_BUDGET_TOKENS;
  return Math.min(Math.ceil(tokens / 100) * 100, MAX_BUDGET_TOKENS);
}

/** More than can ever be: everything is missing, and everything that has two forms is shortened. */
function mostLeftOut(pieces: readonly BriefPiece[]): LeftOut[] {
  const slots = new Map(pieces.map((piece) => [piece.slot, piece]));
  const shortened = new Set(
    pieces.filter((one) => slots.get(one.slot) !== one).map(({ section }) => section),
  );
  return leftOutOf({ ...fitInto(pieces, 0), shortened });
}

function leftOutOf({ missing, shortened }: FittedPieces<BriefPiece>): LeftOut[] {
  const sections = Object.keys(SECTIONS) as BriefSection[];
  return sections
    .map((section) => ({
      section,
      count: missing.get(section) ?? 0,
      shortened: shortened.has(section),
    }))
    .filter((one) => one.count > 0 || one.shortened);
}

const FIELDS = {
  goal: null,
  last_output: null,
  turn: null,
  verdicts: null,
  edited: null,
  test: null,
  planned: null,
} as const;
const LISTS = {
  calls: [],
  operations: [],
  groups: [],
  claims_contradicted: [],
  leftovers: [],
  steps: [],
  decisions: [],
  waiting: [],
  done: [],
  next: [],
  requests: [],
  ran: [],
  plan: [],
  children: [],
  machines: [],
  unknown: [],
  more: [],
} as const;

function jsonOf(kept: readonly BriefPiece[]): Record<string, Json> {
  const facts: Record<string, Json> = { ...FIELDS, ...LISTS };
  for (const { json } of kept) {
    if ("field" in json) facts[json.field] = json.value;
    else facts[json.list] = [...((facts[json.list] ?? []) as readonly Json[]), json.value];
  }
  return facts;
}
