/**
 * What an order to forget is about: which sessions, which records of each. The journals are gone through one record at a time, so that their
 * length and what they hold are nobody's memory.
 */
import { RefloatError } from "../model/errors.ts";
import type { SessionId } from "../model/ids.ts";
import { isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import { shapeOf } from "../model/record.ts";
import type { SessionRow } from "./contract/driver.ts";
import { factsOf } from "./contract/session-facts.ts";
import { eachRecord, type NamingRecord } from "./each-record.ts";
import type { Store } from "./store.ts";

export type ForgetSelector =
  | { readonly session: string; readonly reason?: string }
  /** What this session held of files and transcripts; what was said and done in it stays. */
  | { readonly heldBy: string; readonly reason?: string }
  | { readonly beforeMs: number; readonly reason?: string }
  | { readonly path: string; readonly reason?: string };

/** What is said in the record of it. */
export function selectorWords(selector: ForgetSelector): string {
  if ("session" in selector) return "the whole session";
  if ("heldBy" in selector) return "what it held";
  if ("path" in selector) return `path ${selector.path}`;
  return `before ${new Date(selector.beforeMs).toISOString()}`;
}

/** Records that say who claimed what and when: the frame of the journal, never erased. */
const KEPT = new Set(["claim.taken", "claim.released", "forgotten", "rows.lost", "recovered"]);

const TEXTS = ["session", "heldBy", "path"] as const;

/** Erasing cannot be taken back: an order that names nothing, or two things, is no order to erase everything. */
export function theOneGiven(selector: ForgetSelector): ForgetSelector {
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

export async function* candidates(store: Store, selector: ForgetSelector): AsyncGenerator<SessionRow> {
  const named = namedSession(selector);
  if (named === null) return yield* store.everySession();
  const row = await store.session(named as SessionId);
  if (!row) throw new RefloatError("E_NO_SESSION", { what: named });
  yield row;
}

const namedSession = (selector: ForgetSelector): string | null =>
  "session" in selector ? selector.session : "heldBy" in selector ? selector.heldBy : null;

/** Captures and transcripts: what they hold may have no path of its own. */
const HOLDING: ReadonlySet<string> = new Set(["capture.taken", "transcript.kept"]);

/** It holds everything that its session said and did, and nobody looks into it: it goes with the first word that does. */
const WHOLE_STORY = "transcript.kept";

/** What an order is about in one session: it names it, so that whoever goes on after a kill erases nothing that came later. */
export interface MeantOfSession {
  readonly session: SessionId;
  readonly upTo: number;
  /** Its kept transcripts go, too. */
  readonly withStory: boolean;
}

export interface SessionSurvey extends MeantOfSession {
  readonly records: number;
  /** Whether records of it were erased before. */
  readonly isErased: boolean;
}

export async function survey(
  store: Store,
  row: SessionRow,
  selector: ForgetSelector,
): Promise<SessionSurvey> {
  const isSelected = selecting(selector);
  let [records, stories, isErased, withStory] = [0, 0, false, false];
  for await (const one of eachRecord(store, row.id, row.head)) {
    const { record } = one;
    isErased ||= record.isForgotten;
    if (KEPT.has(record.kind)) continue;
    const isMeant = isSelected(one);
    withStory ||= isMeant;
    if (record.isForgotten) continue;
    if (isMeant) records++;
    else if (record.kind === WHOLE_STORY) stories++;
  }
  const found = records + (withStory ? stories : 0);
  return { session: row.id, upTo: row.head, withStory, records: found, isErased };
}

function selecting(selector: ForgetSelector): (one: NamingRecord) => boolean {
  if ("beforeMs" in selector) return ({ record }) => record.atMs < selector.beforeMs;
  if ("heldBy" in selector)
    return ({ record, refs }) => HOLDING.has(record.kind) || refs.some(({ path }) => path !== null);
  if (!("path" in selector)) return () => true;
  const pattern = globToRegExp(selector.path);
  return ({ record, refs }) =>
    refs.some(({ path }) => path !== null && pattern.test(path)) || mentionsPath(record.body, pattern);
}

/** What is erased in one transaction: others wait for it, and it is held in memory. One record is at least. */
const PAGE_RECORDS = 500;
const PAGE_BYTES = 4 * 1024 * 1024;
const PAGE_NAMES = 2000;

export interface ErasedPage {
  readonly records: readonly { readonly seq: number; readonly shape: JsonObject }[];
  /** What the session's row says differently from then on. */
  readonly facts: JsonObject | null;
  readonly isLast: boolean;
}

/** In the order of the journal; one at least, which may be empty: of a session that was erased before only the files are cleared. */
export async function* pages(
  store: Store,
  { session, upTo, withStory }: MeantOfSession,
  selector: ForgetSelector,
): AsyncGenerator<ErasedPage> {
  const isSelected = selecting(selector);
  const last = await lastTellers(store, session);
  let told: JsonObject = {};
  let page = newPage();
  for await (const one of eachRecord(store, session, upTo)) {
    const { record, refs, inlineBytes } = one;
    const isMeant =
      !record.isForgotten &&
      !KEPT.has(record.kind) &&
      (isSelected(one) || (withStory && record.kind === WHOLE_STORY));
    if (isMeant && isFull(page, inlineBytes, refs.length)) {
      yield { records: page.records, facts: factsLeft(page, told, last), isLast: false };
      page = newPage();
    }
    const before = record.isDamaged ? {} : (factsOf(record.kind, record.body, record.atMs) ?? {});
    const shape = shapeOf(record.kind, record.body);
    const after = isMeant ? (factsOf(record.kind, shape, record.atMs) ?? {}) : before;
    told = { ...told, ...after };
    page.upTo = record.seq;
    if (!isMeant) continue;
    page.records.push({ seq: record.seq, shape });
    page.bytes += inlineBytes;
    page.names += refs.length;
    for (const fact of Object.keys({ ...before, ...after }))
      if (JSON.stringify(before[fact]) !== JSON.stringify(after[fact])) page.touched.add(fact);
  }
  yield { records: page.records, facts: factsLeft(page, told, last), isLast: true };
}

interface Page {
  readonly records: { readonly seq: number; readonly shape: JsonObject }[];
  readonly touched: Set<string>;
  bytes: number;
  names: number;
  upTo: number;
}

const newPage = (): Page => ({ records: [], touched: new Set(), bytes: 0, names: 0, upTo: 0 });

const isFull = (page: Page, bytes: number, names: number): boolean =>
  page.records.length > 0 &&
  (page.records.length >= PAGE_RECORDS || page.bytes + bytes > PAGE_BYTES || page.names + names > PAGE_NAMES);

/** Which record is the last that tells a fact. */
async function lastTellers(store: Store, session: SessionId): Promise<ReadonlyMap<string, number>> {
  const last = new Map<string, number>();
  for await (const { record } of eachRecord(store, session))
    if (!record.isDamaged)
      for (const fact of Object.keys(factsOf(record.kind, record.body, record.atMs) ?? {}))
        last.set(fact, record.seq);
  return last;
}

/**
 * What erased bodies had put into the session's row (its goal) goes with them, in the same transaction: each fact that an
 * erased body told otherwise than its shape does gets the value that the journal gives it from now on. A record behind this page that
 * tells it is not erased yet, and still gives its value.
 */
function factsLeft(page: Page, told: JsonObject, last: ReadonlyMap<string, number>): JsonObject | null {
  const left: Record<string, Json> = {};
  for (const fact of page.touched) if ((last.get(fact) ?? 0) <= page.upTo) left[fact] = told[fact] ?? null;
  return Object.keys(left).length === 0 ? null : left;
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
