/**
 * A judging by everything that goes into it: the same facts give the same groups (J3), so they are judged once, and a second
 * look at the same work costs a look, not a judging (P10). The key is a hash over all facts that are data and the
 * commit they are judged upon; whoever keeps the texts sees to it that another build's are not believed. Nothing is kept of a
 * judging that did not get to see all it asked for: next time it may.
 */
import { createHash } from "node:crypto";
import { z } from "zod";
import type { Analysis } from "../facts/known/analysis.ts";
import { isPassing } from "../facts/known/file-facts.ts";
import { keptKey, keptValue } from "../facts/known/kept.ts";
import type { ChangeFact, TriageFacts } from "../facts/known/triage-facts.ts";
import type { Group } from "./group.ts";

/** A verdict comes out of here: what is not of this shape is judged anew (T1). */
const keptGroups = z.array(
  z.object({
    id: z.string(),
    /** Places in the list of changes. */
    changes: z.array(z.number().int().nonnegative()),
    verdict: z.enum(["safe", "risky", "unknown"]),
    reasons: z.array(
      z.object({
        rule: z.string(),
        message: z.string(),
        evidence: z.array(z.string()),
        weight: z.enum(["risky", "safe", "note"]),
        remedy: z.string().optional(),
        check: z.string().nullable().optional(),
      }),
    ),
    isWorkflowRecord: z.boolean().optional(),
    describes: z.array(z.string()).optional(),
  }),
);
type KeptGroup = z.infer<typeof keptGroups>[number];

/** `headId`: the commit that `facts.head` reads; null: there is none. */
export async function judgeOnce(facts: TriageFacts, headId: string | null): Promise<Group[]> {
  const { cache, isPart } = facts;
  // The bytes of a part are named by no state: they are not in the key.
  if (!cache || facts.changes.some(({ change }) => isPart?.(change))) return judged(facts);
  const key = keyOf(facts, headId);
  const before = keptValue(cache, key, keptGroups);
  const known = before && knownGroups(before, facts.changes);
  if (known) return known;
  const { watched, sawAll } = watching(facts);
  const groups = await judged(watched);
  const kept = sawAll() ? toKept(groups, facts.changes) : null;
  if (kept) cache.set(key, JSON.stringify(kept));
  return groups;
}

/** The judge is loaded where something is judged: what is kept needs none. */
async function judged(facts: TriageFacts): Promise<Group[]> {
  const { judgeChanges } = await import("./judge.ts");
  return judgeChanges(facts);
}

/** What JSON shows whole: a function, a map or a set in it would not be part of the key. */
type PlainJson<T> = T extends string | number | boolean | null | undefined
  ? T
  : T extends ((...args: never[]) => unknown) | ReadonlyMap<unknown, unknown> | ReadonlySet<unknown>
    ? never
    : { readonly [K in keyof T]: PlainJson<T[K]> };

function keyOf(facts: TriageFacts, headId: string | null): string {
  const { bytesOf, isPart, head, cache, analysis, onProgress, ...data } = facts;
  const { changes, sightings, verify, ...rest } = data;
  const others = { ...rest, verify: verify && { ...verify, groups: [...verify.groups] } };
  const hash = createHash("sha256").update(`${headId}\n`);
  const add = <T>(plain: T & PlainJson<T>): void => {
    hash.update(`${JSON.stringify(plain)}\n`);
  };
  add(others);
  for (const change of changes) add(change);
  add(changes.length);
  for (const sighting of sightings) add(sighting);
  return keptKey({ kind: "groups", facts: hash.digest("hex") });
}

/** The same facts, and whether everything that was asked for was there. */
function watching(facts: TriageFacts): { watched: TriageFacts; sawAll: () => boolean } {
  const { head } = facts;
  let isAll = true;
  const seen = <T>(answer: T): T => {
    if (answer === null) isAll = false;
    return answer;
  };
  const { analysis } = facts;
  const look: Analysis["look"] = async (order) => {
    const texts = (await analysis?.look(order)) ?? [];
    if (texts.some(isPassing)) isAll = false;
    return texts;
  };
  const watched: TriageFacts = {
    ...facts,
    ...(analysis ? { analysis: { ...analysis, look } } : {}),
    bytesOf: async (change, side) => {
      const state = side === "before" ? change.from : change.to;
      const bytes = await facts.bytesOf(change, side);
      return state === null ? bytes : seen(bytes);
    },
    head: {
      list: () => head.list(),
      read: async (path) => seen(await head.read(path)),
      mentioning: async (words, endings) => seen(await head.mentioning(words, endings)),
    },
  };
  return { watched, sawAll: () => isAll };
}

/** Null: a group has a change that is not one of them. */
function toKept(groups: readonly Group[], changes: readonly ChangeFact[]): KeptGroup[] | null {
  const places = new Map(changes.map((change, at) => [change, at]));
  const kept: KeptGroup[] = [];
  for (const { changes: own, ...group } of groups) {
    const at = own.flatMap((change) => places.get(change) ?? []);
    if (at.length < own.length) return null;
    const reasons = group.reasons.map((reason) => ({ ...reason, evidence: [...reason.evidence] }));
    kept.push({ ...group, describes: group.describes && [...group.describes], reasons, changes: at });
  }
  return kept;
}

/** Null: not of these very changes, each of them in one group. */
function knownGroups(kept: readonly KeptGroup[], changes: readonly ChangeFact[]): Group[] | null {
  const places = kept.flatMap((group) => group.changes);
  const isWhole = places.length === changes.length && new Set(places).size === changes.length;
  if (!isWhole || places.some((at) => at >= changes.length)) return null;
  return kept.map((group) => ({ ...group, changes: group.changes.flatMap((at) => changes[at] ?? []) }));
}
