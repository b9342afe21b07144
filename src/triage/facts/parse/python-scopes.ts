/**
 * What binds names in Python, and where: a function's parameters and variables are its own and those of functions inside of it, a class's
 * are seen by its own statements alone, a comprehension has its own. Nothing is asked of the order in which they run.
 */
import type { Node } from "web-tree-sitter";
import { isNode } from "./grammar-facts.ts";

export interface NameScope {
  readonly parent: NameScope | null;
  readonly kind: "module" | "function" | "class" | "comprehension";
  readonly bound: Set<string>;
}

export const newScope = (kind: NameScope["kind"], parent: NameScope | null): NameScope => ({
  parent,
  kind,
  bound: new Set(),
});

export function moduleScope(scope: NameScope): NameScope {
  let at = scope;
  while (at.parent) at = at.parent;
  return at;
}

/** `:=` binds outside of the comprehension it stands in. */
export function holdingScope(scope: NameScope): NameScope {
  let at = scope;
  while (at.kind === "comprehension" && at.parent) at = at.parent;
  return at;
}

export function isBound(name: string, scope: NameScope): boolean {
  let isSeen = true;
  for (let at: NameScope | null = scope; at; at = at.parent) {
    if (isSeen && at.bound.has(name)) return true;
    // From a function inside of it a class is not seen, from a comprehension it is.
    isSeen = at.parent?.kind !== "class" || at.kind === "comprehension";
  }
  return false;
}

/** The names that a target binds, and of it what is only used: `a[i]` and `a.b` bind nothing. */
export function takenApart(target: Node | null): { readonly names: string[]; readonly used: Node[] } {
  const names: string[] = [];
  const used: Node[] = [];
  const stack = target ? [target] : [];
  for (let node = stack.pop(); node; node = stack.pop()) {
    if (node.type === "identifier") names.push(node.text);
    else if (node.type === "attribute" || node.type === "subscript" || node.type === "call") used.push(node);
    else stack.push(...node.namedChildren.filter(isNode));
  }
  return { names, used };
}

/** Parameters: their names are the function's; what they are said to be, and their defaults, are told outside of it. */
export function parametersOf(list: Node | null): { readonly names: string[]; readonly outside: Node[] } {
  const names: string[] = [];
  const outside: Node[] = [];
  for (const one of list?.namedChildren.filter(isNode) ?? []) {
    const value = one.childForFieldName("value");
    const type = one.childForFieldName("type");
    outside.push(...[value, type].filter(isNode));
    const name = one.childForFieldName("name") ?? (type || value ? one.namedChild(0) : one);
    names.push(...takenApart(name).names);
  }
  return { names, outside };
}

/** `import a.b` brings `a`. */
export function broughtNames(node: Node): string[] {
  return node.childrenForFieldName("name").flatMap((name) => {
    if (!name) return [];
    if (name.type === "aliased_import") return name.childForFieldName("alias")?.text ?? [];
    return name.text.split(".")[0]?.trim() ?? [];
  });
}
