/**
 * How many arguments Go functions take and their calls give: of functions alone, as what a method is called on is not known. A call that
 * passes another call's results on may give any number.
 */
import type { Node } from "web-tree-sitter";
import type { SourceFacts } from "../known/file-facts.ts";
import { type GoImport, OWN_PACKAGE } from "./go-imports.ts";

type GoArguments = Pick<SourceFacts, "takes" | "calls" | "callLines">;

/** Kept of one file; more is generated. */
const MAX_CALLS = 2000;

export function createGoCalls(imports: readonly GoImport[]) {
  const takes = new Map<string, string>();
  const calls = new Map<string, number>();
  /** Bound inside of functions: a call of such a name may be of a value. */
  const bound = new Set<string>();
  const byName = new Map(imports.map(({ local, path }) => [local, path]));

  const take = (node: Node): void => {
    if (node.type === "function_declaration") takeDeclared(node, takes);
    else if (node.type === "call_expression") takeCall(node);
    else if (/^(?:short_var_declaration|range_clause|receive_statement)$/.test(node.type))
      for (const name of node.childForFieldName("left")?.namedChildren ?? []) bound.add(name?.text ?? "");
    else if (/^(?:parameter_declaration|variadic_parameter_declaration|var_spec|type_spec)$/.test(node.type))
      for (const name of node.childrenForFieldName("name")) bound.add(name?.text ?? "");
  };

  function takeCall(node: Node): void {
    const callee = node.childForFieldName("function");
    const gives = givenBy(node.childForFieldName("arguments"));
    if (!callee || gives === null || calls.size >= MAX_CALLS) return;
    const [specifier, name] = calleeOf(callee);
    const key = `${specifier} ${name} ${gives}`;
    if (name !== "" && !calls.has(key)) calls.set(key, node.startPosition.row + 1);
  }

  function calleeOf(callee: Node): [string, string] {
    if (callee.type === "identifier") return [OWN_PACKAGE, callee.text];
    const operand = callee.type === "selector_expression" ? callee.childForFieldName("operand") : null;
    const path = operand?.type === "identifier" ? byName.get(operand.text) : undefined;
    return path === undefined ? ["", ""] : [path, callee.childForFieldName("field")?.text ?? ""];
  }

  const isMeant = (key: string): boolean => {
    const [specifier = "", name = ""] = key.split(" ");
    return !bound.has(specifier === OWN_PACKAGE ? name : localOf(specifier));
  };
  const localOf = (path: string): string => imports.find((one) => one.path === path)?.local ?? "";

  return {
    take,
    finish(given: ReadonlySet<string>): GoArguments {
      const told = [...calls].filter(([key]) => isMeant(key));
      return {
        takes: [...takes].filter(([name]) => given.has(name)).map(([name, range]) => `${name} ${range}`),
        calls: told.map(([key]) => key),
        callLines: told.map(([, line]) => line),
      };
    },
  };
}

function takeDeclared(node: Node, takes: Map<string, string>): void {
  const name = node.childForFieldName("name")?.text ?? "";
  const list = node.childForFieldName("parameters")?.namedChildren ?? [];
  let count = 0;
  let isOpen = false;
  for (const parameter of list) {
    if (parameter?.type === "variadic_parameter_declaration") isOpen = true;
    else if (parameter?.type === "parameter_declaration")
      count += Math.max(1, parameter.childrenForFieldName("name").length);
  }
  takes.set(name, `${count}-${isOpen ? "" : count}`);
}

/** Null: not to be told. */
function givenBy(list: Node | null): string | null {
  const given = (list?.namedChildren ?? []).filter((one) => one !== null && one.type !== "comment") as Node[];
  if (given.length === 1 && given[0]?.type === "call_expression") return null;
  // `f(xs...)`: all that is left of what it takes.
  const isSpread = /\.\.\.\s*,?\s*\)$/.test(list?.text ?? "");
  return isSpread ? `${Math.max(0, given.length - 1)}+` : `${given.length}`;
}
