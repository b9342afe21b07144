/**
 * Pages of journals as they are sent, written once: who scrolls back, and everybody else who looks at the same, gets the same bytes while nobody has
 * committed since. The page behind the one that was asked for is written meanwhile: searching it for secrets (T4) takes longer than reading it, and
 * whoever scrolls wants it next.
 */
import { HTTP_ANSWER_BYTES } from "../../model/limits.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import type { AppPlace } from "../place/app-place.ts";
import type { RefloatStore } from "../store/open-store.ts";
import { findSession, rowNow } from "./find-session.ts";
import { recordsOf, type ShownRecords } from "./session-records.ts";

/** Nobody has asked for another page for so long: he reads. */
const AHEAD_MS = 40;

export interface PageOrder {
  readonly session: string;
  readonly from: number;
  readonly limit: number;
}

export interface WrittenPages {
  /** Null: it is longer than an answer may be, and has to be cut. */
  page(at: AppPlace, order: PageOrder): Promise<Uint8Array<ArrayBuffer> | null>;
}

interface WrittenPage {
  readonly bytes: Uint8Array<ArrayBuffer> | null;
  /** There are more records behind it. */
  readonly isFull: boolean;
}

interface KeptPage {
  readonly page: Promise<WrittenPage>;
  /** 0 while it is written. */
  size: number;
}

export function writtenPages(shown: ShownRecords, maxBytes: number): WrittenPages {
  // Of one version of the store alone: with the next commit, which may be a forgetting (D2), all of it goes.
  let version: number | null = null;
  const pages = new Map<string, KeptPage>();
  let bytes = 0;
  let ahead: NodeJS.Timeout | undefined;

  const clear = (now: number | null): void => {
    version = now;
    pages.clear();
    bytes = 0;
  };
  const drop = (key: string): void => {
    bytes -= pages.get(key)?.size ?? 0;
    pages.delete(key);
  };
  const weigh = (key: string, one: KeptPage, size: number): void => {
    if (pages.get(key) !== one) return;
    one.size = size;
    bytes += size;
    for (const oldest of pages.keys()) {
      if (bytes <= maxBytes) break;
      drop(oldest);
    }
  };

  const pageOf = async (
    store: RefloatStore,
    row: SessionRow,
    from: number,
    limit: number,
  ): Promise<WrittenPage> => {
    const now = await versionOf(store);
    if (now !== version || now === null) clear(now);
    const key = `${row.id} ${from} ${limit}`;
    const known = pages.get(key);
    if (known) return known.page;
    const one: KeptPage = { page: written(store, row, { from, limit }, shown), size: 0 };
    if (now === null) return one.page;
    pages.set(key, one);
    try {
      const page = await one.page;
      weigh(key, one, page.bytes?.length ?? 0);
      return page;
    } catch (thrown) {
      if (pages.get(key) === one) drop(key);
      throw thrown;
    }
  };

  /** Once nobody asks for more, and never waited for: what fails here fails, and is told, when somebody asks. */
  const readAhead = (store: RefloatStore, row: SessionRow, from: number, limit: number): void => {
    if (from > row.head) return;
    ahead = setTimeout(() => void pageOf(store, row, from, limit).catch(() => undefined), AHEAD_MS);
    ahead.unref();
  };

  return {
    page: async (at, { session, from, limit }) => {
      clearTimeout(ahead);
      const { store, row } = await findSession(at, session);
      const page = await pageOf(store, row, from, limit);
      clearTimeout(ahead);
      if (page.isFull) readAhead(store, row, from + limit, limit);
      return page.bytes;
    },
  };
}

/** Null: a server's counter does not count what is forgotten, so nothing of it is kept. */
const versionOf = async ({ raw: { driver } }: RefloatStore): Promise<number | null> =>
  driver.kind === "sqlite" ? driver.version() : null;

async function written(
  store: RefloatStore,
  row: SessionRow,
  { from, limit }: Omit<PageOrder, "session">,
  shown: ShownRecords,
): Promise<WrittenPage> {
  const { head } = await rowNow(store, row.id);
  const records = await recordsOf(store, row, shown).written(from, limit);
  const about = JSON.stringify({ schema: "refloat.records/1", session: row.id, head });
  const list = records.map(({ text }) => text).join(",");
  const bytes = new TextEncoder().encode(`${about.slice(0, -1)},"records":[${list}]}`);
  return { bytes: bytes.length <= HTTP_ANSWER_BYTES ? bytes : null, isFull: records.length === limit };
}
