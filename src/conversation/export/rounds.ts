/**
 * From a view to rounds, purely. The promises:
 *
 * R1 Every call of the view is in exactly one round, with exactly one result, whatever the journal holds
 *    (C6). A call nobody saw end says so (C4); one that still runs gets a placeholder that is nowhere else.
 * R2 Calls that overlap in time are one assistant round: a call begun before every earlier one of the
 *    round had its result. Results follow together, then what people said meanwhile.
 * R3 With an open turn the last round can be answered. Where it would end on an answer a note is added;
 *    after a result nothing is invented (C7).
 * R4 The note stays where it was when the conversation goes on: what a model was shown when it answered is
 *    what it is shown later, so a longer view begins with the rounds of the shorter one. (A whole answer
 *    without calls ends its turn; texts an agent adds after it in the same turn are one answer.)
 * R5 A turn that a person stopped says so before what people say next, unless a result in it has said it.
 */
import type { View, ViewCall, ViewItem, ViewMessage } from "../../model/view.ts";
import type { AssistantBlock, CallKey, Round, RoundResult, SystemRound, UserRound } from "./round.ts";
import {
  answerBlocks,
  CUT_OFF_NOTE,
  FORGOTTEN,
  GO_ON_NOTE,
  inputRound,
  NOTHING_TO_ANSWER,
  roundResult,
  STOPPED_NOTE,
  type TurnState,
} from "./round-content.ts";

/** An assistant round while it is being gathered. */
interface RoundDraft {
  turn: string | null;
  /** Of its last message. */
  state: ViewMessage["state"];
  /** Where that was cut off; 0: before all that follows. */
  cutOffSeq: number;
  readonly blocks: AssistantBlock[];
  readonly results: RoundResult[];
  readonly meanwhile: (UserRound | SystemRound)[];
  /** The sequence number of the last result, infinite while a call has none; 0 without calls. */
  runsUntil: number;
}

interface RoundGathering extends TurnState {
  readonly rounds: Round[];
  readonly occurrences: Map<string, number>;
  draft: RoundDraft | null;
  /** Of the last item; null: it has none, or a summary stands there. */
  lastTurn: string | null;
}

export function roundsOf(view: View): Round[] {
  const gathering: RoundGathering = {
    openTurn: view.openTurn,
    stoppedTurns: new Set(view.stoppedTurns),
    rounds: [],
    occurrences: new Map(),
    draft: null,
    lastTurn: null,
  };
  for (const item of view.items) {
    if (item.kind === "call") addCall(gathering, item);
    else if (item.role === "assistant" && !item.isSummary) addAnswer(gathering, item);
    else addInput(gathering, item);
    gathering.lastTurn = item.kind === "message" && item.isSummary ? null : item.turn;
  }
  closeDraft(gathering);
  if (view.openTurn !== null && view.items.length > 0) addNoteIfNeeded(gathering.rounds);
  return gathering.rounds;
}

function addCall(gathering: RoundGathering, call: ViewCall): void {
  const draft = gathering.draft;
  if (draft !== null && draft.results.length > 0 && !isRunning(draft, call)) closeDraft(gathering);
  // A text cut off, or of an earlier turn, is not of the answer this call came in: the request for that
  // one ended on the text, hence on a note (R4). One still being streamed may have its calls started: cut off
  // only after that, as by a stop, it is what it was.
  if (
    draft !== null &&
    draft.results.length === 0 &&
    ((draft.state === "cut-off" && draft.cutOffSeq < call.seq) || draft.turn !== call.turn)
  ) {
    closeWithNote(gathering);
  }
  const current = draftFor(gathering, call);
  const key = keyOf(gathering, call.id);
  current.blocks.push({
    kind: "call",
    key,
    tool: call.tool,
    input: call.isForgotten ? FORGOTTEN : call.input,
  });
  current.results.push(roundResult(call, key, gathering));
  current.runsUntil = Math.max(current.runsUntil, call.result?.seq ?? Number.POSITIVE_INFINITY);
}

function addAnswer(gathering: RoundGathering, message: ViewMessage): void {
  const blocks = answerBlocks(message);
  if (blocks.length === 0) return;
  const draft = gathering.draft;
  if (draft !== null && draft.results.length > 0 && !isRunning(draft, message)) closeDraft(gathering);
  if (
    draft !== null &&
    draft.results.length === 0 &&
    (draft.state !== "final" || draft.turn !== message.turn)
  ) {
    closeWithNote(gathering);
  }
  const current = draftFor(gathering, message);
  current.blocks.push(...blocks);
  current.state = message.state;
  current.cutOffSeq = message.cutOffSeq ?? 0;
}

function addInput(gathering: RoundGathering, message: ViewMessage): void {
  const round = inputRound(message);
  if (round === null) return;
  if (gathering.draft !== null && isRunning(gathering.draft, message)) {
    gathering.draft.meanwhile.push(round);
    return;
  }
  closeDraft(gathering);
  if (isAfterStop(gathering, message)) addStopped(gathering.rounds);
  gathering.rounds.push(round);
}

/** What goes on with a stopped turn, without an input of its own, is told nothing: somebody wanted it to go on. */
function isAfterStop({ lastTurn, stoppedTurns }: RoundGathering, { turn, isSummary }: ViewMessage): boolean {
  return lastTurn !== null && lastTurn !== turn && stoppedTurns.has(lastTurn) && !isSummary;
}

function addStopped(rounds: Round[]): void {
  const last = rounds.at(-1);
  const isSaid = last?.kind === "assistant" && last.results.some(({ isStop }) => isStop);
  if (!isSaid) rounds.push(note(STOPPED_NOTE));
}

function draftFor(gathering: RoundGathering, item: ViewItem): RoundDraft {
  gathering.draft ??= {
    turn: null,
    state: "final",
    cutOffSeq: 0,
    blocks: [],
    results: [],
    meanwhile: [],
    runsUntil: 0,
  };
  gathering.draft.turn ??= item.turn;
  return gathering.draft;
}

/** A call of the draft had no result yet when the item was written. A new turn means the old one is over. */
function isRunning(draft: RoundDraft, item: ViewItem): boolean {
  const isSameTurn = draft.turn === null || item.turn === null || draft.turn === item.turn;
  return isSameTurn && draft.runsUntil > item.seq;
}

function keyOf(gathering: RoundGathering, id: string): CallKey {
  const occurrence = (gathering.occurrences.get(id) ?? 0) + 1;
  gathering.occurrences.set(id, occurrence);
  return { id, occurrence };
}

function closeDraft(gathering: RoundGathering): boolean {
  const draft = gathering.draft;
  gathering.draft = null;
  const blocks = draft === null ? [] : draft.blocks.filter(isAnsweredThinking);
  if (draft === null || blocks.length === 0) return false;
  const { results, meanwhile, state } = draft;
  gathering.rounds.push({ kind: "assistant", blocks, results, meanwhile, isCutOff: state !== "final" });
  return true;
}

function closeWithNote(gathering: RoundGathering): void {
  if (closeDraft(gathering)) addNoteIfNeeded(gathering.rounds);
}

/** Thinking is kept with what it led to: a text of its own message, or a call. Alone, every provider refuses it. */
function isAnsweredThinking(block: AssistantBlock, at: number, blocks: readonly AssistantBlock[]): boolean {
  if (block.kind !== "thinking") return true;
  let next = at + 1;
  while (isThinkingOf(blocks[next], block.message)) next++;
  const led = blocks[next];
  return led !== undefined && (led.kind === "call" || (led.kind === "text" && led.message === block.message));
}

function isThinkingOf(block: AssistantBlock | undefined, message: string): boolean {
  return block?.kind === "thinking" && block.message === message;
}

function addNoteIfNeeded(rounds: Round[]): void {
  const last = rounds.at(-1);
  if (last?.kind === "assistant" && last.results.length === 0) {
    rounds.push(note(last.isCutOff ? CUT_OFF_NOTE : GO_ON_NOTE));
  } else if (!rounds.some((round) => round.kind !== "system")) {
    rounds.push(note(NOTHING_TO_ANSWER));
  }
}

function note(text: string): UserRound {
  return { kind: "user", content: [{ kind: "text", text }], isNote: true };
}
