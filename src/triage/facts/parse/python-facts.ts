/** What is known of a Python file: imports, the names of its top level, stubs. By name, as for scripts. */
import type { Node } from "web-tree-sitter";
import type { Reference, SourceFacts } from "../known/file-facts.ts";
import { bySize, takeSize } from "../known/file-facts.ts";
import { pythonArguments } from "./python-arguments.ts";
import { pythonCalled } from "./python-called.ts";
import { membersOfModules } from "./python-members.ts";
import { undefinedNamesIn } from "./python-names.ts";
import { pythonTypes } from "./python-types.ts";
import { membersOfValues } from "./python-values.ts";

/** Statements of the top level that are told from one another; of more, the last. */
const MAX_STATEMENTS = 300;
const MAX_LISTED = 50;
const MAX_SHOWN_CHARS = 80;

interface PythonFindings {
  readonly references: Reference[];
  readonly declared: Set<string>;
  readonly used: Set<string>;
  readonly stubs: string[];
  readonly bodies: Map<string, number>;
  isDynamic: boolean;
}

export function pythonFacts(root: Node): SourceFacts {
  const found: PythonFindings = {
    references: [],
    declared: new Set(),
    used: new Set(),
    stubs: [],
    bodies: new Map(),
    isDynamic: false,
  };
  const stack: { node: Node; isOptional: boolean }[] = [{ node: root, isOptional: false }];
  for (let todo = stack.pop(); todo; todo = stack.pop()) {
    const { node, isOptional } = todo;
    if (node.type === "identifier") found.used.add(node.text);
    takeNode(node, { isOptional }, found);
    // Names of imports, keyword arguments and attributes are no uses of a name of this file.
    const inner = usedChildren(node);
    const isTry = isOptional || node.type === "try_statement" || node.type === "if_statement";
    for (const child of inner) stack.push({ node: child, isOptional: isTry });
  }
  const top = root.namedChildren.filter((child) => child !== null && child.type !== "comment") as Node[];
  const given = topNames(root);
  const stars = found.references.filter(({ names }) => names.includes("*")).map(({ specifier }) => specifier);
  const last = top.at(-1);
  const args = pythonArguments();
  const called = pythonCalled();
  const types = pythonTypes(root);
  const ofModules = membersOfModules(root, (node, again) => {
    args.take(node, again);
    called.take(node);
    types.take(node);
  });
  const undefinedNames = undefinedNamesIn(root).slice(0, MAX_LISTED);
  return {
    ...args.finish(),
    references: [...found.references.reverse(), ...ofModules, ...membersOfValues(root)],
    exports: [...given].sort(),
    members: types.finish(),
    stars,
    isModule: true,
    areExportsKnown: !found.isDynamic && !given.has("__getattr__"),
    words: [],
    calledInside: [],
    called: called.finish(),
    undefinedNames: undefinedNames.map(({ name }) => name),
    undefinedLines: undefinedNames.map(({ line }) => line),
    unusedNames: unusedImports(root, found),
    stubs: found.stubs.slice(0, MAX_LISTED),
    functions: found.bodies.size,
    hollow: found.stubs.length,
    hollowTaking: 0,
    bodies: bySize(found.bodies),
    lastStatement: last ? signatureOf(last) : "",
    endLines: last ? last.endPosition.row - last.startPosition.row + 1 : 0,
    isEndClosed: last ? isMainGuard(last) : true,
    isEndMost: false,
    isEndBare: false,
    statements: top.slice(-MAX_STATEMENTS).map(signatureOf),
    isEndUsed: false,
    isEndLoose: false,
    isEndStopped: false,
    isEndMarked: false,
    hasEndComment: false,
  };
}

function usedChildren(node: Node): Node[] {
  const children = node.namedChildren.filter((child) => child !== null) as Node[];
  switch (node.type) {
    case "import_statement":
    case "import_from_statement":
    case "future_import_statement":
      return [];
    case "attribute":
      return children.slice(0, 1);
    case "keyword_argument":
      return children.slice(1);
    case "function_definition":
    case "class_definition": {
      const name = node.childForFieldName("name");
      return children.filter((child) => child.id !== name?.id);
    }
    default:
      return children;
  }
}

function takeNode(node: Node, { isOptional }: { readonly isOptional: boolean }, found: PythonFindings): void {
  if (node.type === "import_statement") takeImport(node, { isOptional }, found);
  else if (node.type === "import_from_statement") takeFrom(node, { isOptional }, found);
  else if (node.type === "function_definition") takeFunction(node, found);
  else if (
    node.type === "call" &&
    /^(?:globals|setattr|exec)$/.test(node.childForFieldName("function")?.text ?? "")
  )
    found.isDynamic ||= !isOfValue(node);
}

/** `setattr(row, "a", 1)` in a function sets something of what it was given; a module is reached by `sys.modules` or an import. */
function isOfValue(call: Node): boolean {
  if (call.childForFieldName("function")?.text !== "setattr") return false;
  const [target] = call.childForFieldName("arguments")?.namedChildren ?? [];
  const name = target?.type === "identifier" ? target.text : null;
  for (let at = call.parent; at !== null && name !== null; at = at.parent)
    if (at.type === "function_definition")
      return new RegExp(`[(,*]\\s*${name}\\s*[,:=)]`).test(at.childForFieldName("parameters")?.text ?? "");
  return name === "self";
}

const lineOf = (node: Node): number => node.startPosition.row + 1;

function takeImport(
  node: Node,
  { isOptional }: { readonly isOptional: boolean },
  found: PythonFindings,
): void {
  for (const name of node.childrenForFieldName("name")) {
    if (!name) continue;
    const isAliased = name.type === "aliased_import";
    const specifier = (isAliased ? name.childForFieldName("name") : name)?.text ?? "";
    found.references.push({ specifier, names: [], isType: false, isOptional, line: lineOf(node) });
  }
}

function takeFrom(node: Node, { isOptional }: { readonly isOptional: boolean }, found: PythonFindings): void {
  const specifier = node.childForFieldName("module_name")?.text.replace(/\s+/g, "") ?? "";
  const names = node.childrenForFieldName("name").flatMap((name) => {
    if (!name) return [];
    return (name.type === "aliased_import" ? name.childForFieldName("name") : name)?.text ?? [];
  });
  const isStar = node.namedChildren.some((child) => child?.type === "wildcard_import");
  found.references.push({
    specifier,
    names: isStar ? ["*"] : names,
    isType: false,
    isOptional,
    line: lineOf(node),
  });
}

function takeFunction(node: Node, found: PythonFindings): void {
  const name = node.childForFieldName("name")?.text ?? "";
  const body = node.childForFieldName("body");
  if (!body) return;
  const statements = body.namedChildren.filter((child) => child && child.type !== "comment") as Node[];
  const real = statements.filter(
    (one) => !(one.type === "expression_statement" && one.namedChild(0)?.type === "string"),
  );
  takeSize(found.bodies, name, body.endIndex - body.startIndex);
  const only = real.length === 1 ? real[0] : null;
  const isDecorated = node.parent?.type === "decorated_definition";
  if (isDecorated || !only) return;
  const isHollow =
    only.type === "pass_statement" || /^(?:\.\.\.|raise NotImplementedError\b.*)$/s.test(only.text);
  if (isHollow) found.stubs.push(`line ${lineOf(node)}: ${name} does nothing yet`);
}

/** Names a module gives: whatever its top level binds, also in if, try, for and with. */
function topNames(root: Node): Set<string> {
  const names = new Set<string>();
  const stack: Node[] = [root];
  for (let node = stack.pop(); node; node = stack.pop()) {
    if (node.type === "function_definition" || node.type === "class_definition") {
      names.add(node.childForFieldName("name")?.text ?? "");
      continue;
    }
    if (node.type === "import_statement" || node.type === "import_from_statement") {
      for (const name of importedNames(node)) names.add(name);
      continue;
    }
    if (node.type === "assignment" || node.type === "augmented_assignment" || node.type === "for_statement")
      for (const name of boundNames(node.childForFieldName("left"))) names.add(name);
    if (node.type === "as_pattern_target" || node.type === "named_expression")
      for (const name of boundNames(node.namedChild(0))) names.add(name);
    if (node.type === "type_alias_statement")
      for (const name of boundNames(node.namedChild(0))) names.add(name);
    for (const child of node.namedChildren) if (child) stack.push(child);
  }
  names.delete("");
  return names;
}

function importedNames(node: Node): string[] {
  return node.childrenForFieldName("name").flatMap((name) => {
    if (!name) return [];
    if (name.type === "aliased_import") return name.childForFieldName("alias")?.text ?? [];
    return name.text.split(".")[0] ?? [];
  });
}

function boundNames(target: Node | null): string[] {
  if (!target) return [];
  if (target.type === "identifier") return [target.text];
  if (/^(?:pattern_list|tuple_pattern|list_pattern|list_splat_pattern|type)$/.test(target.type))
    return target.namedChildren.flatMap(boundNames);
  return [];
}

function unusedImports(root: Node, { used }: PythonFindings): string[] {
  const isPackage = root.namedChildren.some((child) => child?.text.startsWith("__all__"));
  if (isPackage) return [];
  const own = root.namedChildren.flatMap((child) =>
    child?.type === "import_statement" || child?.type === "import_from_statement" ? importedNames(child) : [],
  );
  return [...new Set(own)]
    .filter((name) => !used.has(name))
    .sort()
    .slice(0, MAX_LISTED);
}

const isMainGuard = (node: Node): boolean =>
  node.type === "if_statement" && /^if\s+__name__\s*==/.test(node.text);

function signatureOf(node: Node): string {
  const inner = node.type === "decorated_definition" ? (node.childForFieldName("definition") ?? node) : node;
  const name = inner.childForFieldName("name")?.text;
  if (name !== undefined) return `${inner.type} ${name}`;
  const first = inner.text.split("\n")[0] ?? "";
  const left = first.split(/=|\(/)[0] ?? first;
  return `${inner.type} ${left.trim()}`.slice(0, MAX_SHOWN_CHARS);
}
