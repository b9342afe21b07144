/**
 * What a session's journal tells the survivor (S1): what it was asked, what it said last, its turns, calls,
 * operations and decisions, each with the place in the journal that orders it (D3). Nothing here asks the dying
 * session anything, and nothing looks at a clock. Bounded: the newest records. Operations are read beyond them: one may be open
 * for as long as a session lives, and one that is not seen would make what came in it safe (S3).
 */
import { Fold, type FoldedCall } from "../conversation/fold.ts";
import type { SessionId } from "../model/ids.ts";
import { isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import { READ_PAGE_ROWS } from "../model/limits.ts";
import { isText } from "../model/parts.ts";
import type { StoredRecord } from "../model/record.ts";
import type { SessionRow } from "../store/driver.ts";
import type { Store } from "../store/store.ts";

/** Some thousand calls with their messages, read in well under a second; a longer story's end is what matters. */
const MAX_RECORDS = 10_000;
/** Of operations that are older; a session that marks more is not judged safe. */
const MAX_OLDER_RECORDS = 10_000;
const OLDER = ["operation.began", "operation.ended"] as const;

const TOLD_BY = [
  "session.began",
  "turn.began",
  "turn.ended",
  "input.queued",
  "input.taken",
  "message.added",
  "message.opened",
  "message.grew",
  "message.ended",
  "call.started",
  "call.ended",
  "operation.began",
  "operation.ended",
  "decided",
  "output.kept",
] as const;

export interface StoryTurn {
  readonly id: string;
  readonly beganSeq: number;
  readonly startedAtMs: number;
  /** Null: still open. */
  endedSeq: number | null;
  outcome: string | null;
}

export interface StoryOperation {
  readonly id: string;
  readonly label: string;
  readonly paths: readonly string[] | null;
  readonly beganSeq: number;
  endedSeq: number | null;
  endedAtMs: number | null;
  state: "open" | "ended" | "aborted";
}

export interface StoryDecision {
  readonly key: string;
  readonly value: Json;
  readonly reason: string | null;
  readonly step: string | null;
}

export interface StoryMessage {
  readonly seq: number;
  readonly text: string;
}

export interface SessionStory {
  readonly turns: readonly StoryTurn[];
  readonly calls: readonly FoldedCall[];
  readonly operations: readonly StoryOperation[];
  readonly decisions: readonly StoryDecision[];
  /** What the agent said, oldest first. */
  readonly messages: readonly StoryMessage[];
  /** Where it said it: its own messages, or what it printed where a supervisor kept that and there are no messages. */
  readonly channel: "messages" | "stdout";
  readonly head: number;
  /** There are older operations than those told: whatever came in one of them is not known to have. */
  readonly isCutShort: boolean;
}

export const EMPTY_STORY: SessionStory = {
  turns: [],
  calls: [],
  operations: [],
  decisions: [],
  messages: [],
  channel: "messages",
  head: 0,
  isCutShort: false,
};

export async function readStory(store: Store, row: SessionRow): Promise<SessionStory> {
  const newest = await newestFirst(store, row.id, { toSeq: row.head, kinds: TOLD_BY, most: MAX_RECORDS });
  const before = (newest.at(-1)?.seq ?? 1) - 1;
  const older = await newestFirst(store, row.id, { toSeq: before, kinds: OLDER, most: MAX_OLDER_RECORDS });
  const isCutShort = older.length >= MAX_OLDER_RECORDS;
  return storyOf([...newest, ...older].reverse(), row.head, isCutShort);
}

interface Stretch {
  readonly toSeq: number;
  readonly kinds: readonly string[];
  /** Rounded up to whole pages. */
  readonly most: number;
}

async function newestFirst(
  store: Store,
  session: SessionId,
  { toSeq, kinds, most }: Stretch,
): Promise<StoredRecord[]> {
  const found: StoredRecord[] = [];
  for (let next = toSeq; found.length < most && next >= 1; ) {
    const page = await store.records({ session, toSeq: next, order: "backward", kinds });
    found.push(...page);
    const last = page.at(-1);
    if (!last || page.length < READ_PAGE_ROWS) break;
    next = last.seq - 1;
  }
  return found;
}

/** With what the agent printed last, where no record has it yet: told as the record of its recovery will tell it (S1). */
export function withOutput(story: SessionStory, text: string | null): SessionStory {
  if (text === null || story.messages.length > 0) return story;
  return { ...story, messages: [{ seq: story.head, text }], channel: "stdout" };
}

/** Pure: the same records tell the same story. */
function storyOf(records: readonly StoredRecord[], head: number, isCutShort: boolean): SessionStory {
  const fold = new Fold();
  const turns = new Map<string, StoryTurn>();
  const operations = new Map<string, StoryOperation>();
  const decisions: StoryDecision[] = [];
  let output: StoryMessage | null = null;
  for (const record of records) {
    fold.add(record);
    if (record.isDamaged) continue;
    takeTurn(turns, record);
    takeOperation(operations, record);
    const kept = record.kind === "output.kept" ? text(record.body.text) : null;
    if (kept !== null) output = { seq: record.seq, text: kept };
    const decision = decisionOf(record);
    if (decision) decisions.push(decision);
  }
  const calls = fold.items.filter((item) => item.kind === "call");
  const messages = fold.items.flatMap((item) => {
    if (item.kind !== "message" || item.role !== "assistant") return [];
    const text = item.parts.filter(isText).map((part) => part.text);
    return text.length > 0 ? [{ seq: item.seq, text: text.join("\n") }] : [];
  });
  // An agent without an adapter reports no messages: then what it printed is its own word.
  const isPrinted = messages.length === 0 && output !== null;
  const said = isPrinted && output ? [output] : messages;
  return {
    turns: [...turns.values()],
    calls,
    operations: [...operations.values()],
    decisions,
    messages: said,
    channel: isPrinted ? "stdout" : "messages",
    head,
    isCutShort,
  };
}

function takeTurn(turns: Map<string, StoryTurn>, { kind, body, seq, atMs }: StoredRecord): void {
  const id = text(body.turn);
  if (id === null) return;
  if (kind === "turn.began")
    turns.set(id, { id, beganSeq: seq, startedAtMs: atMs, endedSeq: null, outcome: null });
  const turn = kind === "turn.ended" ? turns.get(id) : undefined;
  if (!turn) return;
  turn.endedSeq = seq;
  turn.outcome = text(body.outcome);
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
    const open = { endedSeq: null, endedAtMs: null, state: "open" } as const;
    operations.set(id, { id, label, paths, beganSeq: seq, ...open });
  }
  const open = kind === "operation.ended" ? operations.get(id) : undefined;
  if (!open) return;
  open.endedSeq = seq;
  open.endedAtMs = atMs;
  open.state = body.aborted === true ? "aborted" : "ended";
}

function decisionOf({ kind, body }: StoredRecord): StoryDecision | null {
  if (kind !== "decided") return null;
  const { key, value = null, reason, step } = body as JsonObject;
  return { key: text(key) ?? "", value, reason: text(reason), step: text(step) };
}

const text = (value: Json | undefined): string | null => (typeof value === "string" ? value : null);

/** A result says that the call went wrong: by its status, or by the exit code tools put into their output. */
export function hasFailed({ result }: FoldedCall): boolean {
  if (!result) return false;
  if (result.status === "failed") return true;
  if (!isJsonObject(result.output)) return false;
  const { exit_code, exitCode, code, is_error } = result.output;
  return is_error === true || [exit_code, exitCode, code].some((one) => typeof one === "number" && one !== 0);
}
