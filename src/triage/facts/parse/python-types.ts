/**
 * Members of the classes of a Python file, where all that a class has is written down in it, in the words of type-members.ts: its methods
 * and fields, what its functions set, and what anything in the file sets of any value. A class is open where something may give it more:
 * a base from elsewhere, a decorator that is not known, `__getattr__`, `setattr` in each of its forms, `vars`, a statement in its body that is no
 * definition.
 */
import type { Node } from "web-tree-sitter";
import { isNode } from "./grammar-facts.ts";
import { closedType, embeddingType, memberOf } from "./type-members.ts";

/** A class whose members are made in a way that cannot be read off. */
export const OPEN_CLASS =
  /\b__getattr(?:ibute)?__\b|\bsetattr\s*\(|\b__setattr__\b|\bvars\s*\(|\b__dict__\b|\b__slots__\b/;
/** Of a file whose classes may be added to from outside of them, or whose values may be of another class than is called. */
const OPEN_FILE = /\bsetattr\s*\(|\b__setattr__\b|\bvars\s*\(|\b__new__\b|\b__dict__\b|\bglobals\s*\(/;
export const PLAIN_BASES = /^(?:object|ABC|abc\.ABC|(?:typing\.)?Generic\[.*\])$/s;
const PLAIN_DECORATORS =
  /^@\s*(?:(?:dataclasses\.)?dataclass|(?:functools\.)?total_ordering|(?:typing\.)?final)\b/;
/** Members of one file; a generated one has more. */
const MAX_MEMBERS = 3000;

export interface PythonTypes {
  take(node: Node): void;
  finish(): string[];
}

export function pythonTypes(root: Node): PythonTypes {
  const set = new Set<string>();
  return {
    take(node) {
      const target =
        node.childForFieldName("left") ?? (node.type === "as_pattern_target" ? node.namedChild(0) : null);
      for (const name of membersSet(target)) set.add(name);
    },
    finish() {
      if (OPEN_FILE.test(root.text)) return [];
      const classes = root.namedChildren.filter(isNode).flatMap((node) => classIn(node) ?? []);
      const names = classes.map(({ name }) => name);
      const given = classes.flatMap(({ name, bases, members }) => {
        const isOnly = names.filter((one) => one === name).length === 1;
        if (!isOnly || !bases.every((base) => names.includes(base))) return [];
        return [
          closedType(name),
          ...bases.map((base) => embeddingType(name, base)),
          ...[...members, ...set].map((member) => memberOf(name, member)),
        ];
      });
      return given.length > MAX_MEMBERS ? [] : [...new Set(given)].sort();
    },
  };
}

interface ClosedClass {
  readonly name: string;
  readonly bases: readonly string[];
  readonly members: readonly string[];
}

/** Null: no class of the top level, or one that may have more than is written down. */
function classIn(statement: Node): ClosedClass | null {
  const isDecorated = statement.type === "decorated_definition";
  const node = isDecorated ? statement.childForFieldName("definition") : statement;
  if (node?.type !== "class_definition") return null;
  const decorators = isDecorated ? statement.namedChildren.filter((one) => one?.type === "decorator") : [];
  const bases = (node.childForFieldName("superclasses")?.namedChildren ?? [])
    .filter(isNode)
    .filter(({ type, text }) => type !== "comment" && !PLAIN_BASES.test(text));
  const isPlain =
    bases.every(({ type }) => type === "identifier") &&
    decorators.every((one) => PLAIN_DECORATORS.test(one?.text ?? "")) &&
    !OPEN_CLASS.test(node.text);
  const members = membersIn(node);
  if (!isPlain || members === null) return null;
  const name = node.childForFieldName("name")?.text ?? "";
  return { name, bases: bases.map(({ text }) => text), members };
}

/** Null: something in its body is no definition. */
function membersIn(node: Node): string[] | null {
  const found: string[] = [];
  for (const statement of node.childForFieldName("body")?.namedChildren.filter(isNode) ?? []) {
    const inner =
      statement.type === "decorated_definition" ? statement.childForFieldName("definition") : statement;
    const of = inner?.type === "expression_statement" ? inner.namedChild(0) : inner;
    switch (of?.type) {
      case "comment":
      case "pass_statement":
      case "string":
      case "ellipsis":
        break;
      case "function_definition":
      case "class_definition":
        found.push(of.childForFieldName("name")?.text ?? "");
        break;
      case "assignment": {
        const left = of.childForFieldName("left");
        found.push(
          ...(left?.type === "identifier" ? [left] : (left?.descendantsOfType("identifier") ?? [])).flatMap(
            (one) => one?.text ?? [],
          ),
        );
        // `a = b = 1`
        for (const more of of.descendantsOfType("assignment"))
          found.push(more?.childForFieldName("left")?.text ?? "");
        break;
      }
      default:
        return null;
    }
  }
  return found;
}

/** `self.a`, also within what is taken apart: `self.a, self.b = pair`. */
function membersSet(target: Node | null): string[] {
  if (!target) return [];
  if (target.type === "attribute")
    return (target.childForFieldName("attribute")?.text ?? "")
      ? [target.childForFieldName("attribute")?.text ?? ""]
      : [];
  return /^(?:pattern_list|tuple_pattern|list_pattern|list_splat_pattern|tuple|list|expression_list)$/.test(
    target.type,
  )
    ? target.namedChildren.flatMap(membersSet)
    : [];
}
