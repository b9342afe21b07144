/**
 * Names that a Python file uses and that nothing in it binds. Where anything could bring them (`from a import *`, `exec`, `globals()`)
 * nothing is said; nor where the file is ready for one that is missing (`except NameError`).
 */
import type { Node } from "web-tree-sitter";
import { isNode } from "./grammar-facts.ts";
import { isBuiltin } from "./python-builtins.ts";
import {
  broughtNames,
  holdingScope,
  isBound,
  moduleScope,
  type NameScope,
  newScope,
  parametersOf,
  takenApart,
} from "./python-scopes.ts";

interface Visit {
  readonly node: Node;
  readonly scope: NameScope;
  readonly isTried: boolean;
}

interface NameUse {
  readonly name: string;
  readonly scope: NameScope;
  readonly line: number;
}

interface NameFindings {
  readonly uses: NameUse[];
  /** Anything may be bound. */
  isOpen: boolean;
}

export interface UndefinedName {
  readonly name: string;
  /** Where it is used first. */
  readonly line: number;
}

const OPENING = /^(?:exec|execfile|globals)$/;
const COMPREHENSION =
  /^(?:list_comprehension|set_comprehension|dictionary_comprehension|generator_expression)$/;

export function undefinedNamesIn(root: Node): UndefinedName[] {
  const found: NameFindings = { uses: [], isOpen: false };
  const stack: Visit[] = [{ node: root, scope: newScope("module", null), isTried: false }];
  for (let visit = stack.pop(); visit && !found.isOpen; visit = stack.pop()) takeNode(visit, stack, found);
  if (found.isOpen) return [];
  const lines = new Map<string, number>();
  for (const { name, scope, line } of found.uses)
    if (!isBuiltin(name) && !isBound(name, scope)) lines.set(name, Math.min(lines.get(name) ?? line, line));
  return [...lines].map(([name, line]) => ({ name, line })).sort((a, b) => (a.name < b.name ? -1 : 1));
}

function takeNode(visit: Visit, stack: Visit[], found: NameFindings): void {
  const { node, scope, isTried } = visit;
  const later = (nodes: Iterable<Node | null>, at: Partial<Visit> = {}): void => {
    for (const one of nodes) if (one) stack.push({ scope, isTried, ...at, node: one });
  };
  const bind = (names: readonly string[], to = holdingScope(scope)): void => {
    for (const name of names) to.bound.add(name);
  };
  const field = (name: string): Node | null => node.childForFieldName(name);
  const children = (): Node[] => node.namedChildren.filter(isNode);
  const take = (target: Node | null, to?: NameScope): void => {
    const { names, used } = takenApart(target);
    bind(names, to);
    later(used);
  };
  /** All but what is bound by it. */
  const laterWithout = (bound: Node | null): void => later(children().filter(({ id }) => id !== bound?.id));
  switch (node.type) {
    case "identifier":
      if (!isTried) found.uses.push({ name: node.text, scope, line: node.startPosition.row + 1 });
      return;
    case "comment":
    case "future_import_statement":
      return;
    case "exec_statement":
      found.isOpen = true;
      return;
    case "import_statement":
    case "import_from_statement":
      found.isOpen ||= children().some(({ type }) => type === "wildcard_import");
      bind(broughtNames(node));
      return;
    case "function_definition":
    case "lambda": {
      const inner = newScope("function", scope);
      const { names, outside } = parametersOf(field("parameters"));
      bind(names, inner);
      bind([...takenApart(field("name")).names, ...takenApart(field("type_parameters")).names]);
      later([...outside, field("return_type")]);
      later([field("body")], { scope: inner });
      return;
    }
    case "class_definition":
      bind([...takenApart(field("name")).names, ...takenApart(field("type_parameters")).names]);
      later([field("superclasses")]);
      later([field("body")], { scope: newScope("class", scope) });
      return;
    case "for_in_clause":
      take(field("left"), scope);
      laterWithout(field("left"));
      return;
    case "assignment":
    case "augmented_assignment":
    case "for_statement":
    case "type_alias_statement": {
      const left = field("left") ?? node.namedChild(0);
      take(left);
      laterWithout(left);
      return;
    }
    case "named_expression":
      take(field("name"));
      later([field("value")]);
      return;
    case "as_pattern_target":
    case "case_pattern":
    case "delete_statement":
    case "nonlocal_statement":
      take(node);
      return;
    case "global_statement":
      take(node, moduleScope(scope));
      return;
    case "except_clause": {
      // `except E, e` of Python 2.
      const [, second] = children().filter(({ type }) => type !== "block" && type !== "comment");
      take(second ?? null);
      laterWithout(second ?? null);
      return;
    }
    case "keyword_argument":
      later([field("value")]);
      return;
    case "attribute":
    case "member_type":
    case "dotted_name":
      later([node.namedChild(0)]);
      return;
    case "call":
      found.isOpen ||= OPENING.test(field("function")?.text ?? "");
      later(children());
      return;
    case "try_statement":
      later([field("body")], { isTried: isTried || isReadyForNone(node) });
      laterWithout(field("body"));
      return;
    default:
      later(children(), COMPREHENSION.test(node.type) ? { scope: newScope("comprehension", scope) } : {});
  }
}

/** It catches what a name that is not there throws. */
const isReadyForNone = (node: Node): boolean =>
  node.namedChildren.some(
    (one) => one?.type === "except_clause" && /^except\b[^:]*\bNameError\b/.test(one.text),
  );
