/**
 * A file a parser dies of costs that file its evidence, and nothing else (T5, S3). Each text is tried as it is now and as it was; a
 * parser that took this process along would end the test with it.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { type AnalysisApart, analysisApart } from "../../src/salvage/analysis/apart.ts";
import { languageOfFile } from "../../src/triage/facts/analyse-file.ts";
import { analysisHere } from "../../src/triage/facts/analysis-here.ts";
import type { FileFacts } from "../../src/triage/facts/known/file-facts.ts";
import { isLight } from "../../src/triage/facts/parse/parse-room.ts";
import { createParsers } from "../../src/triage/facts/parse/parsers.ts";
import { makePlace } from "../support/cli.ts";
import { DEEP_TEXTS } from "../support/deep-texts.ts";
import { testRepository } from "../support/git-repository.ts";
import { randomFrom } from "../support/random-from.ts";
import { isFull, seed } from "../support/seed.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const BUILT = new URL("../../dist/salvage/analysis/process.js", import.meta.url);
const LONG = { timeout: 30 * 60_000 };
const MAX_BYTES = 1024 * 1024;
/** As deep as a file of that many bytes can be. */
const DEPTHS = [300, 3000, 60_000, 1_000_000];
/** A full count waits for every parser that does not end; a sample shows with a few that it is ended. */
const TIMEOUT_MS = isFull ? 20_000 : 4000;

const here = analysisHere(createParsers());
const opened: AnalysisApart[] = [];
const open = (file = BUILT, timeoutMs = TIMEOUT_MS): AnalysisApart => {
  const analysis = analysisApart(here, { file, timeoutMs });
  opened.push(analysis);
  return analysis;
};
afterAll(() => Promise.all(opened.map((one) => one.close())));

async function lookAt(analysis: AnalysisApart, path: string, text: string): Promise<FileFacts> {
  const after = Buffer.from(text);
  const order = { path, fromPath: path, before: null, after, asked: ["after", "delta"] } as const;
  const [facts = "null", delta] = await analysis.look(order);
  expect(delta).toBeDefined();
  return JSON.parse(facts) as FileFacts;
}

const ofSize = (text: (n: number) => string, depth: number): string => {
  const per = Math.max(1, (text(100).length - text(0).length) / 100);
  return text(Math.min(depth, Math.floor((MAX_BYTES - 2000) / per)));
};

describe("whatever is deep, at every depth, only costs its own file the evidence (T5)", () => {
  const random = randomFrom(seed);
  for (const depth of DEPTHS) {
    // More of what is light; the rest mostly needs a process each.
    const tried = DEEP_TEXTS.filter(() => isFull || random(depth < 1000 ? 6 : 24) === 0);
    it(`${depth} deep: ${tried.length} texts`, LONG, async () => {
      let analysis = open();
      for (const [path, kind, text] of tried) {
        const { parse } = await lookAt(analysis, path, ofSize(text, depth));
        expect(["sound", "broken", "unparsed"], `${path}: ${kind}`).toContain(parse.kind);
        if (parse.kind !== "unparsed") continue;
        // It gives up after a few deaths.
        await analysis.close();
        analysis = open();
      }
    });
  }
});

/** The deepest of its kind that any process may look into. */
function deepestLight(path: string, text: (n: number) => string): number {
  const isLightAt = (n: number): boolean => {
    const bytes = Buffer.from(text(n));
    return bytes.length < MAX_BYTES && isLight(languageOfFile(path, bytes), bytes);
  };
  let [light, heavy] = [1, 200_000];
  while (heavy - light > 1 + light / 50) {
    const middle = (light + heavy) >> 1;
    if (isLightAt(middle)) light = middle;
    else heavy = middle;
  }
  return light;
}

it(
  "what is light is looked into in this very process again and again, and never comes to the end of its stack, where the engine may end it (T5)",
  LONG,
  async () => {
    const random = randomFrom(seed);
    for (const [path, kind, text] of DEEP_TEXTS.filter(() => isFull || random(24) === 0)) {
      const after = Buffer.from(text(deepestLight(path, text)));
      // A second and a third time: then the engine compiles what it only interpreted before.
      for (let time = 0; time < 3; time++) {
        const order = { path, fromPath: path, before: null, after, asked: ["after", "delta"] } as const;
        const { parse } = JSON.parse((await here.look(order))[0] ?? "null") as FileFacts;
        const said = parse.kind === "unparsed" ? parse.why : parse.kind === "broken" ? parse.message : "";
        expect(`${path}: ${kind}: ${said}`).not.toMatch(/call stack/i);
        // TOML's parser counts its levels itself.
        if (!/\.toml$|poetry\.lock$/.test(path)) expect(`${path}: ${kind}: ${said}`).not.toMatch(/too deep/);
      }
    }
  },
);

it.each([
  ["k.yaml", "[".repeat(900)],
  ["k.yaml", `${"- ".repeat(2000)}a`],
  ["k.yaml", `${"? ".repeat(2000)}a`],
  ["k.json", "[".repeat(5000)],
  ["tsconfig.json", `${"[".repeat(5000)}${"]".repeat(5000)}`],
  ["k.toml", `a=${"[".repeat(5000)}${"]".repeat(5000)}`],
])(
  "%s nested too deep is not looked into, which is no error of its text: unknown, not risky (S3)",
  async (path, text) => {
    for (let time = 0; time < 4; time++)
      expect(
        (
          await here.look({ path, fromPath: path, before: null, after: Buffer.from(text), asked: ["after"] })
        )[0],
      ).toMatch(/"kind":"unparsed".*"isUnlooked":true/);
  },
);

describe("what kills a parser", () => {
  const deep = `let a=${"[".repeat(10_000)}${"]".repeat(10_000)}\n`;

  it("is not looked into, says how it ended, and the next file is looked into (S3)", LONG, async () => {
    const analysis = open();
    expect((await lookAt(analysis, "k.ts", deep)).parse).toMatchObject({
      kind: "unparsed",
      isUnlooked: true,
      why: expect.stringContaining("SIGSEGV"),
    });
    const whole = Array.from({ length: 3000 }, (_, at) => `export const f${at} = () => [1, 2];\n`).join("");
    expect((await lookAt(analysis, "m.ts", whole)).parse).toEqual({ kind: "sound" });
  });

  it(
    "is given up after a while where it does not end, and is not kept where another time it may",
    LONG,
    async () => {
      const folder = temporaryFolder();
      const script = (name: string, text: string): URL => {
        writeFileSync(join(folder, name), text);
        return pathToFileURL(join(folder, name));
      };
      const endless = script("endless.mjs", 'process.on("message", () => { for (;;); });');
      const killed = script(
        "killed.mjs",
        'process.on("message", () => process.kill(process.pid, "SIGKILL"));',
      );
      const late = await lookAt(open(endless, 500), "k.ts", deep);
      expect(late.parse).toEqual({
        kind: "unparsed",
        isUnlooked: true,
        why: "its parser took longer than 0.5 s",
      });
      expect((await lookAt(open(killed), "k.ts", deep)).parse).toMatchObject({
        isUnlooked: true,
        isPassing: true,
      });
      const absent = pathToFileURL(join(folder, "absent.mjs"));
      expect((await lookAt(open(absent), "k.ts", deep)).parse).toMatchObject({
        isUnlooked: true,
        isPassing: true,
      });
    },
  );
});

it(
  "real files with pieces taken out, doubled and swapped are looked into, whatever that makes of them (T5)",
  LONG,
  async () => {
    const random = randomFrom(seed);
    const analysis = open();
    const names = [
      "src/triage/verdict/judge.ts",
      "src/triage/verdict/verdict.ts",
      "package.json",
      "biome.json",
      "README.md",
      ".pre-commit-hooks.yaml",
    ];
    for (const name of names) {
      const whole = readFileSync(new URL(`../../${name}`, import.meta.url), "utf8");
      for (let count = 0; count < (isFull ? 3000 : 100); count++) {
        let text = whole;
        for (let edits = 1 + random(8); edits > 0; edits--) {
          const [at, length, to] = [random(text.length), random(60), random(text.length)];
          const piece = text.slice(at, at + length);
          const kept = random(2) === 0 ? text : text.slice(0, at) + text.slice(at + length);
          text = kept.slice(0, to) + piece.repeat(1 + random(4)) + kept.slice(to);
        }
        expect((await lookAt(analysis, name, text)).parse.kind).not.toBe("");
      }
    }
  },
);

it(
  "every command goes on beside a file that kills its parser, as it is, as it was or where others lead to it: unknown (S3)",
  LONG,
  async () => {
    const place = makePlace();
    const deep = `export const a=${"[".repeat(10_000)}${"]".repeat(10_000)};\n`;
    const repo = testRepository();
    for (const path of ["was.ts", "target.ts"]) repo.write(path, deep);
    repo.commit();
    const left = await place.refloat(["run", "--", "sh", "-c", WRITES], { cwd: repo.root });
    expect(left.code).toBe(0);
    const commands = [
      ["status"],
      ["inspect"],
      ["handoff"],
      ["settle", "--dry-run"],
      ["park", "--all", "--dry-run"],
      ["discard", "--dry-run", "--", "now.ts"],
      ["loop", "--max", "1", "--settle", "default", "--", "true"],
    ];
    for (const command of commands) {
      const ran = await place.refloat(command, { cwd: repo.root });
      expect({ command, code: ran.code, signal: ran.signal, stderr: ran.stderr }).toMatchObject({
        code: 0,
        signal: null,
      });
      expect(ran.stdout + ran.stderr).not.toContain("defect");
    }
    const { json } = await place.json(["inspect"], { cwd: repo.root });
    const verdicts = json.groups.flatMap((group: { verdict: string; changes: { path: string }[] }) =>
      group.changes.map(({ path }) => [path, group.verdict]),
    );
    expect(Object.fromEntries(verdicts)).toMatchObject({
      "now.ts": "unknown",
      "nested.json": "unknown",
      "was.ts": "unknown",
      "leads.ts": "unknown",
    });
  },
);

const WRITES = [
  `node -e 'const d="[".repeat(10000); const f=require("fs"); f.writeFileSync("now.ts","let a="+d+"]".repeat(10000)); f.writeFileSync("nested.json",d)'`,
  'echo "export const a = 1;" > was.ts',
  `echo 'import { a } from "./target.ts"; export const b = a;' > leads.ts`,
].join(" && ");
