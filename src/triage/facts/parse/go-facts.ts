/**
 * What is known of a Go file: what it imports and which names of it, which names it takes from its own package, what its top level gives,
 * how many arguments its functions take and its calls give. By name and not by scope: a name that anything in the file declares counts
 * as its own, so it errs towards saying nothing.
 */
import type { Node } from "web-tree-sitter";
import { bySize, type Reference, type SourceFacts, takeSize } from "../known/file-facts.ts";
import { createGoCalls } from "./go-calls.ts";
import { GO_OWN, goImports, isNamedBy, OWN_PACKAGE } from "./go-imports.ts";
import { goMembersGiven, goMembersRead } from "./go-members.ts";
import { templateKeys, templateReads } from "./go-templates.ts";
import {
  childrenWithout,
  isNode,
  MAX_STATEMENTS,
  MAX_STUBS,
  membersWanted,
  PACKAGE_CLAUSE,
  UNTOLD,
} from "./grammar-facts.ts";

interface GoFindings {
  /** Declared anywhere in the file: locals, parameters, types, labels. */
  readonly declared: Set<string>;
  /** Plain names that are used, with the first line. */
  readonly used: Map<string, number>;
  /** What is read of a plain name: `pkg.Name`, of a package or of a value. */
  readonly selected: Map<string, Set<string>>;
  /** Methods and fields that are called or read of anything but a package. */
  readonly members: Set<string>;
  /** Fields, methods and what interfaces ask for, of this file: `#name` can be read of a value, `=name` is a method that is there. */
  readonly has: Set<string>;
  /** Methods that interfaces of this file ask for. */
  readonly asks: Set<string>;
  readonly bodies: Map<string, number>;
  readonly stubs: string[];
}

export function goFacts(root: Node): SourceFacts {
  const found: GoFindings = {
    declared: new Set(),
    used: new Map(),
    selected: new Map(),
    members: new Set(),
    has: new Set(),
    asks: new Set(),
    bodies: new Map(),
    stubs: [],
  };
  const imports = goImports(root);
  const calls = createGoCalls(imports);
  const stack: Node[] = root.namedChildren.filter(isNode).filter(({ type }) => type !== "import_declaration");
  for (let node = stack.pop(); node; node = stack.pop()) {
    takeNode(node, found);
    calls.take(node);
    stack.push(...usedChildren(node));
  }
  const top = root.namedChildren.filter(isNode).filter(({ type }) => type !== "comment");
  const last = top.at(-1);
  const given = topNames(root);
  return {
    ...UNTOLD,
    ...calls.finish(given),
    references: [
      ...referencesOf(root, imports, found, given),
      ...membersWanted({ ...found, read: membersRead(found) }),
      ...goMembersRead(root, imports),
      ...templateReads(root),
    ],
    exports: [
      ...new Set([
        ...packageOf(root),
        ...given,
        ...found.has,
        ...goMembersGiven(root),
        ...templateKeys(root),
      ]),
    ].sort(),
    areExportsKnown: true,
    called: membersRead(found).filter((name) => !found.has.has(`#${name}`)),
    undefinedNames: [],
    unusedNames: [...unusedImports(imports, found), ...unusedLocals(root)].sort().slice(0, MAX_STUBS),
    stubs: found.stubs.slice(0, MAX_STUBS),
    functions: found.bodies.size,
    hollow: found.stubs.length,
    bodies: bySize(found.bodies),
    lastStatement: last ? signatureOf(last) : "",
    endLines: last ? last.endPosition.row - last.startPosition.row + 1 : 0,
    statements: top.slice(-MAX_STATEMENTS).map(signatureOf),
    hasEndComment: root.lastNamedChild?.type === "comment",
  };
}

const goLine = (node: Node): number => node.startPosition.row + 1;

/** Names that stand in front of what they are names for are no uses: declared ones, fields, keys of literals, labels. */
function usedChildren(node: Node): Node[] {
  const children = node.namedChildren.filter(isNode);
  switch (node.type) {
    case "selector_expression":
      return [node.childForFieldName("operand")].filter(isNode).filter(({ type }) => type !== "identifier");
    case "qualified_type":
      return [];
    case "function_declaration":
    case "method_declaration":
    case "type_spec":
    case "type_alias":
    case "parameter_declaration":
    case "variadic_parameter_declaration":
    case "type_parameter_declaration":
    case "field_declaration":
    case "method_elem":
    case "var_spec":
    case "const_spec":
      return childrenWithout(node, "name");
    case "keyed_element":
      return children.slice(1);
    default:
      return children;
  }
}

function takeNode(node: Node, found: GoFindings): void {
  switch (node.type) {
    case "identifier":
    case "type_identifier":
      if (!found.used.has(node.text)) found.used.set(node.text, goLine(node));
      return;
    case "selector_expression":
      takeSelected(node.childForFieldName("operand"), node.childForFieldName("field"), found);
      return;
    case "qualified_type":
      takeSelected(node.childForFieldName("package"), node.childForFieldName("name"), found);
      return;
    case "short_var_declaration":
    case "range_clause":
    case "receive_statement":
      declareAll(node.childForFieldName("left"), found);
      return;
    case "type_switch_statement":
      declareAll(node.childForFieldName("alias"), found);
      return;
    case "function_declaration":
    case "method_declaration":
      takeFunction(node, found);
      return;
    case "type_spec":
    case "type_alias":
    case "var_spec":
    case "const_spec":
    case "parameter_declaration":
    case "variadic_parameter_declaration":
    case "type_parameter_declaration":
      for (const name of node.childrenForFieldName("name")) if (name) found.declared.add(name.text);
      return;
    case "field_declaration":
      for (const name of node.childrenForFieldName("name")) if (name) found.has.add(`#${name.text}`);
      return;
    case "method_elem":
      found.has.add(`#${node.childForFieldName("name")?.text ?? ""}`);
      found.asks.add(node.childForFieldName("name")?.text ?? "");
      return;
    case "labeled_statement":
      found.declared.add(node.childForFieldName("label")?.text ?? "");
      return;
    default:
      return;
  }
}

function takeSelected(operand: Node | null, field: Node | null, found: GoFindings): void {
  if (!operand || !field) return;
  const isPlain = operand.type === "identifier" || operand.type === "package_identifier";
  if (!isPlain) {
    found.members.add(field.text);
    return;
  }
  const of = found.selected.get(operand.text) ?? new Set();
  of.add(field.text);
  found.selected.set(operand.text, of);
}

function declareAll(list: Node | null, { declared }: GoFindings): void {
  for (const name of list?.namedChildren ?? []) if (name?.type === "identifier") declared.add(name.text);
}

function takeFunction(node: Node, found: GoFindings): void {
  const name = node.childForFieldName("name")?.text ?? "";
  if (node.type === "function_declaration") found.declared.add(name);
  else for (const mark of ["#", "="]) found.has.add(`${mark}${name}`);
  const body = node.childForFieldName("body");
  if (!body) return;
  takeSize(found.bodies, name, body.endIndex - body.startIndex);
  if (/^\{\s*panic\("(?:not implemented|todo|unimplemented)[^"]*"\)\s*\}$/i.test(body.text))
    found.stubs.push(`line ${goLine(node)}: ${name} does nothing yet`);
}

/** What the file's package has by this file: also what only its own package may take. */
function topNames(root: Node): Set<string> {
  const names = new Set<string>();
  const stack = root.namedChildren.filter(isNode);
  for (let node = stack.pop(); node; node = stack.pop()) {
    if (node.type === "function_declaration") names.add(node.childForFieldName("name")?.text ?? "");
    else if (/^(?:type_spec|type_alias|var_spec|const_spec)$/.test(node.type))
      for (const name of node.childrenForFieldName("name")) names.add(name?.text ?? "");
    else if (/_declaration$|_spec_list$/.test(node.type) && node.type !== "method_declaration")
      stack.push(...node.namedChildren.filter(isNode));
  }
  names.delete("");
  names.delete("_");
  names.delete("init");
  return names;
}

type GoImports = ReturnType<typeof goImports>;

/** The package that a file says it is of, among what it gives and wants: all files of a folder are of one, but tests from outside. */
function packageOf(root: Node): string[] {
  const name = root.namedChildren.find((one) => one?.type === "package_clause")?.namedChild(0)?.text ?? "";
  const isIgnored = /^\/\/\s*(?:go:build|\+build)\b/m.test(root.text.slice(0, root.text.indexOf("package ")));
  return name === "" || name.endsWith("_test") || isIgnored ? [] : [`${PACKAGE_CLAUSE}${name}`];
}

function referencesOf(
  root: Node,
  imports: GoImports,
  found: GoFindings,
  given: ReadonlySet<string>,
): Reference[] {
  const ofImports = imports.map(({ path, local, line }): Reference => {
    const names = found.declared.has(local) ? [] : [...(found.selected.get(local) ?? [])].sort();
    return { specifier: path, names, isType: false, isOptional: false, line };
  });
  const isOwn = (name: string): boolean =>
    !given.has(name) && !found.declared.has(name) && !GO_OWN.has(name) && name !== "_";
  // A package's name may be another than its path's last word: what an import may mean is not the own package's.
  const operands = [...found.selected.keys()].filter((name) => !imports.some((one) => isNamedBy(one, name)));
  const wanted = imports.some(({ local }) => local === ".")
    ? []
    : [...new Set([...found.used.keys(), ...operands])].filter(isOwn).sort();
  const line = Math.min(
    ...wanted.map((name) => found.used.get(name) ?? 1),
    wanted.length > 0 ? Number.MAX_SAFE_INTEGER : 1,
  );
  const names = [...packageOf(root), ...wanted];
  const own = { specifier: OWN_PACKAGE, names, isType: false, isOptional: false, line };
  return names.length > 0 ? [...ofImports, own] : ofImports;
}

/** What is called or read of values: of anything that is no plain name, and of names that the file declares. */
function membersRead({ members, selected, declared }: GoFindings): string[] {
  const ofValues = [...selected].flatMap(([operand, names]) => (declared.has(operand) ? [...names] : []));
  return [...new Set([...members, ...ofValues])].sort();
}

/** No compiler of Go takes an import that nothing names. */
function unusedImports(imports: GoImports, { selected }: GoFindings): string[] {
  return imports
    .filter((one) => !/^[_.C]$/.test(one.local) && ![...selected.keys()].some((name) => isNamedBy(one, name)))
    .map(({ local }) => local);
}

/** What a function declares and never names again: no compiler of Go takes that. */
function unusedLocals(root: Node): string[] {
  return root.namedChildren.flatMap((node) => {
    const body = node?.childForFieldName("body");
    if (!body || !/^(?:function|method)_declaration$/.test(node?.type ?? "")) return [];
    const counts = new Map<string, number>();
    for (const name of body.descendantsOfType("identifier"))
      counts.set(name?.text ?? "", (counts.get(name?.text ?? "") ?? 0) + 1);
    return body.descendantsOfType(["short_var_declaration", "var_spec"]).flatMap((one) => {
      const left =
        one?.type === "var_spec"
          ? one.childrenForFieldName("name")
          : one?.childForFieldName("left")?.namedChildren;
      return (left ?? []).flatMap((name) =>
        name && name.text !== "_" && counts.get(name.text) === 1 ? [name.text] : [],
      );
    });
  });
}

function signatureOf(node: Node): string {
  const name = node.childForFieldName("name")?.text;
  if (name === undefined) return `${node.type} ${node.namedChild(0)?.childForFieldName("name")?.text ?? ""}`;
  const receiver = node.childForFieldName("receiver")?.text.replace(/^\(\s*\w*\s*|\)$/g, "") ?? "";
  return `${node.type} ${receiver}${receiver === "" ? "" : "."}${name}`;
}
