/**
 * What a Python file reads of values whose class is plain: a variable of a function that is never anything but what one class was called
 * for (`response = httpcore.Response(200)`, then `response.text`). Where something else may have given it the member nothing is said: it
 * is handed to another's function, the file sets such a member of anything, names it in a text, or is ready for an `AttributeError`.
 */
import type { Node } from "web-tree-sitter";
import { OF_VALUES, type Reference } from "../known/file-facts.ts";
import { isNode } from "./grammar-facts.ts";
import { isBuiltin } from "./python-builtins.ts";
import { takenApart } from "./python-scopes.ts";
import { memberOf, membersWantedOf } from "./type-members.ts";

/** Of one file; a generated one has more. */
const MAX_READS = 1000;

/** What a name of the file stands for: a module, or something of one. */
interface Brought {
  readonly specifier: string;
  /** Null: the module itself. */
  readonly name: string | null;
}

interface VariableUse {
  /** Whatever it is given, null: something that no call of a class gives. */
  readonly made: (string | null)[];
  readonly reads: Map<string, number>;
  isGivenAway: boolean;
}

export function membersOfValues(root: Node): Reference[] {
  const text = root.text;
  if (/\bAttributeError\b/.test(text)) return [];
  const brought = broughtIn(root);
  const own = new Set(
    root.namedChildren
      .filter(isNode)
      .map((node) => (node.type === "decorated_definition" ? node.childForFieldName("definition") : node))
      .flatMap((node) =>
        node?.type === "class_definition" ? (node.childForFieldName("name")?.text ?? "") : [],
      ),
  );
  const elsewhere = new Set(
    [...text.matchAll(/\.\s*([A-Za-z_]\w*)\s*(?::[^=\n]*)?=(?!=)|["']([A-Za-z_]\w*)["']/g)].map(
      ([, set, named]) => set ?? named ?? "",
    ),
  );
  const found = new Map<string, Map<string, number>>();
  let count = 0;
  for (const scope of [root, ...root.descendantsOfType("function_definition").filter(isNode)])
    for (const { made, reads, isGivenAway } of variablesOf(scope).values()) {
      const [callee, ...others] = made;
      if (!callee || others.some((one) => one !== callee) || isGivenAway) continue;
      const type = typeOf(callee, brought, own);
      if (type === null) continue;
      for (const [member, line] of reads) {
        if (count >= MAX_READS || /^__\w+__$/.test(member) || elsewhere.has(member)) continue;
        count++;
        const members = found.get(type.specifier) ?? new Map<string, number>();
        const name = memberOf(type.name, member);
        members.set(name, Math.min(members.get(name) ?? line, line));
        found.set(type.specifier, members);
      }
    }
  return membersWantedOf(found);
}

/** `m.C` of a module that was imported whole, `C` of one, or a class of the file. */
function typeOf(
  callee: string,
  brought: ReadonlyMap<string, Brought | null>,
  own: ReadonlySet<string>,
): { readonly specifier: string; readonly name: string } | null {
  const at = callee.lastIndexOf(".");
  const name = callee.slice(at + 1);
  if (at === -1) {
    const from = brought.get(callee);
    if (from) return from.name === null ? null : { specifier: from.specifier, name: from.name };
    return own.has(callee) && !brought.has(callee) ? { specifier: OF_VALUES, name } : null;
  }
  const from = brought.get(callee.slice(0, at));
  if (!from) return null;
  const { specifier } = from;
  if (from.name === null) return { specifier, name };
  return {
    specifier: specifier.endsWith(".") ? `${specifier}${from.name}` : `${specifier}.${from.name}`,
    name,
  };
}

/** By their names here; null: several. */
function broughtIn(root: Node): Map<string, Brought | null> {
  const found = new Map<string, Brought | null>();
  for (const node of root.descendantsOfType(["import_statement", "import_from_statement"]).filter(isNode)) {
    const from = node.childForFieldName("module_name")?.text.replace(/\s+/g, "");
    for (const one of node.childrenForFieldName("name")) {
      const alias = one?.type === "aliased_import" ? one.childForFieldName("alias")?.text : undefined;
      const name = (one?.type === "aliased_import" ? one.childForFieldName("name") : one)?.text;
      if (name === undefined) continue;
      const is: Brought = from === undefined ? { specifier: name, name: null } : { specifier: from, name };
      const known = found.get(alias ?? name);
      const isOther = known !== undefined && (known?.specifier !== is.specifier || known.name !== is.name);
      found.set(alias ?? name, isOther ? null : is);
    }
  }
  return found;
}

/** Of one function, or of the top level: what functions inside of it do with its variables makes them nobody's. */
function variablesOf(scope: Node): Map<string, VariableUse> {
  const found = new Map<string, VariableUse>();
  const of = (name: string): VariableUse => {
    const known = found.get(name) ?? { made: [], reads: new Map(), isGivenAway: false };
    found.set(name, known);
    return known;
  };
  for (const name of scope.childForFieldName("parameters")?.descendantsOfType("identifier") ?? [])
    of(name?.text ?? "").made.push(null);
  const stack: Node[] = (scope.childForFieldName("body") ?? scope).namedChildren.filter(isNode);
  for (let node = stack.pop(); node; node = stack.pop()) {
    if (isInner(node)) {
      for (const name of node.descendantsOfType("identifier")) of(name?.text ?? "").isGivenAway = true;
      continue;
    }
    takeNode(node, of);
    stack.push(...node.namedChildren.filter(isNode));
  }
  return found;
}

/** Inside of these a name may be another's, or is used at another time. */
const isInner = ({ type }: Node): boolean =>
  /^(?:function_definition|class_definition|lambda|global_statement|nonlocal_statement|delete_statement|case_clause|import_statement|import_from_statement)$/.test(
    type,
  );

function takeNode(node: Node, of: (name: string) => VariableUse): void {
  switch (node.type) {
    case "assignment": {
      const left = node.childForFieldName("left");
      const right = node.childForFieldName("right");
      if (left?.type === "identifier") of(left.text).made.push(calledIn(right));
      else for (const name of takenApart(left).names) of(name).made.push(null);
      if (right?.type === "identifier") of(right.text).isGivenAway = true;
      return;
    }
    case "augmented_assignment":
    case "for_statement":
    case "for_in_clause":
    case "named_expression":
      for (const name of takenApart(node.childForFieldName("left") ?? node.childForFieldName("name")).names)
        of(name).made.push(null);
      return;
    case "as_pattern_target":
      for (const name of takenApart(node.namedChild(0)).names) of(name).made.push(null);
      return;
    case "call":
      takeGiven(node, of);
      return;
    case "attribute": {
      const object = node.childForFieldName("object");
      const member = node.childForFieldName("attribute")?.text ?? "";
      if (object?.type !== "identifier" || member === "") return;
      const { reads } = of(object.text);
      const line = node.startPosition.row + 1;
      reads.set(member, Math.min(reads.get(member) ?? line, line));
      return;
    }
    default:
  }
}

/** What is called, dotted or not; null: the value is no call of a plain name. */
const calledIn = (value: Node | null): string | null => {
  const callee = value?.type === "call" ? value.childForFieldName("function")?.text : undefined;
  return callee !== undefined && /^[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*$/.test(callee) ? callee : null;
};

/** What is handed to a function may be given members there; Python's own give none. */
function takeGiven(call: Node, of: (name: string) => VariableUse): void {
  const callee = call.childForFieldName("function");
  if (callee?.type === "identifier" && isBuiltin(callee.text) && callee.text !== "setattr") return;
  for (const one of call.childForFieldName("arguments")?.descendantsOfType("identifier") ?? []) {
    const isRead = one?.parent?.type === "attribute" && one.parent.childForFieldName("object")?.id === one.id;
    if (one && !isRead) of(one.text).isGivenAway = true;
  }
}
