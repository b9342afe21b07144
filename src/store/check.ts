/**
 * Looking at every row of a store: does each record verify, is each journal gapless, do the projections say
 * what the records say, is each content whole? Reads only, page by page, and never stops at the first find.
 */
import { createHash } from "node:crypto";
import { RefloatError } from "../model/errors.ts";
import type { ContentHash, SessionId } from "../model/ids.ts";
import type { JsonObject } from "../model/json.ts";
import { READ_PAGE_ROWS } from "../model/limits.ts";
import { bodyAs, openingsOf, type StoredRecord } from "../model/record.ts";
import { readContent } from "./content-store.ts";
import type { ContentRow, Damage, OpenRow, SessionRow } from "./contract/driver.ts";
import { factsOf } from "./contract/session-facts.ts";
import type { Store } from "./store.ts";

/** Finds beyond this are counted, not listed: a store that is all damage needs salvage, not a list. */
const MAX_DAMAGE = 1000;

export interface CheckProgress {
  readonly sessions: number;
  readonly records: number;
  readonly contents: number;
}

export interface CheckResult extends CheckProgress {
  readonly damage: readonly Damage[];
  /** False: more was found than is listed. */
  readonly isComplete: boolean;
}

export async function checkStore(
  store: Store,
  onProgress: (done: CheckProgress) => void = () => undefined,
): Promise<CheckResult> {
  const damage: Damage[] = [];
  damage.push(...((await noting(damage, "the engine", () => store.driver.checkEngine())) ?? []));
  const done = { sessions: 0, records: 0, contents: 0 };
  await noting(damage, "the sessions", async () => {
    for await (const row of store.everySession()) {
      const onRecords = (records: number): void => onProgress({ ...done, records: done.records + records });
      damage.push(...((await noting(damage, row.id, () => checkSession(store, row, onRecords))) ?? []));
      done.sessions++;
      done.records += row.head;
      onProgress(done);
      if (damage.length > MAX_DAMAGE) break;
    }
  });
  await noting(damage, "the contents", async () => {
    let after: ContentHash | null = null;
    do {
      const page: readonly ContentRow[] = await store.driver.listContents(after, READ_PAGE_ROWS);
      for (const { hash } of page) damage.push(...(await checkContent(store, hash)));
      done.contents += page.length;
      onProgress(done);
      after = page.at(-1)?.hash ?? null;
    } while (after !== null && damage.length <= MAX_DAMAGE);
  });
  return { ...done, damage: damage.slice(0, MAX_DAMAGE), isComplete: damage.length <= MAX_DAMAGE };
}

/** Null when the pages it needed are damaged: that is a find, and the next thing is looked at. */
async function noting<T>(damage: Damage[], where: string, look: () => Promise<T>): Promise<T | null> {
  try {
    return await look();
  } catch (thrown) {
    if (!(thrown instanceof RefloatError && thrown.code === "E_STORE_DAMAGED")) throw thrown;
    damage.push({ kind: "page", where, message: thrown.message });
    return null;
  }
}

async function checkSession(
  store: Store,
  seen: SessionRow,
  onProgress: (records: number) => void,
): Promise<Damage[]> {
  const replay = new Replay(seen.id);
  let count = 0;
  for await (const record of store.journal(seen.id, { toSeq: seen.head })) {
    replay.add(record);
    if (++count % READ_PAGE_ROWS === 0) onProgress(count);
  }
  const now = await store.session(seen.id);
  // Somebody wrote meanwhile: the rows were checked, the projections belong to a later moment.
  const open = now?.head === seen.head ? await store.open(seen.id) : null;
  for (const { hash, seq } of await store.driver.readRefs(seen.id, 1, seen.head)) {
    if (await store.driver.readContent(hash)) continue;
    // Forgotten since we read who names it: then it is named no more.
    const still = await store.driver.readRefs(seen.id, seq, seq);
    if (still.some((ref) => ref.hash === hash)) replay.find("content", seq, `content ${hash} is not there`);
  }
  return replay.finish(seen, open);
}

/** The journal read again from the beginning, beside what the projections say. */
class Replay {
  readonly #session: SessionId;
  readonly #damage: Damage[] = [];
  readonly #open = new Map<string, number>();
  readonly #lost = new Set<number>();
  readonly #missing: number[] = [];
  #facts: JsonObject = {};
  #next = 1;
  #isWhole = true;

  constructor(session: SessionId) {
    this.#session = session;
  }

  add(record: StoredRecord): void {
    for (; this.#next < record.seq; this.#next++) this.#missing.push(this.#next);
    this.#next = record.seq + 1;
    if (record.isDamaged) {
      this.#isWhole = false;
      this.find("row", record.seq, "the row does not match its checksum");
      return;
    }
    for (const [from, to] of bodyAs(record, "rows.lost")?.ranges ?? [])
      for (let seq = from; seq <= to; seq++) this.#lost.add(seq);
    const { opens, closes } = openingsOf(record.kind, record.body);
    if (closes) this.#open.delete(`${closes.what} ${closes.id}`);
    if (opens) this.#open.set(`${opens.what} ${opens.id}`, record.seq);
    this.#facts = { ...this.#facts, ...factsOf(record.kind, record.body, record.atMs) };
  }

  find(kind: Damage["kind"], seq: number, message: string): void {
    this.#damage.push({ kind, where: `${this.#session} #${seq}`, message });
  }

  finish(row: SessionRow, open: readonly OpenRow[] | null): Damage[] {
    for (; this.#next <= row.head; this.#next++) this.#missing.push(this.#next);
    // A gap that salvage has written down is history, not news.
    const unexplained = this.#missing.filter((seq) => !this.#lost.has(seq));
    for (const seq of unexplained) this.find("gap", seq, "the record is missing");
    if (this.#isWhole && this.#missing.length === 0 && open) this.#compareProjections(row, open);
    return this.#damage;
  }

  #compareProjections(row: SessionRow, open: readonly OpenRow[]): void {
    const said = new Map(open.map(({ what, id, seq }) => [`${what} ${id}`, seq]));
    for (const key of new Set([...said.keys(), ...this.#open.keys()])) {
      if (said.get(key) !== this.#open.get(key))
        this.find("projection", this.#open.get(key) ?? said.get(key) ?? 0, `open: ${key}`);
    }
    for (const key of new Set([...Object.keys(this.#facts), ...Object.keys(row.facts)])) {
      // A fact that nothing tells any more is null on the row.
      if (JSON.stringify(row.facts[key] ?? null) !== JSON.stringify(this.#facts[key] ?? null))
        this.find("projection", row.head, `the session's ${key}`);
    }
  }
}

async function checkContent(store: Store, hash: ContentHash): Promise<Damage[]> {
  try {
    const whole = createHash("sha256");
    for await (const chunk of readContent(store.driver, hash)) whole.update(chunk);
    if (whole.digest("hex") === hash) return [];
    return [{ kind: "content", where: hash, message: "the content does not match its hash" }];
  } catch (thrown) {
    if (!(thrown instanceof RefloatError)) throw thrown;
    // Collected or forgotten since it was listed: no damage.
    if (thrown.code === "E_NO_CONTENT" && !(await store.driver.readContent(hash))) return [];
    return [{ kind: "content", where: hash, message: thrown.message }];
  }
}
