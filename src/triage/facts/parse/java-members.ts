/**
 * Members of types in Java: what the types of a file have, and what is read of values whose type is written down, of types by their names, and
 * without any owner (then the class or one around it has it). An annotation that may write code makes a type open (type-members.ts).
 */
import type { Node } from "web-tree-sitter";
import type { Reference } from "../known/file-facts.ts";
import { isNode } from "./grammar-facts.ts";
import { isTypeDeclaration, type JavaImport, javaTypeName, typeDeclarations } from "./java-types.ts";
import {
  closedType,
  embeddingType,
  givingType,
  memberOf,
  membersWantedOf,
  openType,
} from "./type-members.ts";

/** The specifier of members of types, which are found by the names of their files. */
export const OF_CLASSES = "class";

/** What every type has, every enum, and what the grammar reads like a member. */
const COMMON: ReadonlySet<string> = new Set(
  "equals hashCode toString getClass notify notifyAll wait clone finalize values valueOf ordinal name compareTo getDeclaringClass class this super length".split(
    " ",
  ),
);
/** Calls upon calls that are followed. */
const MAX_CHAINED = 6;
/** Annotations that write no code. */
const QUIET =
  /^(?:Override|Deprecated|SuppressWarnings|FunctionalInterface|SafeVarargs|Nullable|Nonnull|NotNull|Test|RunWith|Retention|Target|Documented|Inherited|Ignore|Disabled|[A-Z]\w*Test)$/;

const textOf = (node: Node | null | undefined): string => node?.text ?? "";
const nameOf = (node: Node): string => textOf(node.childForFieldName("name"));
export const bodyOf = (node: Node): Node[] => {
  const parts = (node.childForFieldName("body")?.namedChildren ?? []).filter(isNode);
  return parts.flatMap((one) =>
    one.type === "enum_body_declarations" ? one.namedChildren.filter(isNode) : [one],
  );
};

export function javaMembersGiven(root: Node): string[] {
  return typeDeclarations(root).flatMap((declaration) => {
    const name = nameOf(declaration);
    const outer = typeAround(declaration.parent);
    return [
      closedType(name),
      ...(annotationsOf(declaration).every((one) => QUIET.test(one)) ? [] : [openType(name)]),
      ...bodyOf(declaration)
        .flatMap(memberNames)
        .map((member) => memberOf(name, member)),
      ...bodyOf(declaration).flatMap((part) => givesOf(name, part)),
      ...componentsOf(declaration).map((member) => memberOf(name, member)),
      ...supersOf(declaration).map((other) => (other === null ? openType(name) : embeddingType(name, other))),
      // What stands around it can be named in it without an owner.
      ...(outer ? [embeddingType(name, nameOf(outer))] : []),
    ];
  });
}

function memberNames(part: Node): string[] {
  if (part.type === "field_declaration" || part.type === "constant_declaration")
    return part.childrenForFieldName("declarator").flatMap((one) => (one ? nameOf(one) : []));
  return part.childForFieldName("name") ? [nameOf(part)] : [];
}

/** What a method gives, where it is a type with a name. */
function givesOf(owner: string, part: Node): string[] {
  const type = part.type === "method_declaration" ? javaTypeName(part.childForFieldName("type")) : null;
  // A parameter of the method is no type of the workspace.
  const own = textOf(part.childForFieldName("type_parameters"));
  return type === null || new RegExp(`\\b${type}\\b`).test(own)
    ? []
    : [givingType(owner, nameOf(part), type)];
}

const componentsOf = (declaration: Node): string[] =>
  declaration.type === "record_declaration"
    ? (declaration.childForFieldName("parameters")?.namedChildren ?? []).flatMap((one) =>
        one ? nameOf(one) : [],
      )
    : [];

/** The types whose members it has, too; null: one that cannot be told. */
export function supersOf(declaration: Node): (string | null)[] {
  const lists = declaration.namedChildren
    .filter(isNode)
    .filter(({ type }) => /^(?:superclass|super_interfaces|extends_interfaces)$/.test(type));
  return lists
    .flatMap((list) => (list.type === "superclass" ? [list] : list.namedChildren.filter(isNode)))
    .flatMap((list) => list.namedChildren.map(javaTypeName));
}

const annotationsOf = (declaration: Node): string[] =>
  (declaration.namedChildren.find((one) => one?.type === "modifiers")?.namedChildren ?? []).flatMap((one) =>
    one && /annotation$/.test(one.type) ? nameOf(one) : [],
  );

/** The type that a node stands in. Null: none, or a class without a name stands between. */
export function typeAround(start: Node | null): Node | null {
  for (let at = start; at; at = at.parent) {
    if (isTypeDeclaration(at)) return at;
    if (
      at.type === "class_body" &&
      /^(?:object_creation_expression|enum_constant)$/.test(at.parent?.type ?? "")
    )
      return null;
  }
  return null;
}

export function javaMembersRead(root: Node, imports: readonly JavaImport[]): Reference[] {
  const found = new Map<string, number>();
  const bound = boundNames(root);
  const taken = new Set(imports.flatMap(({ member, local }) => (member === null ? [] : [local])));
  const hasStaticAll = imports.some(({ member }) => member === "*");
  const want = (type: string | null | undefined, member: string, node: Node): void => {
    if (!type || member === "" || COMMON.has(member.slice(member.lastIndexOf(">") + 1))) return;
    const name = memberOf(type, member);
    if (!found.has(name)) found.set(name, node.startPosition.row + 1);
  };
  /** Without an owner: of the class around it, or of one around that. */
  const wantPlain = (member: string, node: Node): void => {
    if (hasStaticAll || taken.has(member)) return;
    const around = typeAround(node);
    if (around) want(nameOf(around), member, node);
  };
  for (const node of root.descendantsOfType(["method_invocation", "field_access"]).filter(isNode)) {
    const object = node.childForFieldName("object");
    const member = textOf(node.childForFieldName(node.type === "field_access" ? "field" : "name"));
    if (!object) wantPlain(member, node);
    else if (object.type === "this") want(ownerOf(node), member, node);
    else {
      const start = startOf(object);
      if (start) want(typeOfName(start.name, bound), [...start.calls, member].join(">"), node);
    }
  }
  for (const node of root.descendantsOfType("identifier").filter(isNode))
    if (isPlainUse(node) && !bound.has(node.text) && !/^[A-Z]\w*[a-z]/.test(node.text))
      wantPlain(node.text, node);
  return membersWantedOf(found.size > 0 ? new Map([[OF_CLASSES, found]]) : new Map());
}

/** `a.b().c()`: what a chain of calls begins with, and the calls. Null: with something else than a name. */
function startOf(
  object: Node,
  depth = 0,
): { readonly name: string; readonly calls: readonly string[] } | null {
  if (object.type === "identifier") return { name: object.text, calls: [] };
  const inner = object.type === "method_invocation" ? object.childForFieldName("object") : null;
  const start = inner && depth < MAX_CHAINED ? startOf(inner, depth + 1) : null;
  return start && { name: start.name, calls: [...start.calls, nameOf(object)] };
}

const ownerOf = (node: Node): string | null => {
  const around = typeAround(node);
  return around && nameOf(around);
};

/** A value's type where it is written down once; a name that begins large and is no constant is a type itself. */
export function typeOfName(name: string, bound: ReadonlyMap<string, string | null>): string | null {
  if (bound.has(name)) return bound.get(name) ?? null;
  return /^[A-Z]\w*[a-z]/.test(name) ? name : null;
}

/** An identifier that stands for a value, and for no member, label, package or constant of an enum. */
function isPlainUse(node: Node): boolean {
  const parent = node.parent;
  switch (parent?.type) {
    case "binary_expression":
    case "unary_expression":
    case "update_expression":
    case "argument_list":
    case "return_statement":
    case "parenthesized_expression":
    case "array_access":
    case "ternary_expression":
    case "throw_statement":
      return true;
    case "assignment_expression":
      return true;
    case "variable_declarator":
      return parent.childForFieldName("value")?.id === node.id;
    case "method_invocation":
      return parent.childForFieldName("object")?.id === node.id;
    case "field_access":
      return parent.childForFieldName("object")?.id === node.id && !isOfPackage(parent);
    case "enhanced_for_statement":
      return parent.childForFieldName("value")?.id === node.id;
    default:
      return false;
  }
}

/** `a.b.C` and `a.C`: packages in front of a type. */
const isOfPackage = (access: Node): boolean =>
  access.parent?.type === "field_access" || /^[A-Z]/.test(textOf(access.childForFieldName("field")));

const BINDERS = [
  "variable_declarator",
  "formal_parameter",
  "spread_parameter",
  "catch_formal_parameter",
  "enhanced_for_statement",
  "resource",
  "instanceof_expression",
  "type_pattern",
  "record_pattern_component",
  "enum_constant",
  "inferred_parameters",
  "lambda_expression",
];

/** Every name that the file binds, with its type; null: several types, or none that is told. */
export function boundNames(root: Node): ReadonlyMap<string, string | null> {
  const bound = new Map<string, string | null>();
  const bind = (name: string, type: string | null): void => {
    bound.set(name, bound.has(name) && bound.get(name) !== type ? null : type);
  };
  for (const node of root.descendantsOfType(BINDERS).filter(isNode)) {
    if (
      node.type === "inferred_parameters" ||
      node.type === "type_pattern" ||
      node.type === "record_pattern_component"
    )
      for (const one of node.descendantsOfType("identifier")) bind(textOf(one), null);
    else if (node.type === "lambda_expression") {
      const parameter = node.childForFieldName("parameters");
      if (parameter?.type === "identifier") bind(parameter.text, null);
    } else if (node.childForFieldName("name")) bind(nameOf(node), boundType(node));
  }
  return bound;
}

function boundType(node: Node): string | null {
  if (node.type === "enum_constant") return null;
  // An array of a type is none of it: `T x[]`.
  if (node.childForFieldName("dimensions")) return null;
  const holder = node.type === "variable_declarator" ? node.parent : node;
  if (holder?.type === "spread_parameter") return null;
  const type =
    holder?.type === "instanceof_expression"
      ? holder.childForFieldName("right")
      : (holder?.childForFieldName("type") ?? null);
  return javaTypeName(type);
}
