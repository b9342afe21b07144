/**
 * What a call in a script calls: something it imports, or a function of its own. By name where that is declared once, else by scope,
 * and then only what the top level declares; never a name that is set anew. A member only of what is certainly of a class, a module or
 * an object of the file.
 */
import type { BoundName, CallGives } from "../known/arguments.ts";
import { packageOf } from "../manifests/manifest-kinds.ts";
import type { ScriptNames } from "./script-names.ts";
import { type Node, nameOf, nodeAt } from "./script-node.ts";
import type { MeansTop } from "./script-scopes.ts";
import { type AskedNames, type Parts, partsOf } from "./script-takes.ts";

/** Classes and interfaces that names are said to be of, once for each time that it is said. */
export type Instances = Map<string, string[]>;

export interface ScriptCall {
  /** `f` of `f()` and of `f.a()`; `this`, `super`; null: a module that is required on the spot. */
  readonly root: string | null;
  readonly member: string | null;
  /** Of a module that is required on the spot. */
  readonly specifier: string | null;
  readonly gives: CallGives;
  readonly at: number;
}

export interface ArgumentsSeen {
  readonly calls: ScriptCall[];
  readonly bound: Map<string, BoundName>;
  /** What is declared anywhere, with how many declarations that are. */
  readonly values: Map<string, { readonly parts: Parts; readonly count: number }[]>;
  /** `F.a = function`, `F.prototype.a = function`. */
  readonly added: Map<string, Node[]>;
  readonly instances: Instances;
  readonly classes: Node[];
  /** Functions with a `this` of their own that is no class's. */
  readonly plain: Node[];
  readonly assigned: Set<string>;
  /** Null: types say what is needed. */
  readonly asked: AskedNames | null;
}

export type ScriptCallee =
  | { readonly kind: "imported"; readonly specifier: string; readonly name: string }
  | {
      readonly kind: "own" /** One for each function that is meant. */;
      readonly id: string;
      readonly name: string;
      readonly functions: readonly Node[];
    };

export interface Callees {
  of(call: ScriptCall): ScriptCallee | null;
}

/** What the top level binds and declares, and whether a call means that: asked only for names that are declared more than once. */
export interface Top {
  readonly bound: ReadonlyMap<string, BoundName>;
  readonly values: ReadonlyMap<string, Parts>;
  readonly isMeant: MeansTop;
}

export function createCallees(seen: ArgumentsSeen, { declared }: ScriptNames, top: Top): Callees {
  const isOnce = (name: string, count = 1): boolean => declared.get(name) === count;

  const boundTo = (name: string): BoundName | null => {
    const bound = seen.bound.get(name);
    return bound && isOnce(name) && !seen.assigned.has(name) ? bound : null;
  };

  const ownPart = (root: string, suffix: string): ScriptCallee | null => {
    const values = seen.values.get(root) ?? [];
    const count = values.reduce((sum, one) => sum + one.count, 0);
    if (!isOnce(root, count) || seen.assigned.has(root)) return null;
    const parts = values.flatMap(({ parts }) => parts.flatMap(([at, fn]) => (at === suffix ? [fn] : [])));
    return own(`${root}${suffix}`, [...parts, ...(seen.added.get(`${root}${suffix}`) ?? [])]);
  };

  const ofInstance = (root: string, member: string): ScriptCallee | null => {
    const classes = seen.instances.get(root) ?? [];
    const [first] = classes;
    const isField = root.startsWith("this.");
    if (!first || !(isField || isOnce(root, classes.length)) || seen.assigned.has(root)) return null;
    if (classes.some((one) => one !== first)) return null;
    const bound = boundTo(first);
    if (bound) return bound.name === "*" ? null : imported(bound.specifier, `${bound.name}#${member}`);
    return ownPart(first, `#${member}`);
  };

  const ofTop = (root: string, member: string | null): ScriptCallee | null => {
    const bound = top.bound.get(root);
    if (bound) return ofBound(bound, member);
    const suffix = member === null ? "" : `.${member}`;
    const parts = top.values.get(root) ?? [];
    return own(
      `${root}${suffix}`,
      parts.flatMap(([at, fn]) => (at === suffix ? [fn] : [])),
    );
  };

  const ofName = (root: string, member: string | null, at: number): ScriptCallee | null => {
    const bound = boundTo(root);
    if (bound) return ofBound(bound, member);
    const isTop = top.bound.has(root) || top.values.has(root);
    if (isTop && !isOnce(root) && !seen.assigned.has(root) && top.isMeant(root, at))
      return ofTop(root, member);
    if (seen.bound.has(root)) return null;
    if (member !== null && seen.instances.has(root)) return ofInstance(root, member);
    return ownPart(root, member === null ? "" : `.${member}`);
  };

  const partsIn = new Map<Node, Parts>();
  const ofThis = ({ root, member, at }: ScriptCall): ScriptCallee | null => {
    const holder = innermost(seen.classes, at);
    if (!holder) return null;
    if (root === "super") {
      const base = nameOf(nodeAt(holder, "superClass"));
      return base === null ? null : ofName(base, null, at);
    }
    // A function of its own has another `this`.
    if (seen.plain.some((fn) => fn.start > holder.start && fn.start <= at && at < fn.end)) return null;
    const parts = partsIn.get(holder) ?? partsOf(holder);
    partsIn.set(holder, parts);
    const functions = parts.flatMap(([suffix, fn]) => (suffix === `#${member}` ? [fn] : []));
    return own(`this.${member}`, functions, holder.start);
  };

  return {
    of: (call) => {
      const { root, member, specifier } = call;
      if (specifier !== null) return imported(specifier, member ?? "default");
      if (root === "this" || root === "super") return ofThis(call);
      if (root?.startsWith("this.")) return member === null ? null : ofInstance(root, member);
      return root === null ? null : ofName(root, member, call.at);
    },
  };
}

const ofBound = ({ specifier, name }: BoundName, member: string | null): ScriptCallee | null => {
  if (name === "*") return imported(specifier, member ?? "default");
  return imported(specifier, member === null ? name : `${name}.${member}`);
};

const own = (name: string, functions: readonly Node[], at = 0): ScriptCallee | null =>
  functions.length === 0 ? null : { kind: "own", id: `${at} ${name}`, name, functions };

/** Of a package nothing is known; a path that a build means by another name may be ours. */
function imported(specifier: string, name: string): ScriptCallee | null {
  const isOurs = specifier.startsWith(".") || specifier.startsWith("src/");
  const isAlias = packageOf(specifier) === null && /^(?:[@~]\/|#)/.test(specifier);
  return isOurs || isAlias ? { kind: "imported", specifier, name } : null;
}

function innermost(classes: readonly Node[], at: number): Node | null {
  let found: Node | null = null;
  for (const one of classes)
    if (one.start <= at && at < one.end && (found === null || one.start > found.start)) found = one;
  return found;
}
