import { describe, expect, test } from "vitest";
import { createReader, openFileReader, type ReadAt } from "./file-reader.ts";
import { createPageSource, parseFileHeader } from "./page-source.ts";

const FILE = Buffer.from(Array.from({ length: 200_000 }, (_, i) => i % 251));

const disk: ReadAt = (into, at) => FILE.copy(into, 0, at, at + into.length);

describe("a file reader", () => {
  test("reads any range, also across its blocks, and what is there at the end", () => {
    const file = createReader(FILE.length, disk);
    for (const [at, length] of [
      [0, 10],
      [65_530, 20],
      [65_536, 65_536],
      [1, 150_000],
      [199_990, 100],
      [200_000, 5],
      [300_000, 5],
    ] as const) {
      expect(file.read(at, length)).toEqual(FILE.subarray(at, at + length));
    }
  });

  test("puts together what a disk hands out in small pieces", () => {
    const file = createReader(FILE.length, (into, at) => disk(into.subarray(0, 1000), at));
    expect(file.read(60_000, 20_000)).toEqual(FILE.subarray(60_000, 80_000));
  });

  test("loses only the pages a bad sector is in, not the block around it (D5)", () => {
    const file = createReader(FILE.length, badSector(3 * 4096 + 512, "EIO"));
    const pages = createPageSource({ ...file, close: () => undefined }, null);
    for (let page = 1; page <= pages.pageCount; page++) expect(pages.read(page) === null).toBe(page === 4);
  });

  test("passes on every other failure: nothing is called damaged that was only not readable now (T1)", () => {
    const file = createReader(FILE.length, badSector(0, "EBADF"));
    expect(() => file.read(0, 10)).toThrow(/EBADF/);
  });

  test("is null for a file that is not there", () => {
    expect(openFileReader("/no/such/folder/store.db")).toBeNull();
  });
});

describe("a file's header", () => {
  const whole = (): Buffer => {
    const header = Buffer.alloc(100);
    header.write("SQLite format 3\0", "latin1");
    header.writeUInt16BE(8192, 16);
    header.writeUIntBE(0x402020, 21, 3);
    return header;
  };

  test("says the page size where it can be believed", () => {
    expect(parseFileHeader(whole())?.pageBytes).toBe(8192);
  });

  test.each([0, 15, 16, 17, 20, 21, 23])(
    "is not believed at all when byte %d is damaged: a wrong page size would make pages of somebody's text",
    (at) => {
      const header = whole();
      header[at] = (header[at] ?? 0) ^ 0x41;
      expect(parseFileHeader(header)).toBeNull();
    },
  );
});

function badSector(sector: number, code: string): ReadAt {
  return (into, at) => {
    if (at < sector + 512 && at + into.length > sector)
      throw Object.assign(new Error(`${code}: read`), { code });
    return disk(into, at);
  };
}
