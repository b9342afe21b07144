/**
 * The pages as a test: what they point at is there. A link goes to a file that exists, and to a heading that is in
 * it; a source or test that a page names exists; a law that a comment cites is on docs/laws.md.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { readOnlyTools } from "../src/conversation/effects.ts";

const ROOT = resolve(import.meta.dirname, "..");
const LAWS_PAGE = join(ROOT, "docs/laws.md");

interface Page {
  /** From the root of the repository. */
  readonly path: string;
  readonly text: string;
}

const markdownIn = (folder: string, recursive: boolean): string[] =>
  readdirSync(join(ROOT, folder), { recursive, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => join(folder, name));

const pages: readonly Page[] = [...markdownIn(".", false), ...markdownIn("docs", true)].map((path) => ({
  path,
  text: readFileSync(join(ROOT, path), "utf8"),
}));

describe("the pages", () => {
  it("link only to files that exist and to headings that are in them", () => {
    expect(pages.length).toBeGreaterThan(15);
    expect(pages.flatMap(brokenLinks)).toEqual([]);
  });

  it("name only sources, tests and scripts that exist", () => {
    const named = pages.flatMap(namedFiles);
    expect(named.length).toBeGreaterThan(50);
    expect(named.filter(({ file }) => !existsSync(join(ROOT, file)))).toEqual([]);
  });

  it("show no path of somebody's machine", () => {
    const home = /(?:^|[\s`"'(])\/(?:home|root|Users|work)\//m;
    expect(pages.filter(({ text }) => home.test(text)).map(({ path }) => path)).toEqual([]);
  });

  it("list the very tools that are taken to read only", () => {
    const text = readFileSync(join(ROOT, "docs/conversation.md"), "utf8");
    const [, list = ""] = /<!-- read-only-tools -->([\s\S]*?)<!-- \/read-only-tools -->/.exec(text) ?? [];
    expect([...list.matchAll(/`([^`]+)`/g)].map(([, tool]) => tool)).toEqual(readOnlyTools());
  });

  it("would be caught with a link to nowhere, to a missing heading or to a file that is gone: the check can fail", () => {
    const page = {
      path: "docs/x.md",
      text: "[a](gone.md) [b](laws.md#no-such) [c](laws.md#claims) `src/gone.ts`",
    };
    expect(brokenLinks(page)).toEqual(["docs/x.md: gone.md", "docs/x.md: laws.md#no-such"]);
    expect(namedFiles(page)).toEqual([{ page: "docs/x.md", file: "src/gone.ts" }]);
  });
});

describe("the laws", () => {
  const listed = new Set(
    [...readFileSync(LAWS_PAGE, "utf8").matchAll(/^\| ([A-Z]\d) \|/gm)].map(([, law]) => law),
  );

  it("are listed once each, without a hole in their numbers", () => {
    const rows = readFileSync(LAWS_PAGE, "utf8").match(/^\| [A-Z]\d \|/gm) ?? [];
    expect(rows).toHaveLength(listed.size);
    const last: Readonly<Record<string, number>> = { D: 7, C: 8, K: 5, L: 7, W: 8, S: 7, T: 6 };
    const expected = Object.entries(last).flatMap(([letter, count]) =>
      Array.from({ length: count }, (_, i) => `${letter}${i + 1}`),
    );
    expect([...listed].sort()).toEqual(expected.sort());
  });

  it("that sources, tests and pages cite are all on the page", () => {
    const cited = [...sources(), ...pages].flatMap(citedLaws);
    expect(cited.length).toBeGreaterThan(200);
    expect(cited.filter(({ law }) => !listed.has(law))).toEqual([]);
  });

  it("that do not exist would be caught: the check can fail", () => {
    expect(citedLaws({ path: "x.ts", text: "// D9: no such law; driver 1, X-1 and P1 are none" })).toEqual([
      { path: "x.ts", law: "D9" },
    ]);
  });
});

function brokenLinks({ path, text }: Page): string[] {
  const links = [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, to]) => to ?? "");
  return links.filter((to) => !/^[a-z]+:/i.test(to) && !isThere(path, to)).map((to) => `${path}: ${to}`);
}

function isThere(from: string, to: string): boolean {
  const [file = "", heading] = to.split("#");
  const target = file === "" ? join(ROOT, from) : resolve(ROOT, dirname(from), file);
  if (!existsSync(target) || relative(ROOT, target).startsWith("..")) return false;
  return heading === undefined || headingsOf(readFileSync(target, "utf8")).has(heading);
}

/** As they become addresses: lower case, words joined by hyphens, punctuation gone, a number behind a second one. */
function headingsOf(text: string): Set<string> {
  const found = new Map<string, number>();
  const anchors = new Set<string>();
  for (const [, title = ""] of withoutCode(text).matchAll(/^#{1,6} +(.+?) *$/gm)) {
    const anchor = title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replace(/\s/g, "-");
    const count = found.get(anchor) ?? 0;
    found.set(anchor, count + 1);
    anchors.add(count === 0 ? anchor : `${anchor}-${count}`);
  }
  return anchors;
}

/** Only what stands in code marks and looks like a file of ours, without a wildcard. */
function namedFiles({ path, text }: Page): { page: string; file: string }[] {
  const files = text.matchAll(/`((?:src|test|scripts|bench|docs)\/[\w./-]+\.\w+)`/g);
  return [...files].map(([, file]) => ({ page: path, file: file ?? "" }));
}

function withoutCode(text: string): string {
  return text.replace(/^```[\s\S]*?^```/gm, "");
}

function sources(): Page[] {
  return ["src", "test"].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => /\.(?:ts|mjs)$/.test(name) && join(folder, name) !== "test/docs.test.ts")
      .map((name) => join(folder, name))
      .map((path) => ({ path, text: readFileSync(join(ROOT, path), "utf8") })),
  );
}

/** `D1` is a law; `driver 1` is a promise of one file and `P1` a goal of speed. Letters of a longer word or id do not count. */
function citedLaws({ path, text }: Page): { path: string; law: string }[] {
  return [...text.matchAll(/(?<![\w-])([DCKLWST][1-9]\d*)(?![\w-])/g)].map(([, law]) => ({
    path,
    law: law ?? "",
  }));
}
