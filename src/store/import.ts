/**
 * Import of an export. Nothing that is here is ever replaced: a session that exists is continued only where
 * the import goes on exactly where it ends; records that are here already are compared; a redacted or
 * forgotten one never stands in for an original. Running it again is harmless (D4).
 */
import { createHash } from "node:crypto";
import { RefloatError } from "../model/errors.ts";
import { type ContentHash, parseHash, parseId, type RecordId, type SessionId } from "../model/ids.ts";
import { encodeJson, type JsonObject } from "../model/json.ts";
import { CHUNK_BYTES } from "../model/limits.ts";
import type { NewRecord } from "../model/record.ts";
import { crashPoint } from "../platform/crash-point.ts";
import { count } from "../text/counting.ts";
import { hashOf } from "./contract/content-hash.ts";
import type { ImportChange } from "./contract/driver.ts";
import { checkBody, encodeUnchecked } from "./contract/encode-record.ts";
import { type ExportLine, exportLine, type RecordLine } from "./export-format.ts";
import { refusalError } from "./refusal-error.ts";
import type { Store } from "./store.ts";

/** Records brought in by one transaction. */
const BATCH = 200;
/** Of a session that comes in one transaction: all of it is in memory, and a server takes at most 1 GB in one text. Larger bodies lie in the contents. */
const AT_ONCE_BYTES = 256 * 1024 * 1024;

export interface ImportResult {
  sessions: number;
  records: number;
  /** Here already, the same. */
  repeats: number;
  contents: number;
  /** Originals kept where the import had them redacted or forgotten. */
  kept: number;
  conflicts: { readonly session: string; readonly seq: number; readonly why: string }[];
  /** Contents that records name and that did not come along: secrets, and what had been collected. */
  left_out: ContentHash[];
  /** Sessions that did not come along. */
  sessions_left_out: string[];
}

export interface StoreImportOptions {
  /**
   * The one session that may come: a bundle is made by somebody else, and whatever else it brought (plans, verdicts, another
   * session's records) would speak in the user's name (T2).
   */
  readonly only?: SessionId;
  /** Sessions that do not come; the contents they name may be others', too, and do. */
  readonly leavesOut?: (session: string) => boolean;
  /** Awaited before records are brought in: whoever must know that they came from elsewhere knows it first. */
  readonly onTaking?: (range: TakenRange) => Promise<void>;
  /** One session whole, or nothing of it: all of its records are one change. Left out: so many at a time. */
  readonly atOnce?: AtOnce;
}

export interface AtOnce {
  /** Contents are put and everything is compared, and no record is written; the end may be missing. */
  readonly isTrial: boolean;
  /** Records of this store that come with the last of them; `brings` tells whether a record is new here. */
  readonly last: (brings: (id: string) => boolean) => readonly NewRecord[];
}

/** Records of one session that an import brings. */
export interface TakenRange {
  readonly session: SessionId;
  readonly fromSeq: number;
  readonly toSeq: number;
  /** Theirs, in order: an import that is refused at last leaves these numbers to records of others. */
  readonly ids: readonly string[];
}

export async function importLines(
  store: Store,
  lines: AsyncIterable<string>,
  options: StoreImportOptions = {},
): Promise<ImportResult> {
  const result: ImportResult = {
    sessions: 0,
    records: 0,
    repeats: 0,
    contents: 0,
    kept: 0,
    conflicts: [],
    left_out: [],
    sessions_left_out: [],
  };
  const batch = new ImportBatch(store, result, options);
  let number = 0;
  let isWhole = false;
  const seen = { sessions: 0, records: 0 };
  for await (const text of lines) {
    number++;
    if (text.trim() === "") continue;
    const parsed = parseLine(text, number);
    if (number === 1 && parsed.type !== "header")
      throw bad(number, "it does not begin with an export's header");
    if (parsed.type === "session") {
      if (options.only !== undefined && parsed.id !== options.only)
        throw bad(number, "it brings another session than its manifest names");
      seen.sessions++;
    }
    if (parsed.type === "record") seen.records++;
    try {
      isWhole = await takeIn(store, batch, parsed, result);
    } catch (thrown) {
      if (thrown instanceof UntrueLine) throw bad(number, thrown.message);
      if (thrown instanceof RefloatError && thrown.code === "E_HELD")
        throw bad(number, thrown.message, thrown);
      throw thrown;
    }
    if (parsed.type === "end") assertCounted(number, parsed, seen);
  }
  await batch.flush();
  if (!isWhole && !options.atOnce?.isTrial) throw bad(number, "it was cut off: its last line is missing");
  return result;
}

/** What a line says of itself is not so; its number is the caller's to add. */
class UntrueLine extends Error {
  override readonly name = "Untrue";
}

/** The last line counts what came before it: whole lines that are missing in between are noticed there. */
function assertCounted(
  number: number,
  said: Extract<ExportLine, { type: "end" }>,
  seen: { readonly sessions: number; readonly records: number },
): void {
  if (said.sessions === seen.sessions && said.records === seen.records) return;
  const why = `it should have ${count(said.sessions, "session")} and ${count(said.records, "record")}, and has ${seen.sessions} and ${seen.records}: lines are missing`;
  throw bad(number, why);
}

/** A content goes by its hash: with other bytes under it, whoever puts the true ones later would get these back (D1). */
async function assertContent(store: Store, said: Extract<ExportLine, { type: "content" }>): Promise<void> {
  const whole = createHash("sha256");
  let bytes = 0;
  for (const hash of said.chunks) {
    const chunk = await store.driver.readChunk(parseHash(hash));
    if (!chunk) throw new UntrueLine(`chunk ${hash} of a content is missing`);
    whole.update(chunk);
    bytes += chunk.byteLength;
  }
  if (whole.digest("hex") !== said.hash || bytes !== said.bytes)
    throw new UntrueLine(`content ${said.hash} does not match its hash`);
}

/** True for the closing line. */
async function takeIn(
  store: Store,
  batch: ImportBatch,
  parsed: ExportLine,
  result: ImportResult,
): Promise<boolean> {
  switch (parsed.type) {
    case "header":
      return false;
    case "session":
      await batch.flush();
      await batch.begin(parsed.id, parsed.attempt);
      return false;
    case "chunk": {
      const bytes = Buffer.from(parsed.data, "base64");
      if (hashOf(bytes) !== parsed.hash) throw new UntrueLine(`chunk ${parsed.hash} does not match its hash`);
      if (bytes.byteLength > CHUNK_BYTES)
        throw new UntrueLine(`chunk ${parsed.hash} is longer than a chunk may be`);
      await store.driver.putChunks([{ hash: parseHash(parsed.hash), bytes }], null, store.clock.nowMs());
      return false;
    }
    case "content":
      await assertContent(store, parsed);
      await store.driver.putChunks(
        [],
        { hash: parseHash(parsed.hash), bytes: parsed.bytes, chunks: parsed.chunks.map(parseHash) },
        store.clock.nowMs(),
      );
      result.contents++;
      return false;
    case "record":
      await batch.add(parsed);
      return false;
    case "end":
      await batch.finish();
      return true;
    default:
      return parsed satisfies never;
  }
}

class ImportBatch {
  readonly #store: Store;
  readonly #result: ImportResult;
  #session: SessionId | null = null;
  #attempt = 0;
  #head = 0;
  #isDiverged = false;
  #isLeftOut = false;
  #bytes = 0;
  #records: ImportChange["records"][number][] = [];
  readonly #options: StoreImportOptions;

  constructor(store: Store, result: ImportResult, options: StoreImportOptions) {
    this.#store = store;
    this.#result = result;
    this.#options = options;
  }

  async begin(id: string, attempt: number): Promise<void> {
    this.#session = parseId<SessionId>("session", id);
    this.#isLeftOut = this.#options.leavesOut?.(id) ?? false;
    if (this.#isLeftOut) {
      this.#result.sessions_left_out.push(id);
      return;
    }
    this.#attempt = attempt;
    const row = await this.#store.session(this.#session);
    this.#head = row?.head ?? 0;
    this.#isDiverged = false;
    if (!row) this.#result.sessions++;
  }

  async add(line: RecordLine): Promise<void> {
    if (this.#session === null || line.session !== this.#session)
      throw new UntrueLine("a record without its session");
    if (this.#isLeftOut) return;
    if (line.seq <= this.#head) return this.#compare(line);
    if (this.#isDiverged) return this.#conflict(line, "the session here went on differently");
    if (line.seq !== this.#head + this.#records.length + 1)
      return this.#conflict(line, "records before it are missing");
    if (line.damaged) return this.#conflict(line, "its body was damaged");
    const record = await this.#encode(line);
    this.#records.push(record);
    if (!this.#options.atOnce) {
      if (this.#records.length >= BATCH) await this.flush();
      return;
    }
    this.#bytes += record.body.length;
    if (this.#bytes > AT_ONCE_BYTES)
      throw new RefloatError("E_TOO_LARGE", {
        what: "The journal",
        bytes: this.#bytes,
        limit: AT_ONCE_BYTES,
      });
  }

  /** Of a session that comes whole or not at all nothing is written before this, and nothing where one record does not fit. */
  async finish(): Promise<void> {
    const { atOnce } = this.#options;
    if (!atOnce) return this.flush();
    if (atOnce.isTrial || this.#result.conflicts.length > 0) return;
    const ids = new Set<string>(this.#records.map(({ id }) => id));
    for (const record of atOnce.last((id) => ids.has(id))) {
      checkBody(record);
      const raw = await this.#store.spill(encodeUnchecked(record));
      this.#records.push({ ...raw, attempt: null, isForgotten: false });
    }
    await this.#commit();
  }

  async flush(): Promise<void> {
    if (!this.#options.atOnce) await this.#commit();
  }

  async #commit(): Promise<void> {
    if (this.#session === null || this.#records.length === 0) return;
    const toSeq = this.#head + this.#records.length;
    const ids = this.#records.map(({ id }) => id);
    await this.#options.onTaking?.({ session: this.#session, fromSeq: this.#head + 1, toSeq, ids });
    const change: ImportChange = {
      kind: "import",
      session: this.#session,
      afterSeq: this.#head,
      // An attempt that a record was written under is used up, whatever the session's line says (K1).
      attempt: Math.max(this.#attempt, ...this.#records.map((record) => record.attempt ?? 0)),
      records: this.#records,
    };
    const outcome = await this.#store.commitChange(change);
    crashPoint("import.between-changes");
    if (outcome.kind === "refused") throw refusalError({ session: this.#session }, outcome.refusal);
    this.#result.records += this.#records.length;
    this.#head = outcome.head;
    this.#records = [];
  }

  async #compare(line: RecordLine): Promise<void> {
    const [here] = await this.#store.records({
      session: this.#session as SessionId,
      fromSeq: line.seq,
      toSeq: line.seq,
    });
    const isSame =
      here?.id === line.id && here.kind === line.kind && encodeJson(here.body) === encodeJson(line.body);
    if (isSame) this.#result.repeats++;
    else if (here?.id === line.id && (line.redacted || line.forgotten || here.isForgotten))
      this.#result.kept++;
    else {
      this.#isDiverged = true;
      this.#conflict(line, "another record has this sequence number here");
    }
  }

  #conflict(line: RecordLine, why: string): void {
    this.#result.conflicts.push({ session: line.session, seq: line.seq, why });
    this.#isDiverged = true;
  }

  async #encode(line: RecordLine): Promise<ImportChange["records"][number]> {
    const isForgotten = line.forgotten ?? false;
    // Marked in the body itself, so that a redacted record says so wherever it goes next.
    const body: JsonObject = line.redacted
      ? { ...(line.body as JsonObject), redacted: true }
      : (line.body as JsonObject);
    const record: NewRecord = {
      id: line.id as RecordId,
      kind: line.kind,
      atMs: line.at_ms,
      body,
      contents: await this.#heldOf(line),
    };
    // A forgotten body has only its shape, which its kind's schema need not accept.
    if (!isForgotten) checkBody(record);
    return { ...(await this.#store.spill(encodeUnchecked(record))), attempt: line.attempt, isForgotten };
  }

  /** Contents the export left out (secrets, collected) are not here either: the record names only what is. */
  async #heldOf(line: RecordLine): Promise<{ hash: ContentHash; path?: string }[]> {
    const held: { hash: ContentHash; path?: string }[] = [];
    for (const { hash, path } of line.contents) {
      const content = await this.#store.driver.readContent(parseHash(hash));
      if (content) held.push({ hash: content.hash, ...(path === null ? {} : { path }) });
      else if (!this.#result.left_out.includes(parseHash(hash))) this.#result.left_out.push(parseHash(hash));
    }
    return held;
  }
}

function parseLine(text: string, number: number): ExportLine {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (thrown) {
    throw bad(number, "it is not JSON", thrown);
  }
  const parsed = exportLine.safeParse(value);
  if (!parsed.success)
    throw bad(number, parsed.error.issues[0]?.message ?? "it does not fit the format", parsed.error);
  return parsed.data;
}

const bad = (line: number, why: string, cause?: unknown): RefloatError =>
  new RefloatError("E_IMPORT", { line, why }, cause);
