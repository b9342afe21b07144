/** What a session was about and where it stopped, as pieces of a brief: goal, last output, turn, calls, operations. */
import type { Json } from "../model/json.ts";
import { beforeParts, type HeldBefore } from "../text/before-words.ts";
import { fence, inlineText, LINE_BYTES, lastLineOf, plainWord } from "../text/fence.ts";
import { soFarWords } from "../text/so-far-words.ts";
import { tellingText } from "../text/telling-text.ts";
import type { BriefCall, BriefFacts, BriefOperation, BriefRecorded } from "./brief-facts.ts";
import { type BriefPiece, RANK } from "./brief-piece.ts";

/** A goal is a paragraph; what somebody pasted behind it is in the log. */
const GOAL_BYTES = 2048;
/** The manifest keeps 4 KiB of the last output; with its frame. */
const OUTPUT_BYTES = 4096 + 512;
/** What a call was told, where there is room: a script's beginning, not a file's text. */
const CALL_BYTES = 600;
/** So many get room before anything else; an agent has few calls open at once. */
const FIRST_CALLS = 3;
const FIRST_OPERATIONS = 3;

export function goalPieces({ goal }: BriefFacts): BriefPiece[] {
  if (goal === null || goal.trim() === "") return [];
  const at = { section: "goal", slot: "goal" } as const;
  const short: BriefPiece = {
    ...at,
    rank: RANK.goal,
    markdown: `${inlineText(goal, 160)}\n`,
    json: { field: "goal", value: goal.slice(0, 160) },
  };
  if (isOneLine(goal, 160)) return [short];
  const markdown = fence(goal, { label: "the goal", maxBytes: GOAL_BYTES });
  return [short, { ...short, rank: RANK.longGoal, markdown, json: { field: "goal", value: goal } }];
}

export function stoppedPieces({ last_output, turn }: BriefFacts): BriefPiece[] {
  return [...turnPieces(turn), ...outputPieces(last_output)];
}

function turnPieces(turn: BriefFacts["turn"]): BriefPiece[] {
  if (turn === null) return [];
  const asked = turn.input === null || turn.input.trim() === "" ? "" : ` on ${inlineText(turn.input)}`;
  const came = turn.inferred
    ? "has no end on record, though its last words may read like one"
    : turn.outcome === null
      ? "never ended"
      : `ended: ${plainWord(turn.outcome)}`;
  const markdown = `- The last turn${asked} ${came}.\n`;
  const json = { field: "turn", value: { ...turn } as Json } as const;
  return [{ section: "stopped", slot: "turn", rank: RANK.turn, markdown, json }];
}

function outputPieces(output: string | null): BriefPiece[] {
  if (output === null || output.trim() === "") return [];
  const last = lastLineOf(output);
  const short: BriefPiece = {
    section: "stopped",
    slot: "output",
    rank: RANK.output,
    markdown: `- Last output: ${inlineText(last, 160)}\n`,
    json: { field: "last_output", value: last },
  };
  if (isOneLine(output, 160)) return [short];
  const long = fence(output, { label: "its last output", maxBytes: OUTPUT_BYTES });
  const json = { field: "last_output", value: output } as const;
  return [short, { ...short, rank: RANK.longOutput, markdown: `\n${long}\n`, json }];
}

const isOneLine = (text: string, maxChars: number): boolean =>
  !text.trim().includes("\n") && text.trim().length <= maxChars;

export function callPieces({ calls, told }: BriefFacts): BriefPiece[] {
  // The last ones are where it died; the order they were made in stays.
  const first = calls.length - FIRST_CALLS;
  return calls.flatMap((call, at) => {
    const isFirst = at >= first;
    const about = tellingText(call.input);
    const made = told?.recorded.find((one) => one.call === call.id);
    const piece = (bytes: number, rank: number): BriefPiece => ({
      section: "calls",
      slot: `call:${at}`,
      rank,
      markdown: `- ${inlineText(call.tool, 60)}: ${inlineText(about, bytes)}. ${adviceOf(call).replace(/\.$/, made ? "" : ".")}${made ? recordedWords(made) : ""}${call.before ? ` ${heldWords(call.before)}` : ""}\n`,
      json: {
        list: "calls",
        value: { ...call, ...(made ? { recorded: made.said, saw: made.saw } : {}) } as unknown as Json,
      },
    });
    const short = piece(100, isFirst ? RANK.call : RANK.older);
    return about.length <= 100
      ? [short]
      : [short, piece(CALL_BYTES, isFirst ? RANK.longCall : RANK.longOlder)];
  });
}

/** As every screen says it, as a sentence. */
function heldWords(image: HeldBefore): string {
  const { what, said } = beforeParts(image);
  return `${what.charAt(0).toUpperCase()}${what.slice(1)}: ${said.map((text) => inlineText(text, 160)).join(", ")}.`;
}

/** C4: what the agent's program wrote in the place of a result proves nothing, not even a failure. */
function recordedWords({ said, saw }: BriefRecorded): string {
  const seen = saw === null ? "" : `; refloat saw: ${inlineText(saw, 160)}`;
  return `; its program recorded ${inlineText(said, 100)} without seeing its end${seen}.`;
}

/** What to do about a call nobody saw end (C4): by its effect, never by running it again. */
function adviceOf({ effect, check }: BriefCall): string {
  switch (effect) {
    case "none":
      return "It only reads: calling it again is safe.";
    case "idempotent":
      return "Doing it again gives the same state.";
    default: {
      const how = check === null ? "its effect" : inlineText(check);
      return `Do not repeat it before checking: ${how}`;
    }
  }
}

export function operationPieces({ operations }: BriefFacts): BriefPiece[] {
  const unfinished = operations.filter(({ state }) => state !== "ended");
  const ended = operations.filter(({ state }) => state === "ended");
  return [...unfinished, ...ended].flatMap((operation, at) => {
    const isFirst = operation.state !== "ended" && at < FIRST_OPERATIONS;
    const { so_far, ...bare } = operation;
    const said = `- ${inlineText(operation.label, 80)} ${stateWords(operation)}${pathsOf(operation)}`;
    const short: BriefPiece = {
      section: "operations",
      slot: `operation:${at}`,
      rank: isFirst ? RANK.operation : RANK.older,
      markdown: `${said}\n`,
      json: { list: "operations", value: bare as unknown as Json },
    };
    if (!so_far) return [short];
    const far = soFarWords(so_far, (text) => inlineText(text, 80));
    const json = { list: "operations", value: { ...operation } as unknown as Json } as const;
    const rank = isFirst ? RANK.soFar : RANK.longOlder;
    return [short, { ...short, rank, markdown: `${said}: ${far}\n`, json }];
  });
}

function stateWords({ state }: BriefOperation): string {
  switch (state) {
    case "open":
      return "was begun and never ended";
    case "aborted":
      return "was given up";
    case "ended":
      return "ended";
    default:
      return state satisfies never;
  }
}

const pathsOf = ({ paths }: BriefOperation): string =>
  paths.length === 0 ? "" : `, over ${inlineText(paths.join(" "), LINE_BYTES)}`;
