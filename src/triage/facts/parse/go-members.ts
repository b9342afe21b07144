/**
 * Members of types in Go, where a type is plainly known: what a file's types have, and what its functions read of values of such a type
 * (the receiver, parameters, variables with a type or a literal). A name that two things of one function share is nobody's.
 */
import type { Node } from "web-tree-sitter";
import type { Reference } from "../known/file-facts.ts";
import { GO_OWN, type GoImport, OWN_PACKAGE } from "./go-imports.ts";
import { isNode } from "./grammar-facts.ts";
import type { SourceSpan } from "./parsed.ts";
import { closedType, embeddingType, memberOf, membersWantedOf, openType } from "./type-members.ts";

/** What the types of the file have, in the words of type-members.ts. */
export function goMembersGiven(root: Node): string[] {
  return root.namedChildren.filter(isNode).flatMap((node) => {
    if (node.type === "method_declaration") {
      const of = typeName(receiverType(node));
      return of === null ? [] : [memberOf(of, node.childForFieldName("name")?.text ?? "")];
    }
    if (node.type === "function_declaration") return resultsOf(node);
    return node.type === "type_declaration" ? node.namedChildren.filter(isNode).flatMap(givenByType) : [];
  });
}

/** What a function gives, as a type that has all that the type of its result has. */
const resultType = (name: string, at: number): string => `${name}()${at}`;

function resultsOf(node: Node): string[] {
  const [name, result] = [node.childForFieldName("name")?.text, node.childForFieldName("result")];
  if (name === undefined || !result || node.childForFieldName("type_parameters")) return [];
  const types =
    result.type === "parameter_list"
      ? result.namedChildren.flatMap((one) => {
          const count = Math.max(1, one?.childrenForFieldName("name").length ?? 1);
          return Array.from({ length: count }, () => one?.childForFieldName("type") ?? null);
        })
      : [result];
  return types.flatMap((type, at) => {
    const of = packageOfType(type) === null ? typeName(type) : null;
    if (of === null || GO_OWN.has(of)) return [];
    return [closedType(resultType(name, at)), embeddingType(resultType(name, at), of)];
  });
}

function givenByType(spec: Node): string[] {
  const [name, type] = [spec.childForFieldName("name")?.text, spec.childForFieldName("type")];
  if (name === undefined || !type) return [];
  if (spec.type !== "type_spec") return [openType(name)];
  switch (type.type) {
    case "struct_type":
      return [
        closedType(name),
        ...type.descendantsOfType("field_declaration").filter(isNode).flatMap(fieldOf),
      ];
    case "interface_type":
      return [closedType(name), ...type.namedChildren.filter(isNode).flatMap(asked)];
    case "type_identifier":
      return [closedType(name), ...(GO_OWN.has(type.text) ? [] : [embeddingType(name, type.text)])];
    case "qualified_type":
    case "generic_type":
      return [openType(name)];
    default:
      return [closedType(name)];
  }

  /** Without a name it is embedded: what it has, the type has. */
  function fieldOf(field: Node): string[] {
    // Of a struct inside of this one.
    if (field.parent?.parent?.id !== type?.id) return [];
    const names = field.childrenForFieldName("name").filter(isNode);
    if (names.length > 0) return names.map((one) => memberOf(name ?? "", one.text));
    return embedded(field.childForFieldName("type"));
  }

  function asked(part: Node): string[] {
    if (part.type === "method_elem")
      return [memberOf(name ?? "", part.childForFieldName("name")?.text ?? "")];
    return part.type === "type_elem" && part.namedChildCount === 1
      ? embedded(part.namedChild(0))
      : [openType(name ?? "")];
  }

  function embedded(of: Node | null): string[] {
    // `error` has a method; of what is from elsewhere nobody here knows what it has.
    if (of?.type !== "type_identifier" || GO_OWN.has(of.text))
      return [memberOf(name ?? "", typeName(of) ?? ""), openType(name ?? "")];
    return [memberOf(name ?? "", of.text), embeddingType(name ?? "", of.text)];
  }
}

const receiverType = (method: Node): Node | null =>
  method.childForFieldName("receiver")?.namedChild(0)?.childForFieldName("type") ?? null;

/** The name of a type, without what points to it and what it is of. */
function typeName(type: Node | null): string | null {
  switch (type?.type) {
    case "type_identifier":
      return type.text;
    case "pointer_type":
    case "parenthesized_type":
      return typeName(type.namedChild(0));
    case "generic_type":
      return typeName(type.childForFieldName("type"));
    case "qualified_type":
      return type.childForFieldName("name")?.text ?? null;
    default:
      return null;
  }
}

/** The package in front of a type's name; null: its own. */
function packageOfType(type: Node | null): string | null {
  switch (type?.type) {
    case "qualified_type":
      return type.childForFieldName("package")?.text ?? null;
    case "pointer_type":
    case "parenthesized_type":
      return packageOfType(type.namedChild(0));
    case "generic_type":
      return packageOfType(type.childForFieldName("type"));
    default:
      return null;
  }
}

interface PlainType {
  /** As a reference names its package. */
  readonly specifier: string;
  readonly name: string;
}

/** What the file's functions read of values of plainly known types. */
export function goMembersRead(root: Node, imports: readonly GoImport[]): Reference[] {
  const found = new Map<string, Map<string, number>>();
  const inner = innerTypes(root);
  const packageNamed = (local: string): string | undefined =>
    imports.find((one) => one.local === local)?.path;
  const plainType = (type: Node | null): PlainType | null => {
    const name = typeName(type);
    if (name === null || inner.has(name) || GO_OWN.has(name)) return null;
    const local = packageOfType(type);
    if (local === null) return { specifier: OWN_PACKAGE, name };
    const path = packageNamed(local);
    return path === undefined ? null : { specifier: path, name };
  };
  for (const node of root.namedChildren)
    if (node && /^(?:function|method)_declaration$/.test(node.type))
      readIn(node, { ofType: plainType, ofCall: (call, at) => calledType(call, at, packageNamed) }, found);
  return membersWantedOf(found);
}

/** The type of what a call of a function of a package gives. */
function calledType(
  call: Node,
  at: number,
  packageNamed: (local: string) => string | undefined,
): PlainType | null {
  const callee = call.childForFieldName("function");
  if (callee?.type === "identifier")
    return GO_OWN.has(callee.text) ? null : { specifier: OWN_PACKAGE, name: resultType(callee.text, at) };
  const operand = callee?.type === "selector_expression" ? callee.childForFieldName("operand") : null;
  const path = operand?.type === "identifier" ? packageNamed(operand.text) : undefined;
  const name = callee?.childForFieldName("field")?.text;
  return path === undefined || name === undefined ? null : { specifier: path, name: resultType(name, at) };
}

interface PlainTypes {
  readonly ofType: (type: Node | null) => PlainType | null;
  readonly ofCall: (call: Node, at: number) => PlainType | null;
}

/** Types that are declared inside of functions, and parameters of types: they hide those of the package. */
function innerTypes(root: Node): ReadonlySet<string> {
  const specs = root
    .descendantsOfType(["type_spec", "type_alias", "type_parameter_declaration"])
    .filter(isNode);
  const isInner = ({ type, parent }: Node): boolean =>
    type === "type_parameter_declaration" || parent?.parent?.type !== "source_file";
  return new Set(
    specs.filter(isInner).flatMap((spec) => spec.childrenForFieldName("name").map((one) => one?.text ?? "")),
  );
}

/** A name of a function: its type, and where in the text it is in force. */
interface TypedName {
  /** Null: not to be told, or several. */
  type: PlainType | null;
  readonly spans: SourceSpan[];
}

function readIn(declaration: Node, types: PlainTypes, found: Map<string, Map<string, number>>): void {
  const bound = new Map<string, TypedName>();
  const bind: Bind = (name, type, span) => {
    if (name === undefined || name === "_") return;
    const known = bound.get(name);
    if (!known) bound.set(name, { type, spans: [span] });
    else {
      const isSame = known.type?.specifier === type?.specifier && known.type?.name === type?.name;
      if (!isSame) known.type = null;
      known.spans.push(span);
    }
  };
  for (const node of declaration.descendantsOfType([...BINDERS])) if (node) bindIn(node, types, bind);
  for (const node of declaration.descendantsOfType("selector_expression")) {
    const operand = node?.childForFieldName("operand");
    const name = operand?.type === "identifier" ? bound.get(operand.text) : undefined;
    if (!node || !name?.type || !name.spans.some((span) => isWithin(node, span))) continue;
    const of = found.get(name.type.specifier) ?? new Map<string, number>();
    const member = memberOf(name.type.name, node.childForFieldName("field")?.text ?? "");
    if (!of.has(member)) of.set(member, node.startPosition.row + 1);
    found.set(name.type.specifier, of);
  }
}

type Bind = (name: string | undefined, type: PlainType | null, span: SourceSpan) => void;

const isWithin = (node: Node, { start, end }: SourceSpan): boolean =>
  node.startIndex >= start && node.endIndex <= end;

const BINDERS = [
  "parameter_declaration",
  "variadic_parameter_declaration",
  "var_spec",
  "const_spec",
  "short_var_declaration",
  "range_clause",
  "receive_statement",
  "type_switch_statement",
] as const;

function bindIn(node: Node, types: PlainTypes, bind: Bind): void {
  const span = spanOf(node);
  if (span === null) return;
  if (node.type === "parameter_declaration" || node.type === "var_spec") {
    const type = types.ofType(node.childForFieldName("type"));
    for (const name of node.childrenForFieldName("name")) bind(name?.text, type, span);
  } else if (node.type === "variadic_parameter_declaration" || node.type === "const_spec")
    for (const name of node.childrenForFieldName("name")) bind(name?.text, null, span);
  else {
    const left = (node.childForFieldName("left") ?? node.childForFieldName("alias"))?.namedChildren ?? [];
    const right =
      node.type === "short_var_declaration" ? (node.childForFieldName("right")?.namedChildren ?? []) : [];
    const [only] = right;
    const call = right.length === 1 && only?.type === "call_expression" ? only : null;
    for (const [at, name] of left.entries()) {
      const isOne = left.length === right.length;
      const literal = isOne ? types.ofType(literalType(right[at] ?? null)) : null;
      bind(name?.text, call ? types.ofCall(call, at) : literal, span);
    }
  }
}

const SCOPE =
  /^(?:block|if_statement|for_statement|expression_switch_statement|type_switch_statement|select_statement|expression_case|type_case|default_case|communication_case)$/;

/** Parameters hold in all of their function, others in what is left of their block. Null: a type of functions, which binds nothing. */
function spanOf(node: Node): SourceSpan | null {
  if (/parameter_declaration$/.test(node.type)) {
    const owner = node.parent?.parent;
    if (!owner || !/^(?:function_declaration|method_declaration|func_literal)$/.test(owner.type)) return null;
    return { start: owner.startIndex, end: owner.endIndex };
  }
  let scope = node.parent;
  while (scope && !SCOPE.test(scope.type)) scope = scope.parent;
  return scope && { start: node.endIndex, end: scope.endIndex };
}

/** `T{}` and `&T{}`. */
function literalType(value: Node | null): Node | null {
  const isPointer = value?.type === "unary_expression" && value.text.startsWith("&");
  const literal = isPointer ? value.childForFieldName("operand") : value;
  return literal?.type === "composite_literal" ? literal.childForFieldName("type") : null;
}
