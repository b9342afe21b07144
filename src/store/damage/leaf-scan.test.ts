import { join } from "node:path";
import { describe, expect, test } from "vitest";
import fc from "../../../test/support/fast-check.ts";
import { openTestStore } from "../../../test/support/salvage-store.ts";
import { temporaryFolder } from "../../../test/support/temporary-folder.ts";
import { readRow, scanLeaf } from "./leaf-scan.ts";
import { openFileReader } from "./pages/file-reader.ts";
import { createPageSource } from "./pages/page-source.ts";

describe("a leaf", () => {
  test("of random bytes costs little and throws nothing, whatever its header says", () => {
    const readers = [{ read: () => Buffer.alloc(4096, 1) }];
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 4096, maxLength: 4096 }), fc.nat(700), (bytes, cells) => {
        const page = Buffer.from(bytes);
        page[0] = 0x0d;
        page.writeUInt16BE(cells, 3);
        for (const cell of scanLeaf(page).cells) expect(readRow(cell, readers)).toBeNull();
      }),
    );
  });

  test("whose overflow chain runs in a circle, or off the file, gives no row and does not hang", () => {
    const page = leafWithLongChunk();
    const [cell] = scanLeaf(page).cells;
    expect(cell?.shape).toBe("chunk");
    const circle = Buffer.alloc(4096);
    circle.writeUInt32BE(cell?.overflow ?? 0, 0);
    for (const next of [circle, null]) {
      let reads = 0;
      const read = (): Buffer | null => {
        reads++;
        return next;
      };
      const row = cell && readRow(cell, [{ read }]);
      expect(row).toBeNull();
      expect(reads).toBeLessThan(30);
    }
  });
});

/** Made by SQLite itself: a chunk of 100 KB, so with a chain of overflow pages. */
function leafWithLongChunk(): Buffer {
  const store = openTestStore(join(temporaryFolder(), "store.db"), { create: true });
  store.addContent(Buffer.alloc(100_000, 1));
  store.all("PRAGMA wal_checkpoint(TRUNCATE)");
  const [leaf] = store.all("SELECT pageno FROM dbstat WHERE name = 'chunks' AND pagetype = 'leaf'");
  store.close();
  const page = createPageSource(openFileReader(store.path), null).read(Number(leaf?.pageno));
  return page ?? Buffer.alloc(0);
}
