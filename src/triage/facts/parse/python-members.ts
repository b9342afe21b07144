/**
 * What a Python file reads of modules it imported whole: `import a.b as m` and `m.f()`, `from a import b` and `b.f()`. By
 * name: a name that is bound again anywhere in the file is not followed.
 */
import type { Node } from "web-tree-sitter";
import type { Reference } from "../known/file-facts.ts";

interface Module {
  readonly specifier: string;
  readonly line: number;
}

/** A name's members; more are data. */
const MAX_NAMES = 500;

/** `visit`: what else is looked for in the same walk. */
export function membersOfModules(
  root: Node,
  visit: (node: Node, boundAgain: readonly string[]) => void,
): Reference[] {
  const modules = new Map<string, Module | null>();
  const reads = new Map<string, Set<string>>();
  const stack: Node[] = [root];
  for (let node = stack.pop(); node; node = stack.pop()) {
    for (const [name, module] of modulesOf(node)) modules.set(name, modules.has(name) ? null : module);
    const again = boundAgain(node);
    for (const name of again) modules.set(name, null);
    visit(node, again);
    takeRead(node, reads);
    for (const child of node.namedChildren) if (child) stack.push(child);
  }
  return [...modules].flatMap(([name, module]): Reference[] => {
    const names = [...(reads.get(name) ?? [])].filter((member) => !/^__\w+__$/.test(member));
    if (!module || names.length === 0) return [];
    const { specifier, line } = module;
    return [
      {
        specifier,
        names: names.slice(0, MAX_NAMES).sort(),
        isOfModule: true,
        isType: false,
        isOptional: false,
        line,
      },
    ];
  });
}

/** The names by which a file knows a module, dotted where it has no other. */
function modulesOf(node: Node): (readonly [string, Module])[] {
  const line = node.startPosition.row + 1;
  const isFrom = node.type === "import_from_statement";
  if (!isFrom && node.type !== "import_statement") return [];
  const from = isFrom ? (node.childForFieldName("module_name")?.text.replace(/\s+/g, "") ?? "") : "";
  const prefix = from === "" || from.endsWith(".") ? from : `${from}.`;
  return node.childrenForFieldName("name").flatMap((one) => {
    const alias = one?.type === "aliased_import" ? one.childForFieldName("alias")?.text : undefined;
    const name = (one?.type === "aliased_import" ? one.childForFieldName("name") : one)?.text;
    if (name === undefined) return [];
    return [[alias ?? name, { specifier: `${prefix}${name}`, line }] as const];
  });
}

/** Names that mean something else in a part of the file: parameters, variables, functions, classes. */
function boundAgain(node: Node): string[] {
  switch (node.type) {
    case "parameters":
    case "lambda_parameters":
      return node.namedChildren.flatMap((one) => (one ? parameterNames(one) : []));
    case "pattern_list":
    case "tuple_pattern":
      return node.descendantsOfType("identifier").flatMap((one) => one?.text ?? []);
    case "assignment":
    case "augmented_assignment":
    case "for_statement":
    case "for_in_clause":
    case "named_expression":
      return leftOf(node);
    case "function_definition":
    case "class_definition":
    case "as_pattern_target":
    case "global_statement":
      return [node.childForFieldName("name")?.text ?? node.text];
    default:
      return [];
  }
}

/** Not what a parameter is said to be, nor its default. */
function parameterNames(parameter: Node): string[] {
  if (parameter.type === "identifier") return [parameter.text];
  const named = parameter.childForFieldName("name");
  if (named?.type === "identifier") return [named.text];
  const inner = parameter.type === "typed_parameter" ? parameter.namedChild(0) : parameter;
  return inner?.type === "identifier"
    ? [inner.text]
    : (inner?.descendantsOfType("identifier") ?? []).flatMap((one) => one?.text ?? []);
}

function leftOf(node: Node): string[] {
  const left = node.childForFieldName("left") ?? node.childForFieldName("name");
  return left?.type === "identifier" ? [left.text] : [];
}

/** `a.b.c` reads `c` of `a.b`, and `b` of `a`. Not what is set, or asked for by `hasattr`. */
function takeRead(node: Node, reads: Map<string, Set<string>>): void {
  if (node.type !== "attribute") return;
  const object = node.childForFieldName("object");
  const member = node.childForFieldName("attribute")?.text;
  const isSet = node.parent?.type === "assignment" && node.parent.childForFieldName("left")?.id === node.id;
  if (member === undefined || isSet || !object || !/^[\w.]+$/.test(object.text)) return;
  reads.set(object.text, (reads.get(object.text) ?? new Set()).add(member));
}
