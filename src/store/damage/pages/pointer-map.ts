/**
 * With auto_vacuum, some pages (the second, then every 820th or so) say of each page after them what it is.
 * Salvage reads them for one reason: without them an overwritten page of rows cannot be told from a page of
 * somebody's bytes, and the damage would be passed over in silence (T1).
 */
import type { PageReader } from "./page-source.ts";

/** `tree`: holds rows or keys of an index. `other`: overflow, or a map page itself. `unknown`: the map cannot be believed. */
export type PageUse = "tree" | "free" | "other" | "unknown";

/** A type and a page number for each page. */
const ITEM_BYTES = 5;
const FIRST_MAP_PAGE = 2;
const ROOT = 1;
const FREE = 2;
const TREE = 5;
const LAST_TYPE = 5;
/** SQLite never uses the page at this offset: its locks live there. */
const LOCK_BYTE = 2 ** 30;

export interface PointerMap {
  useOf(page: number): PageUse;
}

export const NO_POINTER_MAP: PointerMap = { useOf: () => "unknown" };

export function createPointerMap(pages: PageReader, pageBytes: number, pageCount: number): PointerMap {
  const perMap = Math.floor(pageBytes / ITEM_BYTES);
  const lockPage = LOCK_BYTE / pageBytes + 1;
  // Pages are asked for in order, so one map page at a time is enough.
  let current: { readonly at: number; readonly map: Buffer | null } = { at: 0, map: null };

  function mapAt(at: number): Buffer | null {
    if (current.at !== at) {
      const map = pages.read(at);
      const used = Math.min(perMap, pageCount - at);
      current = { at, map: map && isBelievable(map, used, lockPage - at - 1) ? map : null };
    }
    return current.map;
  }

  return {
    useOf(page) {
      if (page < FIRST_MAP_PAGE || page === lockPage) return "other";
      const group = Math.floor((page - FIRST_MAP_PAGE) / (perMap + 1));
      const start = FIRST_MAP_PAGE + group * (perMap + 1);
      const at = start === lockPage ? start + 1 : start;
      if (page === at) return "other";
      const map = mapAt(at);
      if (map === null) return "unknown";
      const type = map[(page - at - 1) * ITEM_BYTES];
      if (type === FREE) return "free";
      return type === ROOT || type === TREE ? "tree" : "other";
    },
  };
}

// One wrong type condemns the whole page: a map that is partly garbage would call good pages broken.
function isBelievable(map: Buffer, used: number, lockItem: number): boolean {
  for (let item = 0; item < used; item++) {
    const type = map[item * ITEM_BYTES] ?? 0;
    if (item !== lockItem && (type < ROOT || type > LAST_TYPE)) return false;
  }
  return true;
}
