/**
 * Members that a Python file calls, or reads, of values that are not plainly from elsewhere: `image.rotate()` of a parameter, `self.shop.open()`.
 * Whose they are nobody here can tell; unseen-calls.ts asks whether anything in the workspace has them. By name: what a variable is ever
 * made of counts, and where that is a builtin, nothing is said. What comes from a module is asked for together with it, `name specifier`:
 * only of modules of the workspace is anything known. Of `self` where its class takes nothing from other files.
 */
import type { Node } from "web-tree-sitter";
import { isNode } from "./grammar-facts.ts";
import { isBuiltin } from "./python-builtins.ts";
import { OPEN_CLASS, PLAIN_BASES } from "./python-types.ts";

interface MemberCall {
  readonly member: string;
  /** The names it is reached by, the longest first: `self.shop`, `self`. */
  readonly roots: readonly string[];
  readonly isOfSelf: boolean;
  readonly at: number;
}

interface OwnClass {
  readonly name: string;
  readonly start: number;
  readonly end: number;
  /** By their names; null: something that is no plain name. */
  readonly bases: readonly string[] | null;
}

export interface PythonCalled {
  take(node: Node): void;
  /** `name`, or `name specifier`. */
  finish(): string[];
}

/** Calls kept of one file; generated ones have more. */
const MAX_CALLS = 3000;
/** A value that is made of one that is made of another; a longer chain is not followed. */
const MAX_DEPTH = 8;

export function pythonCalled(): PythonCalled {
  const calls: MemberCall[] = [];
  const made = new Map<string, Set<string>>();
  const modules = new Map<string, string>();
  const classes: OwnClass[] = [];
  const madeOf = (name: string, of: readonly string[]): void => {
    const known = made.get(name) ?? new Set<string>();
    for (const one of of) known.add(one);
    made.set(name, known);
  };
  return {
    take(node) {
      switch (node.type) {
        case "call":
          if (calls.length < MAX_CALLS) calls.push(...callOf(node));
          return;
        case "attribute":
          if (calls.length < MAX_CALLS) calls.push(...readOf(node));
          return;
        case "import_statement":
        case "import_from_statement":
          for (const [name, specifier] of importsOf(node)) modules.set(name, specifier);
          return;
        case "class_definition":
          classes.push(classOf(node));
          return;
        case "assignment":
        case "for_statement":
        case "for_in_clause":
        case "named_expression":
        case "as_pattern": {
          const left = node.childForFieldName("left") ?? node.childForFieldName("name");
          const from = node.childForFieldName("right") ?? node.childForFieldName("value");
          const target = left ?? node.childForFieldName("alias");
          const value = from ?? (node.type === "as_pattern" ? node.namedChild(0) : null);
          const of = [value, node.childForFieldName("type")].flatMap((one) => (one ? namesIn(one) : []));
          for (const name of targetsOf(target)) madeOf(name, of);
          return;
        }
        case "typed_parameter":
        case "typed_default_parameter": {
          const type = node.childForFieldName("type");
          const name = (node.childForFieldName("name") ?? node.namedChild(0))?.text ?? "";
          if (type) madeOf(name, namesIn(type));
          return;
        }
        default:
      }
    },
    finish() {
      const found = new Set<string>();
      for (const { member, roots, isOfSelf, at } of calls) {
        if (isOfSelf && (made.has(`self.${member}`) || !isClosedAt(at, classes))) continue;
        const isPlain = isOfSelf || isPrivateOf(member, roots, modules);
        const from = isPlain ? [] : sourcesOf(roots, made, modules);
        if (from !== null) found.add([member, ...from].join(" "));
      }
      return [...found].sort();
    },
  };
}

/** `a.b.name(...)`: the member, and what it is reached by. */
function callOf(node: Node): MemberCall[] {
  const callee = node.childForFieldName("function");
  if (callee?.type !== "attribute") return [];
  const member = callee.childForFieldName("attribute")?.text ?? "";
  const object = callee.childForFieldName("object");
  const roots = object ? rootsOf(object) : [];
  if (roots.length === 0 || /^__\w+__$/.test(member)) return [];
  const isOfSelf = object?.type === "identifier" && /^(?:self|cls)$/.test(object.text);
  return [{ member, roots, isOfSelf, at: node.startIndex }];
}

/** `self.name`, which its class may be yet to get; a call of it is the call's. */
function readOf(node: Node): MemberCall[] {
  const object = node.childForFieldName("object");
  const member = node.childForFieldName("attribute")?.text ?? "";
  if (object?.text !== "self" || /^__\w+__$/.test(member)) return [];
  if (node.parent?.type === "call" && node.parent.childForFieldName("function")?.id === node.id) return [];
  return [{ member, roots: ["self"], isOfSelf: true, at: node.startIndex }];
}

/** The name that a chain of members and calls begins with, and before it the field of `self`. None: a literal. */
function rootsOf(node: Node): string[] {
  let [at, last] = [node, ""];
  for (;;) {
    const inner: Node | null =
      at.type === "attribute"
        ? at.childForFieldName("object")
        : at.type === "call"
          ? at.childForFieldName("function")
          : at.type === "subscript"
            ? at.childForFieldName("value")
            : at.type === "await" || at.type === "parenthesized_expression"
              ? at.namedChild(0)
              : null;
    if (inner === null) break;
    if (at.type === "attribute") last = at.childForFieldName("attribute")?.text ?? "";
    at = inner;
  }
  if (at.type !== "identifier") return [];
  return at.text === "self" && last !== "" ? [`self.${last}`, "self"] : [at.text];
}

const targetsOf = (target: Node | null): string[] => {
  if (!target) return [];
  if (target.type === "identifier") return [target.text];
  if (target.type === "attribute") return /^self\.\w+$/.test(target.text) ? [target.text] : [];
  if (target.type === "subscript") return [];
  return target.namedChildren.filter(isNode).flatMap(targetsOf);
};

/** Every name an expression is made of; a literal counts as a builtin. */
function namesIn(value: Node): string[] {
  const names: string[] = [];
  const stack = [value];
  for (let node = stack.pop(); node; node = stack.pop()) {
    if (/^(?:attribute|call|subscript|await)$/.test(node.type)) {
      names.push(...(rootsOf(node).slice(0, 1).length > 0 ? rootsOf(node).slice(0, 1) : ["str"]));
    } else if (node.type === "identifier") names.push(node.text);
    else if (/^(?:string|list|dictionary|set|tuple|integer|float|.*_comprehension)$/.test(node.type))
      names.push("str");
    else stack.push(...node.namedChildren.filter(isNode));
  }
  return names;
}

function importsOf(node: Node): (readonly [name: string, specifier: string])[] {
  const from = node.childForFieldName("module_name")?.text.replace(/\s+/g, "");
  return node.childrenForFieldName("name").flatMap((one) => {
    const name = (one?.type === "aliased_import" ? one.childForFieldName("name") : one)?.text;
    const alias = one?.type === "aliased_import" ? one.childForFieldName("alias")?.text : undefined;
    if (name === undefined) return [];
    return [[alias ?? (from === undefined ? (name.split(".")[0] ?? "") : name), from ?? name] as const];
  });
}

function classOf(node: Node): OwnClass {
  const bases = (node.childForFieldName("superclasses")?.namedChildren ?? [])
    .filter(isNode)
    .filter(({ type, text }) => type !== "comment" && !PLAIN_BASES.test(text));
  const isPlain = bases.every(({ type }) => type === "identifier") && !OPEN_CLASS.test(node.text);
  return {
    name: node.childForFieldName("name")?.text ?? "",
    start: node.startIndex,
    end: node.endIndex,
    bases: isPlain && node.parent?.type !== "decorated_definition" ? bases.map(({ text }) => text) : null,
  };
}

/** All that the class around it has is written in this file, and nothing says that it is only a part of others. */
function isClosedAt(at: number, classes: readonly OwnClass[]): boolean {
  const around = classes.filter(({ start, end }) => start <= at && at < end);
  const inner = around.sort((a, b) => b.start - a.start)[0];
  return inner !== undefined && isClosed(inner.name, classes, 0);
}

function isClosed(name: string, classes: readonly OwnClass[], depth: number): boolean {
  const found = classes.filter((one) => one.name === name);
  const [bases] = found.map((one) => one.bases);
  if (found.length !== 1 || !bases || depth > MAX_DEPTH || /Mixin|Base|Abstract/.test(name)) return false;
  return bases.every((base) => isClosed(base, classes, depth + 1));
}

/** Nobody calls what another's package keeps to itself: whatever a value came through, such a member is of the workspace. */
const isPrivateOf = (
  member: string,
  roots: readonly string[],
  modules: ReadonlyMap<string, string>,
): boolean => /^_[a-z]/.test(member) && !roots.some((root) => modules.has(root));

/** The modules a value may come from. Null: it is of Python itself, or nobody can tell that it is not. */
function sourcesOf(
  roots: readonly string[],
  made: ReadonlyMap<string, ReadonlySet<string>>,
  modules: ReadonlyMap<string, string>,
): string[] | null {
  const found = new Set<string>();
  const seen = new Set<string>();
  let todo = [roots.find((root) => made.has(root) || modules.has(root)) ?? roots.at(-1) ?? ""];
  for (let depth = 0; todo.length > 0; depth++) {
    if (depth > MAX_DEPTH) return null;
    const next: string[] = [];
    for (const name of todo) {
      if (seen.has(name)) continue;
      seen.add(name);
      const specifier = modules.get(name);
      const of = made.get(name);
      if (specifier !== undefined) found.add(specifier);
      else if (of) next.push(...of);
      else if (isBuiltin(name)) return null;
    }
    todo = next;
  }
  return [...found].sort();
}
