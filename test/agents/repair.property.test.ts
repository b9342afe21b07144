/**
 * What a repaired copy promises, over every fixture of lines and random damage: what repair mends is not found any more, what was whole is
 * there, and the original is as it was.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { AGENTS } from "../../src/agents/registry.ts";
import type { TranscriptDamage } from "../../src/agents/transcript/damage.ts";
import { toEnd } from "../../src/agents/transcript/piece-by-piece.ts";
import { readLines } from "../../src/agents/transcript/read-lines.ts";
import { isMended, repairedLines } from "../../src/agents/transcript/repair-lines.ts";
import type { LinesFormat } from "../../src/agents/words/adapter.ts";
import fc from "../support/fast-check.ts";
import { transcriptsOf } from "./hear-fixture.ts";

const FIXTURES = join(import.meta.dirname, "transcripts");

interface Fixture {
  readonly name: string;
  readonly which: string;
  readonly format: LinesFormat;
  readonly lines: readonly string[];
}

const fixtures: readonly Fixture[] = AGENTS.flatMap((agent) => {
  const format = agent.transcript;
  if (format.storage !== "lines") return [];
  return readdirSync(join(FIXTURES, agent.name)).flatMap((which) =>
    transcriptsOf(agent, join(FIXTURES, agent.name, which)).map(({ path }) => ({
      name: `${agent.name} ${which}`,
      which,
      format,
      lines: readFileSync(path, "utf8").split("\n").slice(0, -1),
    })),
  );
});

const folder = mkdtempSync(join(tmpdir(), "refloat-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const file = join(folder, "transcript.jsonl");

const damageOf = (format: LinesFormat, bytes: Buffer | string) => {
  writeFileSync(file, bytes);
  const damage: TranscriptDamage[] = [];
  const { ids } = toEnd(
    readLines(file, format, { hear: () => undefined, damaged: (one) => damage.push(one) }),
  );
  return { damage, ids };
};

function repaired(format: LinesFormat, bytes: Buffer | string): Buffer {
  const { ids } = damageOf(format, bytes);
  const copy = Buffer.concat([...repairedLines(file, format, ids)]);
  expect(readFileSync(file).equals(Buffer.from(bytes))).toBe(true);
  return copy;
}

/** By content, whatever they hang below: a record whose parent is nowhere is put below another. */
const contents = (format: LinesFormat, lines: readonly string[]): string[] =>
  lines.map((line) => {
    const object = JSON.parse(line);
    return JSON.stringify(format.reader().relink?.(object, null) ?? object);
  });

/** What must hold of any damaged bytes of which `whole` records are known to be whole. */
function promise({ format }: Fixture, bytes: Buffer | string, whole: readonly string[]): void {
  const copy = repaired(format, bytes);
  const lines = copy.toString("utf8").split("\n");
  expect(lines.pop()).toBe("");
  const found = contents(
    format,
    lines.filter((line) => line.trim() !== ""),
  );
  expect(found).toEqual(contents(format, whole));
  const left = damageOf(format, copy).damage.map(({ kind }) => kind);
  expect(left.filter((kind) => isMended(kind, format))).toEqual([]);
}

const some = ({ which }: Fixture): fc.Parameters<unknown> => ({ numRuns: which === "clean" ? 100 : 25 });

const ended = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join("");

describe.each(fixtures.map((one) => [one.name, one] as const))("a copy of %s", (_name, fixture) => {
  const { lines } = fixture;
  const at = fc.nat(lines.length - 1);

  it("of what is whole is the same bytes", () => {
    expect(repaired(fixture.format, ended(lines)).toString()).toBe(ended(lines));
  });

  it("has all but the last record, wherever that was cut off, and no fragment of it", () => {
    const bytes = Buffer.from(ended(lines));
    const whole = lines.slice(0, -1);
    const begin = Buffer.byteLength(ended(whole));
    // At every byte of one fixture of each agent, at some of the others.
    const step = fixture.which === "clean" ? 1 : Math.ceil((bytes.length - begin) / 50);
    for (let cut = begin; cut < bytes.length - 1; cut += step)
      promise(fixture, bytes.subarray(0, cut), whole);
    // All of it but the line feed: the record is whole.
    promise(fixture, bytes.subarray(0, -1), lines);
  }, 600_000);

  it("has what was written behind a torn record on a line of its own", () => {
    fc.assert(
      fc.property(at, fc.double({ min: 0, max: 1, noNaN: true }), (n, part) => {
        const bytes = Buffer.from(lines[n] ?? "");
        const cut = Math.floor(part * (bytes.length - 1));
        const before = Buffer.from(ended(lines.slice(0, n)));
        const rest = Buffer.from(ended(lines.slice(n + 1)));
        const whole = [...lines.slice(0, n), ...lines.slice(n + 1)];
        promise(fixture, Buffer.concat([before, bytes.subarray(0, cut), rest]), whole);
      }),
      some(fixture),
    );
  });

  it("has records that were glued together, each on its line", () => {
    fc.assert(
      fc.property(fc.subarray([...lines.keys()]), (glued) => {
        const text = lines.map((line, n) => (glued.includes(n) ? line : `${line}\n`)).join("");
        promise(fixture, text, lines);
      }),
      some(fixture),
    );
  });

  it("has everything that stood before and behind a hole of NULs", () => {
    const bytes = Buffer.from(ended(lines));
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 5000 }), (from, length) => {
        const to = Math.min(bytes.length, from + length);
        const holed = Buffer.from(bytes).fill(0, from, to);
        promise(fixture, holed, untouched(lines, from, to));
      }),
      some(fixture),
    );
  });

  it("keeps doubled records, and has those whose parent is gone below another", () => {
    fc.assert(
      fc.property(fc.subarray([...lines.keys()]), fc.subarray([...lines.keys()]), (doubled, gone) => {
        const kept = [...lines.keys()].filter((n) => !gone.includes(n));
        const text = kept.flatMap((n) => Array(doubled.includes(n) ? 2 : 1).fill(lines[n] ?? ""));
        promise(fixture, ended(text), text);
      }),
      some(fixture),
    );
  });
});

/** Records no byte of which lies in the hole; their line feed may. */
function untouched(lines: readonly string[], from: number, to: number): string[] {
  let begin = 0;
  return lines.filter((line) => {
    const end = begin + Buffer.byteLength(line);
    const isHit = begin < to && end > from;
    begin = end + 1;
    return !isHit;
  });
}
