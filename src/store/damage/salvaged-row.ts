/** What salvage hands out. */
import type { ContentHash, SessionId } from "../../model/ids.ts";
import type { ContentRow, RawRecord } from "../contract/driver.ts";
import type { Whence } from "./pages/images.ts";

export type SalvagedRow =
  /** Proved by its checksum. Each (session, seq) comes once. */
  | { readonly kind: "record"; readonly row: RawRecord; readonly whence: Whence }
  /** Proved by its SHA-256; comes once. `putAtMs` is not under the hash: information, no more. */
  | {
      readonly kind: "chunk";
      readonly hash: ContentHash;
      readonly bytes: Uint8Array;
      readonly putAtMs: number;
      readonly whence: Whence;
    }
  /** Proved by its chunks, all of which came before it; comes once. `putAtMs` as above. */
  | { readonly kind: "content"; readonly row: ContentRow; readonly putAtMs: number; readonly whence: Whence }
  /**
   * Not proved: a ref has no checksum. It may come more than once, and name a content that is lost.
   * `hasRecord`: the record it belongs to was given.
   */
  | {
      readonly kind: "ref";
      readonly hash: ContentHash;
      readonly session: SessionId;
      readonly seq: number;
      readonly path: string | null;
      readonly hasRecord: boolean;
      readonly whence: Whence;
    }
  /** Not proved. Only the store's id, once. */
  | { readonly kind: "meta"; readonly key: string; readonly value: string }
  /** Something is wrong with this page of the store; null: with its log. At most one for a page. */
  | { readonly kind: "broken"; readonly page: number | null; readonly why: string };

export interface SalvageStats {
  /** Page images looked at: the store's pages, what the log hides, what lies behind a break in it. */
  readonly pages: number;
  readonly leaves: number;
  readonly cells: number;
  readonly records: number;
  readonly chunks: number;
  readonly contents: number;
  /** Of the records, those SQLite would not have shown: hidden by a cut log, or behind a break in it. */
  readonly asideRecords: number;
  readonly brokenPages: number;
}
