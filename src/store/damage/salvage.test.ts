import { mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { randomFrom } from "../../../test/support/random-from.ts";
import {
  bytesOf,
  copyStore,
  fillStore,
  openTestStore,
  overwrite,
  pageAt,
  type Salvaged,
  STORE_ID,
  salvageAll,
  sizeOf,
  type Written,
} from "../../../test/support/salvage-store.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { openDatabase } from "../sqlite/load.ts";

/** Which pages each record lies on, as SQLite's own statistics say: an oracle that shares no code with salvage. */
interface Layout {
  readonly leaves: readonly { readonly page: number; readonly rows: readonly number[] }[];
  readonly overflow: ReadonlyMap<number, number>;
  readonly interior: readonly number[];
  readonly pagesOf: ReadonlyMap<number, readonly number[]>;
}

const RECORDS = 3_000;
let folder: string;
let path: string;
let written: Written;
let layout: Layout;
/** A row's place in the table, from 1, to "session seq". */
let keys: ReadonlyMap<number, string>;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "refloat-salvage-"));
  path = join(folder, "store.db");
  const store = openTestStore(path, { create: true });
  const random = randomFrom(1);
  fillStore(store, random, RECORDS);
  store.addContent(bytesOf(2_500_000, random));
  store.addContent(Buffer.alloc(0));
  written = store.written;
  store.all("PRAGMA wal_checkpoint(TRUNCATE)");
  layout = layoutOf(
    store.all("SELECT path, pageno, pagetype, ncell FROM dbstat WHERE name = 'records' ORDER BY path"),
  );
  keys = new Map(
    store
      .all("SELECT session, seq FROM records ORDER BY n")
      .map((row, i) => [i + 1, `${row.session} ${row.seq}`]),
  );
  store.close();
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("a store that is whole", () => {
  test("gives every row that was written, each once, and finds nothing broken", async () => {
    const found = await salvageAll(path);
    expectAllBut(found, []);
    expect(found.broken).toEqual([]);
    expect(found.refs).toEqual(written.refs);
    expect(found.meta).toEqual(new Map([["store_id", STORE_ID]]));
    expect(found.stats).toMatchObject({
      records: RECORDS,
      chunks: written.chunks.size,
      contents: written.contents.size,
      brokenPages: 0,
      asideRecords: 0,
    });
    expect(found.stats.pages).toBe(sizeOf(path) / 4096);
  });

  test("gives every row when nothing of it has been copied out of the log yet", async () => {
    const inLog = join(temporaryFolder(), "store.db");
    const store = openTestStore(`${inLog}.original`, { create: true });
    fillStore(store, randomFrom(2), 1_000);
    store.copyTo(inLog);
    store.close();
    expect(sizeOf(`${inLog}-wal`)).toBeGreaterThan(1_000_000);
    const found = await salvageAll(inLog);
    expect(found.records).toEqual(store.written.records);
    expect(found.contents).toEqual(store.written.contents);
    expect(new Set(found.chunks.keys())).toEqual(store.written.chunks);
    expect(found.refs).toEqual(store.written.refs);
    expect([found.repeats, found.broken]).toEqual([[], []]);
  });

  test("does not call pages broken that gc freed, whose overflow pages were used again", async () => {
    const copy = join(temporaryFolder(), "store.db");
    copyStore(path, copy);
    const store = openTestStore(copy, { create: false });
    store.run("DELETE FROM contents WHERE n % 2 = 0");
    store.run("DELETE FROM chunks WHERE hash NOT IN (SELECT hash FROM contents) AND length(bytes) < 100000");
    for (let i = 0; i < 20; i++) store.addRecord("late", "x".repeat(50_000));
    store.close();
    const found = await salvageAll(copy);
    expect(found.broken).toEqual([]);
    expect(found.records.size).toBe(RECORDS + 20);
  });
});

describe("a damaged store (D5)", () => {
  test("loses exactly the rows of a leaf that was overwritten with random bytes, and says which page", async () => {
    for (const at of [0.1, 0.5, 0.9]) {
      const leaf = layout.leaves[Math.floor(layout.leaves.length * at)] ?? { page: 0, rows: [] };
      const copy = damaged((file) =>
        overwrite(file, pageAt(leaf.page), bytesOf(4096, randomFrom(leaf.page))),
      );
      const found = await salvageAll(copy);
      expectAllBut(found, leaf.rows);
      expect(found.broken.map((one) => one.page)).toContain(leaf.page);
    }
  });

  test("loses exactly the row whose overflow chain crosses an overwritten page, and no other row of its leaf", async () => {
    const pages = [...layout.overflow.keys()];
    for (const at of [0.2, 0.6, 0.8]) {
      const page = pages[Math.floor(pages.length * at)] ?? 0;
      const row = layout.overflow.get(page) ?? 0;
      const found = await salvageAll(
        damaged((file) => overwrite(file, pageAt(page), bytesOf(4096, randomFrom(page)))),
      );
      expectAllBut(found, [row]);
      expect(found.broken.map((one) => one.page)).toContain(
        layout.leaves.find((leaf) => leaf.rows.includes(row))?.page,
      );
    }
  });

  test("loses no row when the root page of the journal is zeroed, though SQL then reads none of them", async () => {
    const copy = damaged((file) => overwrite(file, pageAt(rootOf("records")), Buffer.alloc(4096)));
    expect(() => openDatabase(copy).prepare("SELECT * FROM records").all()).toThrow(/malformed/);
    expectAllBut(await salvageAll(copy), []);
  });

  test("loses no row when every inner page of the journal's tree is zeroed", async () => {
    expect(layout.interior.length).toBeGreaterThan(1);
    const found = await salvageAll(
      damaged((file) => {
        for (const page of layout.interior) overwrite(file, pageAt(page), Buffer.alloc(4096));
      }),
    );
    expectAllBut(found, []);
    expect(found.stats.brokenPages).toBe(layout.interior.length);
  });

  test("loses no row when the first page with header and schema is zeroed", async () => {
    const found = await salvageAll(damaged((file) => overwrite(file, 0, Buffer.alloc(4096))));
    expectAllBut(found, []);
    expect(found.broken).toEqual([{ kind: "broken", page: 1, why: "the file's header cannot be read" }]);
  });

  test("still reads the rows of a leaf of which only the first byte was damaged", async () => {
    const page = layout.leaves[5]?.page ?? 0;
    const found = await salvageAll(damaged((file) => overwrite(file, pageAt(page), Buffer.of(0xff))));
    expectAllBut(found, []);
    expect(found.broken.map((one) => one.page)).toEqual([page]);
  });

  test("keeps every row before the place where the file was cut, at a page's edge or inside one, and says that it was cut", async () => {
    const half = Math.floor(sizeOf(path) / 4096 / 2);
    for (const cut of [half * 4096, half * 4096 + 1234, 8192 * 3 + 1]) {
      const whole = Math.floor(cut / 4096);
      const found = await salvageAll(damaged((file) => truncateSync(file, cut)));
      for (const [row, pages] of layout.pagesOf) {
        const key = keys.get(row) ?? "";
        if (pages.every((page) => page <= whole))
          expect(found.records.get(key)).toEqual(written.records.get(key));
        if (pages.some((page) => page > whole + 1)) expect(found.records.has(key)).toBe(false);
      }
      expect(found.broken[0]?.why).toMatch(/the file ends before it/);
    }
  });

  test("gives nothing and does not fail on a file of zero bytes, of one byte, and on no file at all", async () => {
    const empty = join(temporaryFolder(), "empty.db");
    for (const make of [() => undefined, () => writeFileSync(empty, ""), () => writeFileSync(empty, "S")]) {
      make();
      expect((await salvageAll(empty)).stats).toMatchObject({
        records: 0,
        chunks: 0,
        contents: 0,
        leaves: 0,
      });
    }
  });

  test("refuses a directory in the store's place by its code", async () => {
    await expect(salvageAll(temporaryFolder())).rejects.toMatchObject({ code: "E_STORE_NOT_A_FILE" });
  });

  test("does not give a content of several chunks of which one is lost, but gives the others", async () => {
    const big = [...written.contents.values()].find((content) => content.chunks.length === 3);
    const store = openTestStore(
      damaged(() => undefined),
      { create: false },
    );
    store.run("DELETE FROM chunks WHERE hash = ?", Buffer.from(big?.chunks[1] ?? "", "hex"));
    store.close();
    const found = await salvageAll(store.path);
    expect(found.contents.has(big?.hash ?? "")).toBe(false);
    expect(found.contents.size).toBe(written.contents.size - 1);
    expect(found.broken.map((one) => one.why)).toEqual(["a content in it is not whole"]);
  });

  test("does not give a content whose row says another length or another order of chunks than its bytes have", async () => {
    const store = openTestStore(
      damaged(() => undefined),
      { create: false },
    );
    const [big, small] = [...written.contents.values()]
      .filter((content) => content.chunks.length !== 2)
      .sort((a, b) => b.bytes - a.bytes);
    store.run(
      "UPDATE contents SET chunks = ? WHERE hash = ?",
      Buffer.from([...(big?.chunks ?? [])].reverse().join(""), "hex"),
      Buffer.from(big?.hash ?? "", "hex"),
    );
    store.run("UPDATE contents SET bytes = bytes + 1 WHERE hash = ?", Buffer.from(small?.hash ?? "", "hex"));
    store.close();
    const found = await salvageAll(store.path);
    expect([...written.contents.keys()].filter((hash) => !found.contents.has(hash)).sort()).toEqual(
      [big?.hash, small?.hash].sort(),
    );
  });
});

function damaged(damage: (file: string) => void): string {
  const copy = join(temporaryFolder(), "store.db");
  copyStore(path, copy);
  damage(copy);
  return copy;
}

/** Everything that was written is there, exactly as it was written, except these rows of the journal. */
function expectAllBut(found: Salvaged, lostRows: readonly number[]): void {
  const expected = new Map(written.records);
  for (const row of lostRows) expected.delete(keys.get(row) ?? "");
  expect(expected.size).toBe(RECORDS - lostRows.length);
  expect(found.records).toEqual(expected);
  expect(found.contents).toEqual(written.contents);
  expect(new Set(found.chunks.keys())).toEqual(written.chunks);
  expect(found.repeats).toEqual([]);
}

function rootOf(table: string): number {
  const db = openDatabase(path, { readOnly: true });
  const row = db.prepare("SELECT rootpage FROM sqlite_master WHERE name = ?").get(table) as {
    rootpage: number;
  };
  db.close();
  return row.rootpage;
}

/** Leaves come in the order of their paths, so counting their cells gives each row's place in the table. */
function layoutOf(stat: Record<string, unknown>[]): Layout {
  const leaves: { page: number; rows: number[]; path: string }[] = [];
  const pagesOf = new Map<number, number[]>();
  let row = 0;
  for (const { path: treePath, pageno, pagetype, ncell } of stat) {
    if (pagetype !== "leaf") continue;
    const rows = Array.from({ length: Number(ncell) }, () => ++row);
    leaves.push({ page: Number(pageno), rows, path: String(treePath) });
    for (const one of rows) pagesOf.set(one, [Number(pageno)]);
  }
  const byPath = new Map(leaves.map((leaf) => [leaf.path, leaf]));
  const overflow = new Map<number, number>();
  for (const { path: treePath, pageno, pagetype } of stat) {
    if (pagetype !== "overflow") continue;
    const [, leafPath = "", cell = ""] = /^(.*\/)([0-9a-f]+)\+/.exec(String(treePath)) ?? [];
    const owner = byPath.get(leafPath)?.rows[Number.parseInt(cell, 16)] ?? 0;
    overflow.set(Number(pageno), owner);
    pagesOf.get(owner)?.push(Number(pageno));
  }
  const interior = stat.filter((one) => one.pagetype === "internal").map((one) => Number(one.pageno));
  return { leaves, overflow, interior, pagesOf };
}
