/** Files looked into by other threads: what comes back is what this thread would have found, whatever becomes of them (S3, J3). */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { expect, it } from "vitest";
import { analysisThreads } from "../../src/salvage/analysis/threads.ts";
import { analysisHere } from "../../src/triage/facts/analysis-here.ts";
import type { AnalysisOrder } from "../../src/triage/facts/known/analysis.ts";
import { createParsers } from "../../src/triage/facts/parse/parsers.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const BUILT = new URL("../../dist/salvage/analysis/worker.js", import.meta.url);
const FILES = 150;

const here = analysisHere(createParsers());

const KINDS: readonly (readonly [string, (at: number) => Buffer])[] = [
  ["a.js", (at) => Buffer.from(`export function f${at}() {\n  return ${at};\n}\n`)],
  ["broken.ts", (at) => Buffer.from(`export const x${at}: = 1;\n`)],
  ["b.py", (at) => Buffer.from(`def f${at}():\n    return ${at}\n`)],
  ["data.json", (at) => Buffer.from(`{"at": ${at}}\n`)],
  ["note.md", (at) => Buffer.from(`# Note ${at}\n\nTODO: write it\n`)],
  ["image.png", (at) => Buffer.from([at, 0, 255, 0, 10])],
  ["latin.txt", (at) => Buffer.from([0x66, 0xfc, 0x72, at % 128])],
  ["empty.js", () => Buffer.alloc(0)],
];

/** Views into one piece of memory, as git's answers are. */
const PIECE = Buffer.concat(KINDS.flatMap(([, bytes]) => [bytes(0), Buffer.from("|")]));

function orders(): AnalysisOrder[] {
  return Array.from({ length: FILES }, (_, at) => {
    const [path, bytes] = KINDS[at % KINDS.length] as (typeof KINDS)[number];
    const before = at % 3 === 0 ? null : PIECE.subarray(at % 40);
    const asked: AnalysisOrder["asked"] =
      at % 7 === 0 ? ["after"] : before ? ["before", "after", "delta"] : ["after", "delta"];
    return { path, fromPath: `old-${path}`, before, after: bytes(at), asked };
  });
}

/** As many at once as it wants, as the judge asks. */
async function askAll(analysis: ReturnType<typeof analysisThreads>): Promise<string[][]> {
  const asked = orders();
  const found: string[][] = [];
  let next = 0;
  const ask = async (): Promise<void> => {
    for (let at = next++; at < asked.length; at = next++) {
      const order = asked[at] ?? expect.unreachable();
      found[at] = await analysis.look(order);
      expect(found[at]).toHaveLength(order.asked.length);
    }
  };
  await Promise.all(Array.from({ length: analysis.width }, ask));
  await analysis.close();
  return found;
}

it("finds out the same as this thread alone, of every kind of file, and leaves the bytes as they were (J3)", async () => {
  const before = Buffer.from(PIECE);
  const alone = await askAll({ ...here, close: async () => undefined });
  let doneHere = 0;
  const counted: typeof here = {
    width: here.width,
    look: (order) => here.look(order).finally(() => doneHere++),
  };
  expect(await askAll(analysisThreads(counted, { files: FILES, file: BUILT, threads: 3 }))).toEqual(alone);
  expect(PIECE.equals(before)).toBe(true);
  // What waits for another thread is not done here, however long that one takes to start.
  expect(doneHere).toBeLessThanOrEqual(alone.length - 3);
  expect(doneHere).toBeGreaterThan(0);
});

it("is done by this thread alone where there is one processor (P10)", async () => {
  expect(analysisThreads(here, { files: FILES, file: BUILT, threads: 0 }).width).toBe(here.width);
});

it("does itself what a thread does not answer: one that dies, that cannot be loaded, or is not there (S3)", async () => {
  const alone = await askAll({ ...here, close: async () => undefined });
  const folder = temporaryFolder();
  const script = (name: string, text: string): URL => {
    writeFileSync(join(folder, name), text);
    return pathToFileURL(join(folder, name));
  };
  const dying = script(
    "dying.mjs",
    `import { parentPort } from "node:worker_threads";
     let left = 2;
     parentPort.on("message", ({ id }) => (left-- > 0 ? parentPort.postMessage({ id, texts: null }) : process.exit(1)));`,
  );
  const broken = script("broken.mjs", "this is no program");
  const absent = pathToFileURL(join(folder, "absent.mjs"));
  for (const file of [dying, broken, absent])
    expect(await askAll(analysisThreads(here, { files: FILES, file, threads: 2 }))).toEqual(alone);
});
