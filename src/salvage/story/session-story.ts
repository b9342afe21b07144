/**
 * What a session's journal tells the survivor (S1): what it was asked, what it said last, its turns, calls,
 * operations and decisions, each with the place in the journal that orders it (D3). Nothing here asks the dying
 * session anything, and nothing looks at a clock. Bounded: the newest records; of older ones what the judge must know (older-story.ts).
 */
import { createHash } from "node:crypto";
import { Fold, type FoldedCall } from "../../conversation/fold.ts";
import { saysFailed } from "../../model/call-output.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import { READ_PAGE_ROWS } from "../../model/limits.ts";
import { type StoredRecord, type TurnEndedBy, turnEndedBy } from "../../model/record.ts";
import type { SessionSummary } from "../../session/describe.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import type { Store } from "../../store/store.ts";
import type { PlanFact } from "../../triage/facts/known/triage-facts.ts";
import { laidUpon } from "../../workspace/sessions/imports.ts";
import { AGENT_TOLD, AgentFold, type AgentStory, firstAbout, NO_AGENT_STORY } from "./agent-story.ts";
import { type BeforeImages, beforeImages, NO_BEFORE_IMAGES } from "./before-images.ts";
import {
  JUDGED_BY,
  type OlderStory,
  readOlder,
  requestIn,
  type StoryMessage,
  storyMessage,
} from "./older-story.ts";
import { planIn } from "./plans.ts";

export interface StoryLimits {
  /** Records told whole. */
  readonly newest: number;
  /** Older ones looked at; nothing of a session that has more is judged safe. */
  readonly older: number;
}

/** Some thousand calls with their messages, in well under a second; of older ones weeks of work, in some seconds. */
const STORY_LIMITS: StoryLimits = { newest: 10_000, older: 200_000 };

const TOLD_BY = [
  ...JUDGED_BY,
  "session.began",
  "input.queued",
  "input.taken",
  "decided",
  "output.kept",
  ...AGENT_TOLD,
] as const;
/** Where a long session began: its first request is among these. */
const FIRST_RECORDS = 20;
/** Of what its agent told before the newest records. */
const OLDER_TOLD = 500;

export interface StoryTurn {
  readonly id: string;
  readonly beganSeq: number;
  readonly startedAtMs: number;
  /** Null: still open. */
  endedSeq: number | null;
  outcome: string | null;
  /** Who said so; null while open. */
  endedBy: TurnEndedBy | null;
  /** Nobody said so: its last words read like an end. */
  isInferred?: true;
}

export interface StoryOperation {
  readonly id: string;
  readonly label: string;
  readonly paths: readonly string[] | null;
  readonly beganSeq: number;
  endedSeq: number | null;
  endedAtMs: number | null;
  state: "open" | "ended" | "aborted";
  /** Its END was read in what the agent printed, while it went on. */
  isSeenInPassing: boolean;
}

export interface StoryDecision {
  readonly key: string;
  readonly value: Json;
  readonly reason: string | null;
  readonly step: string | null;
}

export interface SessionStory extends AgentStory {
  /** What the person asked, oldest first; of a session too long to be told whole its first request, and the newest. */
  readonly requests: readonly StoryMessage[];
  readonly turns: readonly StoryTurn[];
  readonly calls: readonly FoldedCall[];
  readonly operations: readonly StoryOperation[];
  /** What its plan had left, each time it was told; oldest first. */
  readonly plans: readonly PlanFact[];
  readonly decisions: readonly StoryDecision[];
  /** What the agent said, oldest first. */
  readonly messages: readonly StoryMessage[];
  /** Where it said it: its own messages, or what it printed where a supervisor kept that and there are no messages. */
  readonly channel: "messages" | "stdout";
  /** What its older messages marked as operations: those lines alone. */
  readonly marked: readonly StoryMessage[];
  readonly head: number;
  /** What hooks held of the tree before its calls. */
  readonly before: BeforeImages;
  /** There are older records than those looked at: what came in an operation or a turn of them is not known to have. */
  readonly isCutShort: boolean;
}

export const EMPTY_STORY: SessionStory = {
  ...NO_AGENT_STORY,
  requests: [],
  turns: [],
  calls: [],
  operations: [],
  plans: [],
  decisions: [],
  messages: [],
  channel: "messages",
  marked: [],
  head: 0,
  before: NO_BEFORE_IMAGES,
  isCutShort: false,
};

export async function readStory(
  store: Store,
  row: SessionRow,
  limits: StoryLimits = STORY_LIMITS,
): Promise<SessionStory> {
  const story = await toldStory(store, row, limits);
  return { ...story, before: await beforeImages(store, row) };
}

async function toldStory(store: Store, row: SessionRow, limits: StoryLimits): Promise<SessionStory> {
  const looked = (await newestFirst(store, row, limits.newest)).reverse();
  const first = looked.find(({ isDamaged }) => !isDamaged) ?? looked[0];
  const toSeq = (first?.seq ?? 1) - 1;
  const isLaid = (await laidUpon(store))(row.id);
  const newest = looked.filter((record) => !isLaid(record));
  const older = await readOlder(store, row.id, { toSeq, newer: newest, most: limits.older, isLaid });
  if (toSeq < 1) return storyOf(newest, older, row.head);
  const session = row.id;
  const [begin, told] = [
    await store.records({ session, toSeq, kinds: ASKED_BY, limit: FIRST_RECORDS }),
    await store.records({ session, toSeq, kinds: AGENT_TOLD, order: "backward", limit: OLDER_TOLD }),
  ];
  const early = [...told].reverse().filter((record) => !isLaid(record));
  const story = storyOf(newest, { ...older, records: [...early, ...older.records] }, row.head);
  const [asked] = requestsOf(begin.filter((record) => !isLaid(record)));
  return asked ? { ...story, requests: [asked, ...story.requests] } : story;
}

/** What was asked of a session first, without reading more of it than its beginning; null: nothing yet. */
export async function firstRequest(store: Store, session: SessionRow["id"]): Promise<string | null> {
  const begin = await store.records({ session, kinds: ASKED_BY, limit: FIRST_RECORDS });
  return firstAbout(requestsOf(begin))?.text.trim() ?? null;
}

const ASKED_BY = ["turn.began", "message.added", "input.queued", "input.taken"] as const;

function requestsOf(records: readonly StoredRecord[]): readonly StoryMessage[] {
  const fold = new Fold();
  for (const record of records) fold.add(record);
  return fold.items.flatMap((item) => requestIn(item) ?? []);
}

async function newestFirst(store: Store, { id, head }: SessionRow, most: number): Promise<StoredRecord[]> {
  const found: StoredRecord[] = [];
  for (let next = head; found.length < most && next >= 1; ) {
    const limit = Math.min(READ_PAGE_ROWS, most - found.length);
    const page = await store.records({ session: id, toSeq: next, order: "backward", kinds: TOLD_BY, limit });
    found.push(...page);
    const last = page.findLast(({ isDamaged }) => !isDamaged) ?? page.at(-1);
    if (!last || page.length < limit) break;
    // As Store.journal: of a damaged row not even its number is sure.
    next = Math.min(next, last.seq) - 1;
  }
  return found;
}

/** With what the agent printed last, where no record has it yet: told as the record of its recovery will tell it (S1). */
export function withOutput(story: SessionStory, text: string | null): SessionStory {
  if (text === null || story.messages.length > 0) return story;
  return { ...story, messages: [{ seq: story.head, text }], channel: "stdout" };
}

/** Pure: the same records tell the same story. */
export function storyOf(newest: readonly StoredRecord[], older: OlderStory, head: number): SessionStory {
  const fold = new Fold();
  const turns = new Map<string, StoryTurn>();
  const operations = new Map<string, StoryOperation>();
  const decisions: StoryDecision[] = [];
  const agent = new AgentFold();
  const plans: PlanFact[] = [];
  let output: StoryMessage | null = null;
  for (const record of [...older.records, ...newest]) {
    fold.add(record);
    if (record.isDamaged) continue;
    takeTurn(turns, record);
    takeOperation(operations, record);
    agent.add(record);
    const kept = record.kind === "output.kept" ? text(record.body.text) : null;
    if (kept !== null) output = { seq: record.seq, text: kept };
    const decision = decisionOf(record);
    if (decision) decisions.push(decision);
    const plan = planIn(record);
    if (plan) plans.push(plan);
  }
  const calls = fold.items.filter((item) => item.kind === "call");
  const messages = fold.items.flatMap((item) => storyMessage(item) ?? []);
  // An agent without an adapter reports no messages: then what it printed is its own word.
  const isPrinted = messages.length === 0 && output !== null;
  const said = isPrinted && output ? [output] : messages;
  return {
    ...agent.told,
    requests: fold.items.flatMap((item) => requestIn(item) ?? []),
    turns: [...turns.values()],
    calls,
    operations: [...operations.values()],
    plans,
    decisions,
    messages: said,
    channel: isPrinted ? "stdout" : "messages",
    marked: older.marked,
    head,
    before: NO_BEFORE_IMAGES,
    isCutShort: older.isCutShort,
  };
}

function takeTurn(turns: Map<string, StoryTurn>, record: StoredRecord): void {
  const { kind, body, seq, atMs } = record;
  const id = text(body.turn);
  // Of a program that has the terminal nobody saw a turn: what its exit code says closes nothing (L7).
  if (id === null || body.interactive === true) return;
  if (kind === "turn.began")
    turns.set(id, { id, beganSeq: seq, startedAtMs: atMs, endedSeq: null, outcome: null, endedBy: null });
  const turn = kind === "turn.ended" ? turns.get(id) : undefined;
  if (!turn) return;
  turn.endedSeq = seq;
  turn.outcome = text(body.outcome);
  turn.endedBy = endedBy(record, id);
  if (turn.endedBy === "inferred") turn.isInferred = true;
}

/** Records of older versions do not say: then only the agent's own end, which always had this id, is its word (L7). */
function endedBy({ id, body }: StoredRecord, turn: string): TurnEndedBy {
  const told = turnEndedBy.safeParse(body.by);
  if (told.success) return told.data;
  return id === `turn-end:${turn}` ? "agent" : "exit";
}

function takeOperation(
  operations: Map<string, StoryOperation>,
  { kind, body, seq, atMs }: StoredRecord,
): void {
  const id = text(body.operation);
  if (id === null) return;
  if (kind === "operation.began") {
    const paths = Array.isArray(body.paths) ? body.paths.map(String) : null;
    const label = text(body.label) ?? "";
    const open = { endedSeq: null, endedAtMs: null, state: "open", isSeenInPassing: false } as const;
    operations.set(id, { id, label, paths, beganSeq: seq, ...open });
  }
  const open = kind === "operation.ended" ? operations.get(id) : undefined;
  if (!open) return;
  open.endedSeq = seq;
  open.endedAtMs = atMs;
  open.state = body.aborted === true ? "aborted" : "ended";
  open.isSeenInPassing = body.from === "stdout" || body.from === "hook";
}

function decisionOf({ kind, body }: StoredRecord): StoryDecision | null {
  if (kind !== "decided") return null;
  const { key, value = null, reason, step } = body as JsonObject;
  return { key: text(key) ?? "", value, reason: text(reason), step: text(step) };
}

const text = (value: Json | undefined): string | null => (typeof value === "string" ? value : null);

/** A result says that the call went wrong: by its status, or by the exit code tools put into their output. */
export const hasFailed = ({ result }: FoldedCall): boolean =>
  result !== null && (result.status === "failed" || saysFailed(result.output));

/**
 * The session of a tree that somebody changed where none was recorded (S1): its id is the tree's, so two looks name the same
 * one. Nobody began it: what is known is only that somebody changed the tree.
 */
export function impliedSession(root: string): SessionSummary {
  return {
    id: `implied-${createHash("sha256").update(root).digest("hex").slice(0, 16)}`,
    name: null,
    agent: null,
    workspace: root,
    state: "idle",
    unsettled: false,
    supervised: false,
    cause: "unknown",
    attempt: 0,
    last_attempt: 0,
    dirty_ends: 0,
    started_at: null,
    ended_at: null,
    last_written_at: null,
  };
}
