/**
 * Calls that no longer fit what they call: one side of a changed signature without the other. From the group, and from
 * unchanged files into it. What did not fit before is not newly broken.
 */
import {
  type CallGives,
  type FunctionTakes,
  fits,
  isDoubtful,
  isNarrower,
} from "../../facts/known/arguments.ts";
import type { FileFacts } from "../../facts/known/file-facts.ts";
import type { GroupMember } from "../../facts/member.ts";
import { CHECKED_ENDINGS, CHECKED_LANGUAGES, languageOf } from "../../facts/paths/languages.ts";
import { callOf, type ImportedCall, type ReachedFunction, reached, takesIn } from "./callee-takes.ts";
import { referrersOf } from "./check-references.ts";
import { type GroupTree, groupTree, type HeadSources, headTree } from "./tree.ts";

export interface WrongCall {
  readonly from: string;
  /** Null: a call of a function of the same file. */
  readonly line: number | null;
  /** As it is called. */
  readonly name: string;
  readonly gives: CallGives;
  readonly takes: FunctionTakes;
  /** It fails where it is compiled or run. Else it is legal, and may have been meant. */
  readonly isCertain: boolean;
}

export interface WrongCalls {
  readonly found: readonly WrongCall[];
  /** Why callers could not be looked for. */
  readonly unfollowed: readonly string[];
}

/** Unchanged files that may call what changed; more, and it is not followed. */
const MAX_CALLERS = 2000;
/** Searches for those that call it by another name, which a module in between gave it. */
const MAX_ROUNDS = 3;

export async function wrongCallsIn(members: readonly GroupMember[], head: HeadSources): Promise<WrongCalls> {
  const trees: Trees = { now: groupTree(head, members), head: headTree(head) };
  const narrowed = members.flatMap(narrowedIn);
  const inGroup = await fromGroup(members, trees, { hasNarrowed: narrowed.length > 0 });
  const { found, unfollowed } =
    narrowed.length > 0 ? await fromOthers(members, narrowed, head, trees) : { found: [], unfollowed: [] };
  return { found: [...members.flatMap(ownMisfits), ...inGroup, ...found], unfollowed };
}

interface Trees {
  readonly now: GroupTree;
  readonly head: GroupTree;
}

/** A function that a changed file gives and that takes less than before. */
interface NarrowedFunction {
  readonly path: string;
  readonly name: string;
}

function narrowedIn({ path, before, after }: GroupMember): NarrowedFunction[] {
  if (!before?.source || !after?.source || before.source.takes === after.source.takes) return [];
  const was = takesIn(before.source);
  return [...takesIn(after.source)].flatMap(([name, takes]) => {
    const old = was.get(name);
    return old !== undefined && isNarrower(old, takes) ? [{ path, name }] : [];
  });
}

/** Calls of functions of the same file. */
function ownMisfits({ path, before, after }: GroupMember): WrongCall[] {
  const [was, is] = [before?.source?.misfits ?? [], after?.source?.misfits ?? []];
  const known = new Set(was.map((one) => one.slice(0, one.lastIndexOf(" "))));
  return is.flatMap((one) => {
    const { specifier: name, name: gives, gives: takes } = callOf(one);
    if (known.has(`${name} ${gives}`)) return [];
    const isCertain = after?.language !== "javascript" && !isDoubtful(takes);
    return [{ from: path, line: null, name, gives, takes, isCertain }];
  });
}

async function fromGroup(
  members: readonly GroupMember[],
  trees: Trees,
  { hasNarrowed }: { readonly hasNarrowed: boolean },
): Promise<WrongCall[]> {
  const found: WrongCall[] = [];
  let old: ReadonlySet<string> | null = null;
  for (const { path, before, after } of members) {
    if (!after?.source) continue;
    const was = new Set(before?.source?.calls ?? []);
    for (const [at, text] of after.source.calls.entries()) {
      // What is called as before can only be wrong if what it calls changed.
      if (was.has(text) && !hasNarrowed) continue;
      const wrong = await wrongCall(path, after, at, trees.now);
      if (!wrong) continue;
      old ??= await misfitsBefore(members, trees.head);
      const { name, gives } = callOf(text);
      if (!old.has(`${name} ${gives}`)) found.push(wrong);
    }
  }
  return found;
}

/** What did not fit before, wherever in the group it was called: a file that moved takes its calls along. */
async function misfitsBefore(members: readonly GroupMember[], tree: GroupTree): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const { path, change, before } of members) {
    if (!before?.source) continue;
    for (const [at, text] of before.source.calls.entries()) {
      const { name, gives } = callOf(text);
      if (await wrongCall(change.fromPath ?? path, before, at, tree)) found.add(`${name} ${gives}`);
    }
  }
  return found;
}

async function wrongCall(
  from: string,
  facts: FileFacts,
  at: number,
  tree: GroupTree,
): Promise<WrongCall | null> {
  const call = callOf(facts.source?.calls[at] ?? "");
  const callee = await reached(from, facts, call, tree);
  return callee && !fits(callee.takes, call.gives) ? wrongBy(from, facts, at, call, callee) : null;
}

function wrongBy(
  from: string,
  facts: FileFacts,
  at: number,
  call: ImportedCall,
  callee: ReachedFunction,
): WrongCall {
  const isTyped = facts.language !== "javascript" && callee.isTyped;
  return {
    from,
    line: facts.source?.callLines[at] ?? 1,
    name: call.name === "default" ? call.specifier : call.name,
    gives: call.gives,
    takes: callee.takes,
    isCertain: isTyped && !isDoubtful(callee.takes),
  };
}

/** Unchanged files that call what takes less now, under whatever name modules in between gave it. */
async function fromOthers(
  members: readonly GroupMember[],
  narrowed: readonly NarrowedFunction[],
  head: HeadSources,
  trees: Trees,
): Promise<WrongCalls> {
  const own = new Set<string>(members.flatMap(({ path, change }) => [path, change.fromPath ?? path]));
  const seen = new Set<string>();
  const found: WrongCall[] = [];
  let wanted = narrowed;
  for (let round = 0; round < MAX_ROUNDS && wanted.length > 0; round++) {
    const callers = await callersOf(wanted, head);
    if (callers === null) {
      const paths = [...new Set(wanted.map(({ path }) => path))];
      return {
        found,
        unfollowed: paths.map((path) => `who calls what ${path} gives could not be looked for`),
      };
    }
    const renamed: NarrowedFunction[] = [];
    for (const path of callers) {
      if (own.has(path) || seen.has(path)) continue;
      seen.add(path);
      const facts = await head.factsOf(path);
      if (!facts?.source) continue;
      found.push(...(await fromOther(path, facts, narrowed, trees)));
      renamed.push(...(await renamedBy(path, facts, wanted, trees.head)));
    }
    wanted = renamed;
  }
  return { found, unfollowed: [] };
}

async function fromOther(
  path: string,
  facts: FileFacts,
  narrowed: readonly NarrowedFunction[],
  { now, head }: Trees,
): Promise<WrongCall[]> {
  const found: WrongCall[] = [];
  for (const [at, text] of (facts.source?.calls ?? []).entries()) {
    const call = callOf(text);
    const was = await reached(path, facts, call, head);
    const callee = was ? await reached(path, facts, call, now) : await byAlias(call, narrowed, now);
    if (!callee || fits(callee.takes, call.gives)) continue;
    if (was && !fits(was.takes, call.gives)) continue;
    const wrong = wrongBy(path, facts, at, call, callee);
    found.push(was ? wrong : { ...wrong, isCertain: false });
  }
  return found;
}

/** `@/lib/auth` may be `src/lib/auth.ts`: what a build means by it is not known here, so it is no more than a doubt. */
async function byAlias(
  { specifier, name }: ImportedCall,
  narrowed: readonly NarrowedFunction[],
  tree: GroupTree,
): Promise<ReachedFunction | null> {
  const tail = specifier.replace(/^(?:[@~#]?\/|[@~#]|src\/)/, "").replace(/\.[mc]?[jt]sx?$/, "");
  if (specifier.startsWith(".") || tail === "") return null;
  const meant = narrowed.find(
    (one) =>
      one.name === name &&
      `/${one.path}`.replace(/(?:\/index)?(?:\.d)?\.[mc]?[jt]sx?$/, "").endsWith(`/${tail}`),
  );
  const source = meant && (await tree.factsOf(meant.path))?.source;
  const takes = source && takesIn(source).get(name);
  return meant && takes ? { path: meant.path, name, takes, isTyped: true } : null;
}

/** Files that give what is wanted on under another name. */
async function renamedBy(
  path: string,
  facts: FileFacts,
  wanted: readonly NarrowedFunction[],
  tree: GroupTree,
): Promise<NarrowedFunction[]> {
  const found: NarrowedFunction[] = [];
  for (const entry of facts.source?.handsOn ?? []) {
    const [name = "", specifier = "", imported = ""] = entry.split(" ");
    for (const one of name === imported && imported !== "default" ? [] : wanted) {
      const rest = one.name.slice(baseOf(one.name).length);
      const through = imported === "*" ? `${one.name}` : `${imported}${rest}`;
      const callee = await reached(path, facts, { specifier, name: through }, tree);
      if (callee?.path === one.path && callee.name === one.name) found.push({ path, name: `${name}${rest}` });
    }
  }
  return found;
}

const baseOf = (name: string): string => /^[^.#]*/.exec(name)?.[0] ?? "";

/** By the name it is given by; a default has none, so by the name of its file. Null: they could not be looked for. */
async function callersOf(
  wanted: readonly NarrowedFunction[],
  head: HeadSources,
): Promise<readonly string[] | null> {
  const names = new Set(wanted.map(({ name }) => baseOf(name)));
  const isNamed = names.delete("default") ? names.size > 0 : true;
  const files = new Set(wanted.flatMap(({ path, name }) => (baseOf(name) === "default" ? [path] : [])));
  const searches: (readonly string[] | null)[] = await Promise.all([
    ...(isNamed ? [head.mentioning([...names], CHECKED_ENDINGS)] : []),
    ...[...files].map((path) => referrersOf(path, head)),
  ]);
  const all = new Set<string>();
  for (const found of searches) {
    if (found === null) return null;
    for (const path of found) if (CHECKED_LANGUAGES.has(languageOf(path))) all.add(path);
  }
  return all.size > MAX_CALLERS ? null : [...all];
}
