/**
 * What is known of bytes, of a change's or a file's: what was kept of them, and the rest found out now and kept. The same bytes under
 * the same name are looked at once.
 */
import { createHash } from "node:crypto";
import { stateKey } from "../../model/path-state.ts";
import type { Change } from "../../workspace/compare/states.ts";
import type { Analysis, AnalysisPart } from "./known/analysis.ts";
import { type Delta, type FileFacts, isPassing } from "./known/file-facts.ts";
import { type AnalysisCache, keptKey } from "./known/kept.ts";
import type { FileSide } from "./known/triage-facts.ts";

export async function analyseOnce(
  path: string,
  bytes: Uint8Array,
  analysis: Analysis,
  cache: AnalysisCache,
): Promise<FileFacts> {
  const keys = new Map([
    ["after", keptKey({ kind: "file", path, hash: createHash("sha256").update(bytes).digest("hex") })],
  ] as const);
  const texts = await textsOf(keys, cache, (asked) =>
    analysis.look({ path, fromPath: path, before: null, after: bytes, asked }),
  );
  return JSON.parse(texts?.get("after") ?? "null") as FileFacts;
}

interface Sides {
  readonly change: Change;
  /** The hash of what is looked at on each side; null: there is no file. */
  readonly from: string | null;
  readonly to: string | null;
  readonly read: (side: FileSide) => Promise<Uint8Array | null>;
}

export interface ContentFacts {
  readonly before: FileFacts | null;
  readonly after: FileFacts | null;
  readonly delta: Delta | null;
}

/** Null: bytes that are needed are not held. */
export async function lookInto(
  sides: Sides,
  analysis: Analysis,
  cache: AnalysisCache,
): Promise<ContentFacts | null> {
  const { change, from, to } = sides;
  // By the hash of what was looked at, or it would be believed of other bytes.
  const keys = new Map<AnalysisPart, string>();
  if (from !== null)
    keys.set("before", keptKey({ kind: "file", path: change.fromPath ?? change.path, hash: from }));
  if (to !== null) {
    const { path } = change;
    keys.set("after", keptKey({ kind: "file", path, hash: to }));
    keys.set("delta", keptKey({ kind: "delta", path, from: stateKey(change.from), to }));
  }
  const texts = await textsOf(keys, cache, (asked) => findOut(sides, asked, analysis));
  if (texts === null) return null;
  const read = <T>(part: AnalysisPart): T | null => JSON.parse(texts.get(part) ?? "null") as T | null;
  return { before: read("before"), after: read("after"), delta: read("delta") };
}

/** What is kept of the parts, and the rest found out and kept, but for what may be told next time. Null: bytes are not held. */
async function textsOf(
  keys: ReadonlyMap<AnalysisPart, string>,
  cache: AnalysisCache,
  find: (asked: readonly AnalysisPart[]) => Promise<readonly string[] | null>,
): Promise<ReadonlyMap<AnalysisPart, string> | null> {
  const texts = new Map<AnalysisPart, string>();
  for (const [part, key] of keys) {
    const known = cache.get(key);
    if (known !== undefined) texts.set(part, known);
  }
  const asked = [...keys.keys()].filter((part) => !texts.has(part));
  const found = asked.length > 0 ? await find(asked) : [];
  if (found === null) return null;
  const isKept = !found.some(isPassing);
  for (const [at, part] of asked.entries()) {
    const [key, text] = [keys.get(part), found[at]];
    if (key === undefined || text === undefined) return null;
    if (isKept) cache.set(key, text);
    texts.set(part, text);
  }
  return texts;
}

async function findOut(
  { change, from, to, read }: Sides,
  asked: readonly AnalysisPart[],
  analysis: Analysis,
): Promise<string[] | null> {
  const isNeeded = (side: FileSide): boolean => asked.includes(side) || asked.includes("delta");
  const sides = { before: from !== null && isNeeded("before"), after: to !== null && isNeeded("after") };
  const before = sides.before ? await read("before") : null;
  const after = sides.after ? await read("after") : null;
  if ((sides.before && !before) || (sides.after && !after)) return null;
  return analysis.look({ path: change.path, fromPath: change.fromPath ?? change.path, before, after, asked });
}
