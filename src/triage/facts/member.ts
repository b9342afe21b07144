/** A change of a group with everything known about it, as the rules see it. */
import { createHash } from "node:crypto";
import type { PathName } from "../../model/path-name.ts";
import type { Change } from "../../workspace/compare/states.ts";
import type { Analysis } from "./known/analysis.ts";
import type { Delta, FileFacts } from "./known/file-facts.ts";
import type { AnalysisCache } from "./known/kept.ts";
import type { ChangeFact, FileSide, TriageFacts } from "./known/triage-facts.ts";
import { lookInto } from "./look-into.ts";

export interface GroupMember {
  readonly fact: ChangeFact;
  readonly change: Change;
  readonly path: PathName;
  readonly before: FileFacts | null;
  readonly after: FileFacts | null;
  readonly delta: Delta | null;
  /** Why something of it is not held or was not looked at: then it is never safe (W4). */
  readonly gap: string | null;
}

/** Members looked at deeply; beyond it they are named and unknown. A manifest of more is a vendored tree. */
const MAX_ANALYSED = 20_000;

export async function loadMembers(
  facts: TriageFacts,
  analysis: Analysis,
  cache: AnalysisCache,
): Promise<GroupMember[]> {
  const { changes } = facts;
  const members = new Array<GroupMember>(changes.length);
  const gaps = gapsAbove(facts);
  let next = 0;
  let done = 0;
  const load = async (): Promise<void> => {
    for (let at = next++; at < changes.length; at = next++) {
      const fact = changes[at] as ChangeFact;
      members[at] =
        at >= MAX_ANALYSED
          ? unread(fact, "there was too much to look at")
          : await loadMember(fact, facts, gaps, analysis, cache);
      facts.onProgress?.(++done, changes.length);
    }
  };
  await Promise.all(Array.from({ length: analysis.width }, load));
  return members;
}

const unread = (fact: ChangeFact, gap: string): GroupMember => ({
  fact,
  change: fact.change,
  path: fact.change.path,
  before: null,
  after: null,
  delta: null,
  gap,
});

async function loadMember(
  fact: ChangeFact,
  facts: TriageFacts,
  gaps: ReadonlyMap<string, string>,
  analysis: Analysis,
  cache: AnalysisCache,
): Promise<GroupMember> {
  const { change } = fact;
  const gap = gapOf(change, gaps);
  // A directory's members are part of a risky change already; a submodule has no bytes here.
  const [from, to] = [change.from, change.to].map((state) => (state?.kind === "file" ? state : null));
  if (gap !== null || (!from && !to)) return { ...unread(fact, ""), gap };
  const read = {
    before: once(() => facts.bytesOf(change, "before")),
    after: once(() => facts.bytesOf(change, "after")),
  };
  const hash = to && facts.isPart?.(change) ? await hashOfPart(read.after) : (to?.hash ?? null);
  const sides = { change, from: from?.hash ?? null, to: hash, read: (side: FileSide) => read[side]() };
  const looked = to && hash === null ? null : await lookInto(sides, analysis, cache);
  if (!looked) return { ...unread(fact, ""), gap: "its bytes are not held" };
  const { before, after } = looked;
  const delta = before?.isBinary || after?.isBinary ? null : looked.delta;
  const held = before && after ? heldOnce(before, after) : after;
  return { fact, change, path: change.path, before, after: held, delta, gap: null };
}

/** Each gap's reason by its path and by every folder above: a change of a folder is as whole as what is in it. */
function gapsAbove({ gaps }: TriageFacts): Map<string, string> {
  const found = new Map<string, string>();
  for (const { path, reason } of gaps)
    for (let at = path.length; at > 0; at = path.lastIndexOf("/", at - 1)) {
      const above = path.slice(0, at);
      if (!found.has(above)) found.set(above, reason);
    }
  return found;
}

function gapOf(change: Change, gaps: ReadonlyMap<string, string>): string | null {
  const own = gaps.get(change.path);
  if (own !== undefined) return own;
  const isUnread = [change.from, change.to].some((state) => state?.kind === "file" && state.hash === null);
  return isUnread ? "its bytes were not read" : null;
}

/** What is kept of it is kept by its own hash, not by that of the whole file. */
async function hashOfPart(read: () => Promise<Uint8Array | null>): Promise<string | null> {
  const bytes = await read();
  return bytes && createHash("sha256").update(bytes).digest("hex");
}

function once<T>(run: () => Promise<T>): () => Promise<T> {
  let running: Promise<T> | null = null;
  return () => {
    running ??= run();
    return running;
  };
}

/**
 * Both sides of a changed file are mostly alike: what is equal in what is known of them is held once, or ten thousand changed files
 * would not fit into 400 MB.
 */
export function heldOnce(before: FileFacts, after: FileFacts): FileFacts {
  const facts = sharing(before, after);
  return before.source && after.source ? { ...facts, source: sharing(before.source, after.source) } : facts;
}

function sharing<T extends object>(old: T, now: T): T {
  const held = { ...now };
  for (const name of Object.keys(now) as (keyof T)[])
    if (areEqual(old[name], now[name])) held[name] = old[name];
  return held;
}

/** Plain JSON, as facts are. */
function areEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((one, at) => areEqual(one, b[at]));
  if (Array.isArray(a) || Array.isArray(b)) return false;
  const [left, right] = [a, b] as Readonly<Record<string, unknown>>[];
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length && names.every((name) => areEqual(left?.[name], right?.[name]))
  );
}
