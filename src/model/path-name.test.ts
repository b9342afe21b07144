import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, test } from "vitest";
import fc from "../../test/support/fast-check.ts";
import {
  hasGitName,
  isWithin,
  nulFields,
  nulPaths,
  type PathName,
  pathForDisplay,
  pathFromBytes,
  pathFromJson,
  pathFromText,
  pathJson,
  pathToBytes,
} from "./path-name.ts";

describe("a path name", () => {
  it("carries any bytes there and back, also through JSON, and loses none of them", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
        const path = pathFromBytes(bytes);
        expect(pathToBytes(path)).toEqual(Buffer.from(bytes));
        const json = JSON.parse(JSON.stringify(pathJson(path)));
        expect(pathToBytes(pathFromJson(json))).toEqual(Buffer.from(bytes));
        expect(pathForDisplay(path).isWellFormed()).toBe(true);
      }),
    );
  });

  it("keeps valid UTF-8 readable, a byte order mark and astral characters too, and needs no path_b64 for it", () => {
    for (const text of ["a/b.txt", "\ufeffx", "naïve/日本語", "🚢", 'q"u\no\tte', "é".repeat(100)]) {
      const path = pathFromBytes(Buffer.from(text));
      expect(path).toBe(text);
      expect(pathJson(path)).toEqual({ path: text });
    }
  });

  it("escapes exactly the bytes that are no text and keeps what stands around them", () => {
    const path = pathFromBytes(Buffer.from([0x61, 0xff, 0xc3, 0xa9, 0xed, 0xa0, 0x80, 0xe2, 0x82]));
    expect(path).toBe("a\udcff\u00e9\udced\udca0\udc80\udce2\udc82");
    expect(pathJson(path)).toEqual({
      path: "a\ufffdé\ufffd\ufffd\ufffd\ufffd\ufffd",
      path_b64: "Yf/Dqe2ggOKC",
    });
  });

  it("reads what a person typed without its leading ./ and trailing slashes", () => {
    expect(pathFromText("././a/b//")).toBe("a/b");
    expect(pathFromText("/")).toBe("/");
  });

  it("knows what lies within a folder and is not fooled by a name that only begins alike", () => {
    const p = (text: string): PathName => text as PathName;
    expect(isWithin(p("a/b"), p("a"))).toBe(true);
    expect(isWithin(p("a"), p("a"))).toBe(true);
    expect(isWithin(p("ab"), p("a"))).toBe(false);
    expect(isWithin(p("ab"), p(""))).toBe(true);
  });
});

const fieldsOf = (text: string): string[] => [...nulFields(Buffer.from(text, "latin1"))].map(String);

test("fields end with NUL; an empty one counts, and the last one needs no end", () => {
  expect(fieldsOf("")).toEqual([]);
  expect(fieldsOf("a\0b c\0")).toEqual(["a", "b c"]);
  expect(fieldsOf("a\0\0b\0")).toEqual(["a", "", "b"]);
  expect(fieldsOf("a\0cut")).toEqual(["a", "cut"]);
});

test("paths keep newlines and bytes that are no UTF-8", () => {
  const [first, second] = nulPaths(Buffer.from("a\nb\0\xff\0", "latin1"));
  expect(first).toBe("a\nb");
  expect(second).toHaveLength(1);
  expect(second).not.toBe("\ufffd");
});

/** W3: which names are git's own. Real git is asked about each: what it takes into an index is nobody's but the user's. */
const KEPT = [
  ".git",
  ".GIT",
  ".Git",
  ".git ",
  ".git.",
  ".git . .",
  ".git::$INDEX_ALLOCATION",
  ".git:x",
  "git~1",
  "GIT~1",
  "git~1.",
  "git~1:x",
  ".g\u200cit",
  "\ufeff.git",
  ".gi\u202et",
  ".git\u206f",
  "a\\.git",
  "a\\git~1",
];
const FREE = [
  ".gitignore",
  ".gitattributes",
  ".github",
  ".gitlab-ci.yml",
  "git",
  "git~2",
  "git~10",
  ".git2",
  ".git-x",
  "x.git",
  "..git",
  "digit",
  ".g-it",
  ".g\u00ect",
  " .git",
  ".git\u00a0",
];

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "refloat-test-"));
  execFileSync("git", ["init", "-q", folder]);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** As strict as git can be: on every system's account. */
function gitTakes(path: string): boolean {
  const strict = ["-c", "core.protectHFS=true", "-c", "core.protectNTFS=true"];
  const info = `100644,e69de29bb2d1d6434b8b29ae775ad8c2e48c5391,${path}`;
  return (
    spawnSync("git", [...strict, "update-index", "--add", "--cacheinfo", info], { cwd: folder }).status === 0
  );
}

describe("a name that is git's own", () => {
  it.each(KEPT)("%j is one, alone, above and below others, and git refuses it, too (W3)", (name) => {
    for (const path of [name, `${name}/config`, `sub/${name}`, `sub/${name}/hooks/x`]) {
      expect([path, hasGitName(path)]).toEqual([path, true]);
      expect([path, gitTakes(path)]).toEqual([path, false]);
    }
  });

  it.each(FREE)("%j is none, and git takes it (W3)", (name) => {
    for (const path of [name, `sub/${name}/x`]) {
      expect([path, hasGitName(path)]).toEqual([path, false]);
      expect([path, gitTakes(path)]).toEqual([path, true]);
    }
  });
});
