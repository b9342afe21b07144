import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import fc from "../../test/support/fast-check.ts";
import { temporaryFolder } from "../../test/support/temporary-folder.ts";
import { dropKeptTexts, openKeptTexts } from "./kept-texts.ts";

const OPTIONS = { build: "b1", maxBytes: 100_000 };

function filled(path: string, entries: Readonly<Record<string, string>>, options = OPTIONS): void {
  const kept = openKeptTexts(path, options);
  for (const [key, text] of Object.entries(entries)) kept.set(key, text);
  kept.close();
}

/** What the next process finds under the key. */
function found(path: string, key: string, options = OPTIONS): string | undefined {
  const kept = openKeptTexts(path, options);
  const text = kept.get(key);
  kept.close();
  return text;
}

const ENTRIES = { one: "1", "a\nb\0c": "two\nlines", ü: "grün", empty: "" };

describe("texts kept between processes", () => {
  it("are there for the next one, whatever is in keys and texts, and saving adds", () => {
    const path = join(temporaryFolder(), "texts");
    expect(found(path, "one")).toBeUndefined();
    filled(path, ENTRIES);
    const first = readFileSync(path);
    filled(path, { more: "3", one: "another" });
    for (const [key, text] of Object.entries({ ...ENTRIES, more: "3", one: "another" }))
      expect(found(path, key)).toBe(text);
    expect(readFileSync(path).subarray(0, first.length)).toEqual(first);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(path, ".."))).toEqual(["texts"]);
  });

  it("are never handed out wrong: any byte changed, any part cut off or put in (kept 1, kept 2)", () => {
    const path = join(temporaryFolder(), "texts");
    filled(path, ENTRIES);
    const sound = readFileSync(path);
    const check = (bytes: Uint8Array): void => {
      writeFileSync(path, bytes);
      const kept = openKeptTexts(path, OPTIONS);
      for (const [key, text] of Object.entries(ENTRIES)) expect([text, undefined]).toContain(kept.get(key));
      kept.close();
      // What was lost is made again, and then all of it is there.
      filled(path, ENTRIES);
      for (const [key, text] of Object.entries(ENTRIES)) expect(found(path, key)).toBe(text);
    };
    for (let at = 0; at < sound.length; at++) {
      const bytes = Buffer.from(sound);
      bytes[at] = (bytes[at] ?? 0) ^ 0x01;
      check(bytes);
      check(sound.subarray(0, at));
    }
    const place = fc.nat(sound.length);
    fc.assert(
      fc.property(place, fc.uint8Array({ minLength: 1, maxLength: 60 }), (at, bytes) =>
        check(Buffer.concat([sound.subarray(0, at), bytes, sound.subarray(at)])),
      ),
      { numRuns: 100 },
    );
  });

  it("of another build are not believed, also where both builds added to one file", () => {
    const path = join(temporaryFolder(), "texts");
    const old = openKeptTexts(path, OPTIONS);
    filled(path, { key: "new" }, { ...OPTIONS, build: "b2" });
    old.set("key", "old");
    old.close();
    expect(found(path, "key", { ...OPTIONS, build: "b2" })).not.toBe("old");
    const mixed = openKeptTexts(path, OPTIONS);
    filled(path, { key: "new" }, { ...OPTIONS, build: "b2" });
    filled(path, { other: "x" }, { ...OPTIONS, build: "b2" });
    mixed.set("key", "old");
    mixed.close();
    expect(found(path, "key", { ...OPTIONS, build: "b2" })).not.toBe("old");
  });

  it("stay below the bound: what was asked for last stays, the rest goes (T5)", () => {
    const path = join(temporaryFolder(), "texts");
    const options = { build: "b", maxBytes: 20_000 };
    for (let round = 0; round < 40; round++) {
      const kept = openKeptTexts(path, options);
      if (round > 0) expect(kept.get("wanted")).toBe("w".repeat(100));
      else kept.set("wanted", "w".repeat(100));
      for (let i = 0; i < 10; i++) kept.set(`${round} ${i}`, "x".repeat(100));
      kept.close();
      expect(statSync(path).size).toBeLessThanOrEqual(options.maxBytes);
      expect(found(path, `${round} 9`, options)).toBe("x".repeat(100));
    }
    filled(path, { huge: "y".repeat(30_000) }, options);
    expect(statSync(path).size).toBeLessThanOrEqual(options.maxBytes);
  });

  it("go to disk as they come, and are read back from there (kept 4)", () => {
    const path = join(temporaryFolder(), "texts");
    const options = { build: "b", maxBytes: 20 * 1024 * 1024 };
    const text = (i: number): string => `${i} `.repeat(50_000);
    const kept = openKeptTexts(path, options);
    for (let i = 0; i < 40; i++) kept.set(`key ${i}`, text(i));
    expect(statSync(path).size).toBeGreaterThan(40 * text(10).length - 2 * 1024 * 1024);
    for (let i = 0; i < 40; i++) expect(kept.get(`key ${i}`)).toBe(text(i));
    // What is cut off by a kill here is lost, and no more.
    expect(found(path, "key 0", options)).toBe(text(0));
    kept.close();
    for (let i = 0; i < 40; i++) expect(found(path, `key ${i}`, options)).toBe(text(i));
  });

  it("that come from two at once are never each other's (kept 3)", () => {
    const path = join(temporaryFolder(), "texts");
    const options = { build: "b", maxBytes: 60 * 1024 * 1024 };
    filled(path, { first: "1" }, options);
    const text = (who: string, i: number): string => `${who}${i} `.repeat(40_000);
    const both = ["a", "b"].map((who) => ({ who, kept: openKeptTexts(path, options) }));
    for (let i = 0; i < 30; i++) for (const { who, kept } of both) kept.set(`${who} ${i}`, text(who, i));
    for (const { who, kept } of both)
      for (let i = 0; i < 30; i++) expect([text(who, i), undefined]).toContain(kept.get(`${who} ${i}`));
    for (const { kept } of both) kept.close();
    for (const { who } of both)
      for (let i = 0; i < 30; i++)
        expect([text(who, i), undefined]).toContain(found(path, `${who} ${i}`, options));
    expect(found(path, "a 0", options)).toBe(text("a", 0));
    expect(found(path, "b 29", options)).toBe(text("b", 29));
  });

  it("that are more than there is room for drive out others' first, and are then kept no further (T5)", () => {
    const path = join(temporaryFolder(), "texts");
    const options = { build: "b", maxBytes: 6 * 1024 * 1024 };
    const text = (who: string, i: number): string => `${who}${i} `.repeat(40_000);
    const fill = (who: string): void =>
      filled(
        path,
        Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`${who} ${i}`, text(who, i)])),
        options,
      );
    fill("a");
    expect(found(path, "a 0", options)).toBe(text("a", 0));
    fill("b");
    expect(statSync(path).size).toBeLessThanOrEqual(options.maxBytes);
    expect(statSync(path).size).toBeGreaterThan(options.maxBytes * 0.7);
    expect(found(path, "b 0", options)).toBe(text("b", 0));
    expect(found(path, "a 0", options)).toBeUndefined();
    expect(readdirSync(join(path, ".."))).toEqual(["texts"]);
  });

  it("are not written through a link, not into a folder in the way, and not missed where nothing can be written", () => {
    const folder = temporaryFolder();
    const theirs = join(folder, "theirs");
    writeFileSync(theirs, "mine");
    symlinkSync(theirs, join(folder, "link"));
    filled(join(folder, "link"), ENTRIES);
    expect(readFileSync(theirs, "utf8")).toBe("mine");
    mkdirSync(join(folder, "folder"));
    filled(join(folder, "folder"), ENTRIES);
    filled(join(folder, "missing/texts"), ENTRIES);
    expect(existsSync(join(folder, "missing"))).toBe(false);
    expect(readdirSync(folder).sort()).toEqual(["folder", "link", "theirs"]);
    chmodSync(folder, 0o700);
    dropKeptTexts(join(folder, "nothing"));
  });
});
