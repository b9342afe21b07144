/**
 * A plan's paths in the order they are changed. Groups are done one after the other, each whole. Two groups of
 * which one has a path below a path of the other cannot be: they are done together, as one unit. Pure.
 */
import type { PathName } from "../../../model/path-name.ts";
import type { PathPut } from "../../plans/draft.ts";
import type { SwapStep } from "./swap-path.ts";
import { parentOf } from "./tree.ts";

export interface GroupedStep extends SwapStep {
  readonly group: string;
}

export interface Unit {
  readonly groups: readonly string[];
  readonly steps: readonly GroupedStep[];
}

/** `isOne`: everything together, because a ref is swapped for all of it. `others`: groups without a path of the tree. */
export function unitsOf(
  puts: readonly PathPut[],
  options: { readonly isOne: boolean; readonly others?: readonly string[] },
): Unit[] {
  const turned = new Set(puts.filter(isTurned).map(({ path }) => path));
  const steps = puts.map((put, i) => ({ ...put, key: i.toString(36), home: homeOf(put.path, turned) }));
  const groups = [...new Set([...puts.map(({ group }) => group), ...(options.others ?? [])])];
  const find = union(groups);
  const [first] = groups;
  if (options.isOne && first !== undefined) for (const group of groups) find.join(first, group);
  joinNested(steps, find);
  const units = new Map<string, { groups: string[]; steps: GroupedStep[] }>();
  for (const group of groups) {
    const unit = units.get(find.root(group)) ?? { groups: [], steps: [] };
    unit.groups.push(group);
    units.set(find.root(group), unit);
  }
  for (const step of steps) units.get(find.root(step.group))?.steps.push(step);
  return [...units.values()].map((unit) => ({ groups: unit.groups, steps: inOrder(unit.steps) }));
}

/** A folder that goes or comes. */
function isTurned({ expect, put }: PathPut): boolean {
  return (expect?.kind === "directory") !== (put?.kind === "directory");
}

/** A folder is empty before it goes, so what is kept beside a path in it must lie above it; and so when it comes. */
function homeOf(path: PathName, turned: ReadonlySet<PathName>): PathName {
  const highest = [path, ...parentsOf(path)].findLast((one) => turned.has(one));
  return parentOf(highest ?? path);
}

/** What goes, from the deepest up, then what comes, from the top down: folders empty before they go, and are there first. */
function inOrder(steps: readonly GroupedStep[]): GroupedStep[] {
  const going = steps.filter(({ put }) => put === null).sort((a, b) => compare(b.path, a.path));
  const coming = steps.filter(({ put }) => put !== null).sort((a, b) => compare(a.path, b.path));
  return [...going, ...coming];
}

function joinNested(steps: readonly GroupedStep[], find: ReturnType<typeof union>): void {
  const groupAt = new Map(steps.map(({ path, group }) => [path, group]));
  for (const { path, group } of steps) {
    for (const parent of parentsOf(path)) {
      const above = groupAt.get(parent);
      if (above !== undefined) find.join(above, group);
    }
  }
}

/** Nearest first. */
export function parentsOf(path: PathName): PathName[] {
  const parents: PathName[] = [];
  for (let at = path.lastIndexOf("/"); at > 0; at = path.lastIndexOf("/", at - 1))
    parents.push(path.slice(0, at) as PathName);
  return parents;
}

/** By code units with "/" before everything else, so that what lies in a folder follows it at once. */
function compare(a: string, b: string): number {
  const [x, y] = [a.replaceAll("/", "\0"), b.replaceAll("/", "\0")];
  if (x === y) return 0;
  return x < y ? -1 : 1;
}

function union(names: readonly string[]): {
  root(name: string): string;
  join(a: string, b: string): void;
} {
  const above = new Map(names.map((name) => [name, name]));
  const root = (name: string): string => {
    let at = name;
    for (let next = above.get(at) ?? at; next !== at; next = above.get(at) ?? at) at = next;
    return at;
  };
  return { root, join: (a, b) => above.set(root(b), root(a)) };
}
