/**
 * `forget`: erasing on the user's order (the one exception of D2). Bodies become their shape, contents only
 * they named go, and a record of each session says that and why. A session somebody holds is refused: its
 * owner has the bodies in memory and would go on with them.
 */
import { RefloatError } from "../model/errors.ts";
import type { RecordId, SessionId } from "../model/ids.ts";
import { encodeJson, isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import { type NewRecord, type StoredRecord, shapeOf } from "../model/record.ts";
import { randomId } from "../platform/random.ts";
import type { SessionRow } from "./contract/driver.ts";
import { encodeRecord } from "./contract/encode-record.ts";
import { factsOf } from "./contract/session-facts.ts";
import { livenessOfHolder } from "./holder.ts";
import { describeOwner } from "./refusal-error.ts";
import type { Store } from "./store.ts";

export type ForgetSelector =
  | { readonly session: string; readonly reason?: string }
  /** What this session held of files and transcripts; what was said and done in it stays. */
  | { readonly heldBy: string; readonly reason?: string }
  | { readonly beforeMs: number; readonly reason?: string }
  | { readonly path: string; readonly reason?: string };

export interface ForgetResult {
  readonly sessions: number;
  readonly records: number;
  readonly contents: number;
  readonly bytes: number;
  /** Sessions left alone because somebody holds them. */
  readonly held: readonly string[];
}

/** Records that say who claimed what and when: the frame of the journal, never erased. */
const KEPT = new Set(["claim.taken", "claim.released", "forgotten", "rows.lost", "recovered"]);

export async function forget(
  store: Store,
  asked: ForgetSelector,
  options: { dryRun?: boolean } = {},
): Promise<ForgetResult> {
  const selector = theOneGiven(asked);
  const total = { sessions: 0, records: 0, contents: 0, bytes: 0, held: [] as string[] };
  for await (const row of candidates(store, selector)) {
    const { records, isErased, factsAfter } = await selected(store, row, selector);
    // Of a session that is erased already, copies may be left in the store's files: those are cleared again.
    if (records.length === 0 && !(isErased && "session" in selector)) continue;
    if (isHeld(row)) {
      if ("session" in selector)
        throw new RefloatError("E_HELD", {
          session: row.id,
          by: row.claim.owner ? describeOwner(row.claim.owner) : "",
          since: "now",
        });
      total.held.push(row.id);
      continue;
    }
    total.sessions++;
    total.records += records.length;
    if (options.dryRun) continue;
    const freed = await store.driver.forget({
      session: row.id,
      records: records.map((record) => ({
        seq: record.seq,
        body: encodeJson(shapeOf(record.kind, record.body)),
      })),
      // Nothing here is to be hidden: its room is used again, and given back by `gc`.
      isForRoom: "heldBy" in selector,
      note: {
        ...encodeRecord(noteOf(store, selector, records.length), "anyone").raw,
        facts: factsLeft(records, factsAfter),
      },
    });
    total.contents += freed.contents;
    total.bytes += freed.bytes;
  }
  return total;
}

const TEXTS = ["session", "heldBy", "path"] as const;

/** Erasing cannot be taken back: an order that names nothing, or two things, is no order to erase everything. */
function theOneGiven(selector: ForgetSelector): ForgetSelector {
  const given = Object.entries(selector).filter(([key, value]) => key !== "reason" && value !== undefined);
  const [key, value] = given[0] ?? [];
  const isText = typeof value === "string" && value !== "";
  const isMeant =
    key === "beforeMs" ? Number.isFinite(value) : (TEXTS as readonly unknown[]).includes(key) && isText;
  if (given.length !== 1 || !isMeant)
    throw new RefloatError("E_USAGE", { why: "forget takes one of: session, beforeMs, path." });
  const { reason } = selector;
  return { ...Object.fromEntries(given), ...(reason === undefined ? {} : { reason }) } as ForgetSelector;
}

/**
 * What erased bodies had put into the session's row (its goal) goes with them, in the same transaction: each fact that an
 * erased body told otherwise than its shape does gets the value that the journal gives it from now on.
 */
function factsLeft(records: readonly StoredRecord[], factsAfter: JsonObject): JsonObject | null {
  const left: Record<string, Json> = {};
  for (const { kind, body, atMs } of records) {
    const before = factsOf(kind, body, atMs) ?? {};
    const after = factsOf(kind, shapeOf(kind, body), atMs) ?? {};
    for (const fact of Object.keys({ ...before, ...after }))
      if (JSON.stringify(before[fact]) !== JSON.stringify(after[fact])) left[fact] = factsAfter[fact] ?? null;
  }
  return Object.keys(left).length === 0 ? null : left;
}

async function* candidates(store: Store, selector: ForgetSelector): AsyncGenerator<SessionRow> {
  const named = namedSession(selector);
  if (named === null) return yield* store.everySession();
  const row = await store.session(named as SessionId);
  if (!row) throw new RefloatError("E_NO_SESSION", { what: named });
  yield row;
}

const namedSession = (selector: ForgetSelector): string | null =>
  "session" in selector ? selector.session : "heldBy" in selector ? selector.heldBy : null;

interface SelectedRecords {
  readonly records: readonly StoredRecord[];
  /** Whether records of it were erased before. */
  readonly isErased: boolean;
  /** What the journal says of the session once they are erased. */
  readonly factsAfter: JsonObject;
}

async function selected(store: Store, row: SessionRow, selector: ForgetSelector): Promise<SelectedRecords> {
  const found: StoredRecord[] = [];
  let isErased = false;
  let factsAfter: JsonObject = {};
  const tell = ({ kind, atMs }: StoredRecord, body: JsonObject): void => {
    factsAfter = { ...factsAfter, ...factsOf(kind, body, atMs) };
  };
  const named =
    "path" in selector
      ? await recordsNaming(store, row, globToRegExp(selector.path))
      : "heldBy" in selector
        ? await recordsNaming(store, row, ANY_PATH)
        : null;
  const isAnyMeant = await meansAny(store, row, selector, named);
  for await (const record of store.journal(row.id)) {
    isErased ||= record.isForgotten;
    const isMeant =
      !record.isForgotten &&
      !KEPT.has(record.kind) &&
      (isSelected(record, selector, named) || (isAnyMeant && record.kind === WHOLE_STORY));
    if (isMeant) found.push(record);
    if (!record.isDamaged) tell(record, isMeant ? shapeOf(record.kind, record.body) : record.body);
  }
  return { records: found, isErased, factsAfter };
}

/** Captures and transcripts: what they hold may have no path of its own. */
const HOLDING: ReadonlySet<string> = new Set(["capture.taken", "transcript.kept"]);

/** It holds everything that its session said and did, and nobody looks into it: it goes with the first word that does. */
const WHOLE_STORY = "transcript.kept";

async function meansAny(
  store: Store,
  row: SessionRow,
  selector: ForgetSelector,
  named: ReadonlySet<number> | null,
): Promise<boolean> {
  const [kept] = await store.records({ session: row.id, kinds: [WHOLE_STORY], limit: 1 });
  if (!kept) return false;
  for await (const record of store.journal(row.id))
    if (!KEPT.has(record.kind) && isSelected(record, selector, named)) return true;
  return false;
}

function isSelected(
  record: StoredRecord,
  selector: ForgetSelector,
  named: ReadonlySet<number> | null,
): boolean {
  if ("beforeMs" in selector) return record.atMs < selector.beforeMs;
  if ("heldBy" in selector) return named?.has(record.seq) === true || HOLDING.has(record.kind);
  if (!("path" in selector)) return true;
  return named?.has(record.seq) === true || mentionsPath(record.body, globToRegExp(selector.path));
}

const ANY_PATH = /^/;

async function recordsNaming(store: Store, row: SessionRow, pattern: RegExp): Promise<Set<number>> {
  const refs = await store.driver.readRefs(row.id, 1, Number.MAX_SAFE_INTEGER);
  return new Set(refs.filter(({ path }) => path !== null && pattern.test(path)).map(({ seq }) => seq));
}

/** A record mentions a path when a field named like a path holds one that matches. */
function mentionsPath(value: Json, pattern: RegExp, isPathField = false): boolean {
  if (typeof value === "string") return isPathField && pattern.test(value);
  if (Array.isArray(value)) return value.some((item) => mentionsPath(item, pattern, isPathField));
  if (!isJsonObject(value)) return false;
  return Object.entries(value).some(
    ([key, item]) => item !== undefined && mentionsPath(item, pattern, /path|file|cwd/i.test(key)),
  );
}

/** `*` within a folder, `**` across folders, `?` one character; without a slash, the last part of the path. */
function globToRegExp(glob: string): RegExp {
  const body = glob.replace(/[.+^${}()|[\]\\]|\*\*\/|\*\*|\*|\?/g, (token) => {
    switch (token) {
      case "**/":
        return "(?:.*/)?";
      case "**":
        return ".*";
      case "*":
        return "[^/]*";
      case "?":
        return "[^/]";
      default:
        return `\\${token}`;
    }
  });
  return new RegExp(glob.includes("/") ? `^(?:.*/)?${body}$` : `(?:^|/)${body}$`);
}

function isHeld(row: SessionRow): boolean {
  const { liveness } = livenessOfHolder(row);
  return liveness !== null && liveness.kind !== "dead";
}

function noteOf(store: Store, selector: ForgetSelector, records: number): NewRecord {
  const words =
    "session" in selector
      ? "the whole session"
      : "heldBy" in selector
        ? "what it held"
        : "beforeMs" in selector
          ? `before ${new Date(selector.beforeMs).toISOString()}`
          : `path ${selector.path}`;
  const body = { records, contents: 0, selector: words, reason: selector.reason ?? "by order of the user" };
  return { id: randomId() as RecordId, kind: "forgotten", atMs: store.clock.nowMs(), body };
}
