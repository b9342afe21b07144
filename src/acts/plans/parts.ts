/**
 * The parts of a plan that are taken back, done again or in conflict each for itself (S4, DESIGN 15). Pure. A group is one; the
 * groups a commit was made of are one with its ref, because a commit is taken back whole or not at all (W2). A plan that only noted
 * something is one, too.
 */
import { isJsonObject } from "../../model/json.ts";
import type { PathName } from "../../model/path-name.ts";
import type { Plan } from "./plans.ts";

export const REF_PART = "refs";
const NOTE_PART = "note";

/** What it changed, or found as it should be and counts all the same: without groups that were left alone. */
export function groupsOf({ puts, index, covers, back }: Plan): ReadonlySet<string> {
  const named = [...puts, ...index].map(({ group }) => group);
  return new Set([...named, ...covers].filter((group) => !back.has(group)));
}

/** In the tree or in the index, each once. */
export function changedPaths({ puts, index, back }: Plan): PathName[] {
  const changed = [...puts, ...index].filter(({ group }) => !back.has(group));
  return [...new Set(changed.map(({ path }) => path))];
}

export function partOf(plan: Plan, group: string): string {
  return isBound(plan, group) ? REF_PART : `group ${group}`;
}

/** Only the plan of a commit tells which groups its ref is moved for: of any other with refs everything goes together. */
function isBound({ refs, data }: Plan, group: string): boolean {
  const { acts, commit } = data;
  const isOfCommit = refs.length === 1 && typeof commit === "string" && isJsonObject(acts);
  if (!isOfCommit) return refs.length > 0;
  return acts[group] === undefined || acts[group] === "commit";
}

export function partsOf(plan: Plan): ReadonlySet<string> {
  const parts = new Set([...groupsOf(plan)].map((group) => partOf(plan, group)));
  if (plan.refs.length > 0) parts.add(REF_PART);
  return parts.size > 0 ? parts : new Set([NOTE_PART]);
}

/** The plan as if it had done no more than these parts; null: none of them is its own. */
export function narrowed(plan: Plan, parts: ReadonlySet<string>): Plan | null {
  const own = partsOf(plan);
  const kept = new Set([...own].filter((part) => parts.has(part)));
  if (kept.size === 0) return null;
  if (kept.size === own.size) return plan;
  const isKept = ({ group }: { readonly group: string }): boolean => kept.has(partOf(plan, group));
  const hasRefs = kept.has(REF_PART);
  return {
    ...plan,
    puts: plan.puts.filter(isKept),
    index: plan.index.filter(isKept),
    covers: plan.covers.filter((group) => isKept({ group })),
    refs: hasRefs ? plan.refs : [],
    // The branch matters to what was committed on it.
    head: hasRefs || plan.refs.length === 0 ? plan.head : undefined,
  };
}
