/** What a function of another file takes, as a caller reaches it in a tree: through the module it names and those that hand it on. */
import type { FunctionTakes } from "../../facts/known/arguments.ts";
import type { FileFacts, SourceFacts } from "../../facts/known/file-facts.ts";
import { goFolder } from "./go-target.ts";
import { javaFile } from "./java-target.ts";
import { pythonTargets } from "./resolve.ts";
import { followRust } from "./rust-target.ts";
import { scriptTarget } from "./script-target.ts";
import type { GroupTree } from "./tree.ts";

export interface ReachedFunction {
  /** The file that declares it. */
  readonly path: string;
  readonly name: string;
  readonly takes: FunctionTakes;
  readonly isTyped: boolean;
}

/** `specifier name gives` of a caller's facts, taken apart. */
export interface ImportedCall {
  readonly specifier: string;
  readonly name: string;
  readonly gives: string;
}

export function callOf(text: string): ImportedCall {
  const [specifier = "", name = "", gives = ""] = text.split(" ");
  return { specifier, name, gives };
}

/** Modules that hand on what others handed on; a longer chain is not followed. */
const MAX_HANDED = 10;

/** Null: outside, not there, or not to be told. */
export async function reached(
  from: string,
  facts: FileFacts,
  { specifier, name }: Pick<ImportedCall, "specifier" | "name">,
  tree: GroupTree,
  depth = 0,
): Promise<ReachedFunction | null> {
  if (depth > MAX_HANDED) return null;
  if (facts.language === "go") return reachedGo(from, specifier, name, tree);
  if (facts.language === "rust") return reachedRust(from, specifier, name, tree, depth);
  if (facts.language === "java") return reachedJava(from, specifier, name, tree);
  if (facts.language === "python") return reachedPython(from, specifier, name, tree, depth);
  const target = await scriptTarget(from, specifier, tree);
  // What is only guessed is no callee: wrong-calls.ts has its own doubts about those.
  return target.kind === "file" && !target.isGuess ? inScript(target.path, name, tree, depth) : null;
}

async function inScript(
  path: string,
  name: string,
  tree: GroupTree,
  depth: number,
): Promise<ReachedFunction | null> {
  const facts = await tree.factsOf(path);
  const source = facts?.source;
  if (!facts || !source) return null;
  // The default of a module without the syntax is the module itself.
  const names =
    source.isModule || !name.startsWith("default.") ? [name] : [name, name.slice("default.".length)];
  for (const one of names) {
    const takes = takesIn(source).get(one);
    if (takes !== undefined) return { path, name: one, takes, isTyped: facts.language === "typescript" };
    const handed = handedTo(one, source);
    if (handed) return reached(path, facts, handed, tree, depth + 1);
  }
  if (name === "default" || name.startsWith("default.")) return null;
  for (const specifier of source.stars) {
    const found = await reached(path, facts, { specifier, name }, tree, depth + 1);
    if (found) return found;
  }
  return null;
}

/** `a.b` of what hands `a` on as all of another is `b` of that; of what hands a class on, its member. */
function handedTo(name: string, { handsOn }: SourceFacts): Pick<ImportedCall, "specifier" | "name"> | null {
  const base = /^[^.#]*/.exec(name)?.[0] ?? "";
  const rest = name.slice(base.length);
  const entry = handsOn.find((one) => one.startsWith(`${base} `));
  if (entry === undefined) return null;
  const [, specifier = "", imported = ""] = entry.split(" ");
  if (imported !== "*") return { specifier, name: `${imported}${rest}` };
  return rest.startsWith(".") ? { specifier, name: rest.slice(1) } : null;
}

async function reachedGo(
  from: string,
  specifier: string,
  name: string,
  tree: GroupTree,
): Promise<ReachedFunction | null> {
  const folder = await goFolder(from, specifier, tree);
  // Of a name that several files declare (by the system they are built for) nobody knows which is meant.
  const found: ReachedFunction[] = [];
  for (const path of folder === null ? [] : tree.filesIn(folder)) {
    const source = path.endsWith(".go") ? (await tree.factsOf(path))?.source : null;
    const takes = source ? takesIn(source).get(name) : undefined;
    if (takes !== undefined) found.push({ path, name, takes, isTyped: true });
  }
  return found.length === 1 ? (found[0] ?? null) : null;
}

async function reachedRust(
  from: string,
  specifier: string,
  name: string,
  tree: GroupTree,
  depth: number,
): Promise<ReachedFunction | null> {
  // Another crate of the workspace may be built against as it was published.
  if (specifier.startsWith("::")) return null;
  const followed = await followRust(from, { specifier, names: [name] }, tree);
  for (const path of followed.kind === "found" ? followed.paths : []) {
    const source = (await tree.factsOf(path))?.source;
    const takes = source ? takesIn(source).get(name) : undefined;
    if (takes !== undefined) return { path, name, takes, isTyped: true };
  }
  for (const path of followed.kind === "found" ? followed.paths : []) {
    const facts = await tree.factsOf(path);
    const handed = facts?.source ? handedTo(name, facts.source) : null;
    const found = facts && handed ? await reached(path, facts, handed, tree, depth + 1) : null;
    if (found) return found;
  }
  return null;
}

async function reachedJava(
  from: string,
  specifier: string,
  name: string,
  tree: GroupTree,
): Promise<ReachedFunction | null> {
  const path = await javaFile(from, specifier, name.replace(/#.*$/, ""), tree);
  const source = path === null ? null : (await tree.factsOf(path))?.source;
  const takes = source ? takesIn(source).get(name) : undefined;
  return path !== null && takes !== undefined ? { path, name, takes, isTyped: true } : null;
}

async function reachedPython(
  from: string,
  specifier: string,
  name: string,
  tree: GroupTree,
  depth: number,
): Promise<ReachedFunction | null> {
  const [base = "", ...rest] = name.split(".");
  const inner = rest.join(".");
  for (const { candidates, folder } of pythonTargets(from, specifier)) {
    // `from a import b` and `b.f()`: `b` may be a module.
    const modules = inner === "" ? [] : [`${folder}/${base}.py`, `${folder}/${base}/__init__.py`];
    const module = modules.map((at) => at.replace(/^\//, "")).find((at) => tree.has(at));
    if (module !== undefined) return inPython(module, inner, tree, depth);
    const path = candidates.find((candidate) => tree.has(candidate));
    if (path !== undefined) return inPython(path, name, tree, depth);
  }
  return null;
}

async function inPython(
  path: string,
  name: string,
  tree: GroupTree,
  depth: number,
): Promise<ReachedFunction | null> {
  const facts = await tree.factsOf(path);
  if (!facts?.source) return null;
  const takes = takesIn(facts.source).get(name);
  if (takes !== undefined) return { path, name, takes, isTyped: true };
  const handed = handedTo(name, facts.source);
  return handed ? reached(path, facts, handed, tree, depth + 1) : null;
}

const known = new WeakMap<SourceFacts, ReadonlyMap<string, FunctionTakes>>();

/** What functions that a file gives take, by name. */
export function takesIn(source: SourceFacts): ReadonlyMap<string, FunctionTakes> {
  let found = known.get(source);
  if (!found) {
    found = new Map(
      source.takes.map((one): [string, FunctionTakes] => {
        const at = one.indexOf(" ");
        return [one.slice(0, at), one.slice(at + 1)];
      }),
    );
    known.set(source, found);
  }
  return found;
}
