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
import { dropKeptTexts, type KeptTexts, openKeptTexts } from "./kept-texts.ts";

const OPTIONS = { build: "b1", maxBytes: 100_000 };

function filled(path: string, entries: Readonly<Record<string, string>>, options = OPTIONS): KeptTexts {
  const kept = openKeptTexts(path, options);
  for (const [key, text] of Object.entries(entries)) kept.set(key, text);
  kept.save();
  return kept;
}

const ENTRIES = { one: "1", "a\nb\0c": "two\nlines", ü: "grün", empty: "" };

describe("texts kept between processes", () => {
  it("are there for the next one, whatever is in keys and texts, and saving adds", () => {
    const path = join(temporaryFolder(), "texts");
    expect(openKeptTexts(path, OPTIONS).get("one")).toBeUndefined();
    filled(path, ENTRIES);
    const first = readFileSync(path);
    filled(path, { more: "3", one: "another" });
    const again = openKeptTexts(path, OPTIONS);
    for (const [key, text] of Object.entries({ ...ENTRIES, more: "3", one: "another" }))
      expect(again.get(key)).toBe(text);
    expect(readFileSync(path).subarray(0, first.length)).toEqual(first);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(path, ".."))).toEqual(["texts"]);
  });

  it("are never handed out wrong: any byte changed, any part cut off or put in (T-1, T-2)", () => {
    const path = join(temporaryFolder(), "texts");
    filled(path, ENTRIES);
    const sound = readFileSync(path);
    const check = (bytes: Uint8Array): void => {
      writeFileSync(path, bytes);
      const kept = openKeptTexts(path, OPTIONS);
      for (const [key, text] of Object.entries(ENTRIES)) expect([text, undefined]).toContain(kept.get(key));
      // What was lost is made again, and then all of it is there.
      filled(path, ENTRIES);
      for (const [key, text] of Object.entries(ENTRIES))
        expect(openKeptTexts(path, OPTIONS).get(key)).toBe(text);
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
    old.save();
    expect(openKeptTexts(path, { ...OPTIONS, build: "b2" }).get("key")).not.toBe("old");
    const mixed = openKeptTexts(path, OPTIONS);
    filled(path, { key: "new" }, { ...OPTIONS, build: "b2" });
    filled(path, { other: "x" }, { ...OPTIONS, build: "b2" });
    mixed.set("key", "old");
    mixed.save();
    expect(openKeptTexts(path, { ...OPTIONS, build: "b2" }).get("key")).not.toBe("old");
  });

  it("stay below the bound: what was asked for last stays, the rest goes (T5)", () => {
    const path = join(temporaryFolder(), "texts");
    const options = { build: "b", maxBytes: 20_000 };
    for (let round = 0; round < 40; round++) {
      const kept = openKeptTexts(path, options);
      if (round > 0) expect(kept.get("wanted")).toBe("w".repeat(100));
      else kept.set("wanted", "w".repeat(100));
      for (let i = 0; i < 10; i++) kept.set(`${round} ${i}`, "x".repeat(100));
      kept.save();
      expect(statSync(path).size).toBeLessThanOrEqual(options.maxBytes);
      expect(openKeptTexts(path, options).get(`${round} 9`)).toBe("x".repeat(100));
    }
    filled(path, { huge: "y".repeat(30_000) }, options);
    expect(statSync(path).size).toBeLessThanOrEqual(options.maxBytes);
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
