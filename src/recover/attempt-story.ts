/** What the journal says of a session's last attempt: its mark, its agent, how its end was on its way. Reads only. */
import { bodyAs, type StoredRecord } from "../model/record.ts";
import type { ExitWhy } from "../model/run-kinds.ts";
import { isWorkBegun } from "../session/last-attempt.ts";
import { readOutputTail } from "../session/run-folder.ts";
import type { SessionRow } from "../store/contract/driver.ts";
import type { Store } from "../store/store.ts";
import type { TerminalSize } from "../text/screen-words.ts";
import { laidUpon } from "../workspace/sessions/imports.ts";

const KINDS = [
  "claim.taken",
  "claim.released",
  "agent.marked",
  "agent.started",
  "agent.exited",
  "drain.marked",
  "output.kept",
  "stop.asked",
] as const;

/** An attempt writes each of these once or twice; orders to stop may come more often. */
const MAX_RECORDS = 50;

export interface AgentProcess {
  readonly pid: number;
  readonly started: number | null;
}

export interface AttemptStory {
  readonly attempt: number;
  /** The whole value in its processes' environment (S2); null: it was not supervised. */
  readonly mark: string | null;
  /** What was started, secrets redacted; empty: it was not supervised. */
  readonly command?: readonly string[];
  readonly agent: AgentProcess | null;
  readonly exit: {
    readonly why: ExitWhy;
    readonly code: number | null;
    readonly signal: string | null;
    /** What its supervisor made of its open turn, and whether it was told to end; left out: an older refloat's record. */
    readonly turn?: "completed" | "failed" | "cancelled" | null;
    readonly asked?: boolean;
  } | null;
  /** L3: written before the first signal of a stop. */
  readonly drain: {
    readonly why: "timeout" | "signal" | "stopped" | "limit";
    readonly atMs: number;
    readonly drainMs: number;
    /** The signal that reached the supervisor, if it was one. */
    readonly signal?: string | null;
  } | null;
  readonly isStopAsked: boolean;
  /** Asked when nobody was there any more. */
  readonly isStopLate?: boolean;
  readonly hasOutput: boolean;
  /** The size of the terminal it was given; null or left out: it had none, or an older refloat did not say. */
  readonly terminal?: TerminalSize | null;
  /** When the last connection that its agent had to refloat was closed, and how; null or left out: none was. */
  readonly disconnected?: { readonly atMs: number; readonly how: string } | null;
  /** Its owner gave the claim back itself; nobody broke it. */
  readonly isGivenBack?: boolean;
}

/** What a story is told from. */
export interface StoryRecords {
  readonly oldestFirst: readonly StoredRecord[];
  /** Newest first: how connections ended, and where attempts began. */
  readonly connections: readonly StoredRecord[];
}

/** Everything is asked at once: of many sessions it is read in as many statements as of one. */
export async function storyRecords(store: Store, { id }: SessionRow): Promise<StoryRecords> {
  const newest = { session: id, order: "backward", limit: MAX_RECORDS } as const;
  const [newestFirst, connections, isLaid] = await Promise.all([
    store.records({ ...newest, kinds: KINDS }),
    store.records({ ...newest, kinds: CONNECTION_KINDS }),
    laidUpon(store),
  ]);
  const isOfOthers = isLaid(id);
  return { oldestFirst: newestFirst.filter((record) => !isOfOthers(record)).toReversed(), connections };
}

/** `turnSeq`: where the turn began that is open, if one is. */
export function storyIn(
  { oldestFirst, connections }: StoryRecords,
  { claim }: SessionRow,
  turnSeq: number | null = null,
): AttemptStory {
  const story = storyOf(oldestFirst, claim.attempt, turnSeq);
  return { ...story, disconnected: lastDisconnected(connections, story.attempt) };
}

export const readStory = async (
  store: Store,
  row: SessionRow,
  turnSeq: number | null = null,
): Promise<AttemptStory> => storyIn(await storyRecords(store, row), row, turnSeq);

/** Asked for apart: an agent may connect again and again, and would push the rest of its story out of what is read. */
const CONNECTION_KINDS = ["agent.disconnected", "claim.taken"] as const;

function lastDisconnected(
  newestFirst: readonly StoredRecord[],
  attempt: number,
): NonNullable<AttemptStory["disconnected"]> | null {
  const begun = newestFirst.findIndex((record) => isWorkBegun(record));
  const last = newestFirst
    .slice(0, begun === -1 ? newestFirst.length : begun)
    .find(({ kind, body }) => kind === "agent.disconnected" && (body.attempt ?? attempt) === attempt);
  const body = last && bodyAs(last, "agent.disconnected");
  return last && body ? { atMs: last.atMs, how: body.how } : null;
}

/** Pure: `oldestFirst` are the session's last records of those kinds; `current` its attempt by the claim. */
function storyOf(
  oldestFirst: readonly StoredRecord[],
  current: number,
  turnSeq: number | null,
): AttemptStory {
  const taken = oldestFirst.findLast((record) => isWorkBegun(record));
  const attempt = typeof taken?.body.attempt === "number" ? taken.body.attempt : current;
  const own = oldestFirst.filter(({ seq }) => seq >= (taken?.seq ?? 0));
  const marked = own.findLast(({ kind }) => kind === "agent.marked" || kind === "agent.started");
  // An agent under a supervisor is asked once and for all; elsewhere an order is about the turn it came in (L4).
  const askedSeq = marked ? 0 : (turnSeq ?? 0);
  const order = own.find(({ kind, seq }) => kind === "stop.asked" && seq > askedSeq);
  const started = lastOf(own, "agent.started");
  const exited = lastOf(own, "agent.exited");
  const drainRecord = own.findLast(({ kind }) => kind === "drain.marked");
  const drain = drainRecord && bodyAs(drainRecord, "drain.marked");
  return {
    attempt,
    mark: typeof marked?.body.mark === "string" ? marked.body.mark : null,
    command: Array.isArray(marked?.body.command) ? marked.body.command.map(String) : [],
    agent: started && { pid: started.pid, started: started.started },
    exit: exited && {
      why: exited.why,
      code: exited.code,
      signal: exited.signal,
      ...(exited.turn === undefined ? {} : { turn: exited.turn }),
      ...(exited.asked === undefined ? {} : { asked: exited.asked }),
    },
    drain:
      drain && drainRecord
        ? { why: drain.why, atMs: drainRecord.atMs, drainMs: drain.drain_ms, signal: drain.signal }
        : null,
    isStopAsked: order !== undefined,
    ...(order?.body.owner_gone === true ? { isStopLate: true } : {}),
    ...(own.some(({ kind, body }) => kind === "claim.released" && body.attempt === attempt)
      ? { isGivenBack: true }
      : {}),
    terminal: started?.cols && started.rows ? { cols: started.cols, rows: started.rows } : null,
    hasOutput: own.some(({ kind }) => kind === "output.kept"),
  };
}

function lastOf<K extends "agent.started" | "agent.exited">(records: readonly StoredRecord[], kind: K) {
  const found = records.findLast((record) => record.kind === kind);
  return found ? bodyAs(found, kind) : null;
}

// The last words of an agent whose supervisor could not keep them: its run folder outlived it. Reads only.

/** What a command printed, in words: told by a room that knows agents. */
export type PrintedWords = (command: readonly string[], text: string) => Promise<string>;

/** Null: there are none, or they are on record. */
export async function unkeptOutput(
  home: string,
  session: string,
  story: AttemptStory,
  words?: PrintedWords,
): Promise<string | null> {
  const { mark, hasOutput, attempt, command = [], terminal = null } = story;
  if (mark === null || hasOutput) return null;
  const said = words && ((text: string) => words(command, text));
  return (await readOutputTail(home, session, attempt, { words: said, terminal })) || null;
}
