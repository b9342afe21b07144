/**
 * One word, one thing (CONTEXT.md), held against the names the code exports: what a type's name says, what is never called
 * by a word that is to be avoided, and who settles what.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const ROOT = resolve(import.meta.dirname, "..");

interface Declared {
  readonly path: string;
  readonly kind: string;
  readonly name: string;
}

/** Names of the library's card (DESIGN 11): others import them, so they stay. */
const PUBLIC = new Set([...read("src/core.ts").matchAll(/\b([A-Z]\w*)\b/g)].map(([, name]) => name ?? ""));

/** Words of git and of SQLite, for what is theirs; and what the commands `status` and `diff` tell. */
const FOREIGN = new Set(["Stash", "Wal", "Status", "Diff"]);

/** A participle says what was done to a thing and not which thing it is; those that do not end in -ed are named. */
const PARTICIPLE =
  /^(?:[A-Z][a-z]+ed|Found|Left|Held|Kept|Told|Made|Done|Seen|Known|Gone|Begun|Taken|Given|Written|Shown|Hidden|Put|Sent|Lost|Built|Bound|Drawn|Broken|Chosen)$/;

/** One settles groups; recovery closes calls; a plan is finished or rolled back. */
const SETTLED_WRONGLY = /settle\w*(?:Calls?|Turns?|Plans?)(?![a-z])|(?:Call|Turn|Plan)s?Settle/i;

const exported = declared(/^export (?:declare )?(?:abstract )?(?:async )?(\w+)\*? (\w+)/gm);
const types = declared(/^(?:export )?(?:abstract )?(type|interface|class) (\w+)/gm);
const isType = ({ kind }: Declared): boolean => ["type", "interface", "class"].includes(kind);

describe("the words (CONTEXT.md)", () => {
  it("no exported type is a bare participle: its name says what it is of", () => {
    expect(exported.length).toBeGreaterThan(1000);
    expect(exported.filter((one) => isType(one) && isBareParticiple(one.name)).map(shown)).toEqual([]);
  });

  it("no exported type is declared twice, nor again in a file of its own: one name is one thing", () => {
    expect(repeats(exported.filter(isType)).map(shown)).toEqual([]);
    const names = new Set(exported.filter(isType).map(({ name }) => name));
    expect(
      repeats(types)
        .filter(({ name }) => names.has(name))
        .map(shown),
    ).toEqual([]);
  });

  it("nothing that is exported settles a call, a turn or a plan", () => {
    expect(exported.filter(({ name }) => SETTLED_WRONGLY.test(name)).map(shown)).toEqual([]);
  });

  it("no exported type has a word for its name that the list says to avoid", () => {
    const avoided = new Set(avoidedWords());
    expect(avoided.size).toBeGreaterThan(20);
    expect(
      exported
        .filter((one) => isType(one) && !FOREIGN.has(one.name) && avoided.has(one.name.toLowerCase()))
        .map(shown),
    ).toEqual([]);
  });

  it("a promise of one file has no law's letter: a word of its own before the number", () => {
    const lists = [...sources()].flatMap(([path, text]) =>
      [...text.matchAll(/^ \*\s+([DCKLWST]-\d)\b/gm)].map(([, promise]) => `${path}: ${promise}`),
    );
    expect(lists).toEqual([]);
  });

  it("would be caught: the checks can fail", () => {
    expect(["Found", "Decided", "FoundProgram"].map(isBareParticiple)).toEqual([true, true, false]);
    expect(["settleCalls", "planSettled", "settleGroups"].map((name) => SETTLED_WRONGLY.test(name))).toEqual([
      true,
      true,
      false,
    ]);
    const twice = { path: "b.ts", kind: "type", name: "One" };
    expect(repeats([{ path: "a.ts", kind: "type", name: "One" }, twice])).toEqual([twice]);
  });
});

function isBareParticiple(name: string): boolean {
  return PARTICIPLE.test(name) && !PUBLIC.has(name);
}

function repeats(all: readonly Declared[]): Declared[] {
  const seen = new Map<string, string>();
  return all.filter(({ name, path }) => {
    const first = seen.get(name);
    if (first === undefined) seen.set(name, path);
    return first !== undefined && first !== path;
  });
}

/** `_Avoid_: run, task, job. (On screens: ...)`: what stands before the first full stop or bracket. */
function avoidedWords(): string[] {
  return [...read("CONTEXT.md").matchAll(/^_Avoid_: ([^.(]+)/gm)].flatMap(([, words]) =>
    (words ?? "").split(",").map((word) => word.trim().toLowerCase()),
  );
}

function declared(pattern: RegExp): Declared[] {
  return [...sources()].flatMap(([path, text]) =>
    [...text.matchAll(pattern)].map(([, kind, name]) => ({ path, kind: kind ?? "", name: name ?? "" })),
  );
}

function* sources(): Generator<[path: string, text: string]> {
  for (const name of readdirSync(join(ROOT, "src"), { recursive: true, encoding: "utf8" }))
    if (name.endsWith(".ts") && !name.endsWith(".test.ts")) yield [name, read(join("src", name))];
}

const shown = ({ path, name }: Declared): string => `${path}: ${name}`;

function read(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}
