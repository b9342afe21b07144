/**
 * How many arguments constructors and methods of Java take and their calls give. Constructors are not inherited, so a file says all of them; of
 * methods those of classes that extend nothing, where a file says all of them, too. Overloads count as what they are.
 */
import type { Node } from "web-tree-sitter";
import { fits } from "../known/arguments.ts";
import type { SourceFacts } from "../known/file-facts.ts";
import { isNode } from "./grammar-facts.ts";
import { bodyOf, boundNames, supersOf, typeAround, typeOfName } from "./java-members.ts";
import {
  isTypeDeclaration,
  type JavaImport,
  javaTypeName,
  OWN_JAVA_PACKAGE,
  typeDeclarations,
  typesDeclared,
} from "./java-types.ts";
import { memberOf } from "./type-members.ts";

/** Kept of one file; more is generated. */
const MAX_CALLS = 2000;

type JavaArguments = Pick<SourceFacts, "takes" | "calls" | "callLines" | "misfits">;

export function javaArguments(root: Node, imports: readonly JavaImport[]): JavaArguments {
  const takes = new Map(typeDeclarations(root).flatMap(takesOf));
  const own = typesDeclared(root);
  const byName = new Map(
    imports.flatMap(({ member, local, path }) =>
      member === null && local !== "" ? [[local, path] as const] : [],
    ),
  );
  const [calls, misfits] = [new Map<string, number>(), new Set<string>()];
  for (const { type, name, gives, line } of callsIn(root)) {
    const known = takes.get(name);
    if (own.has(type)) {
      if (known !== undefined && !fits(known, gives)) misfits.add(`${name} ${gives} ${known}`);
      continue;
    }
    const key = `${byName.get(type) ?? OWN_JAVA_PACKAGE} ${name} ${gives}`;
    if (calls.size < MAX_CALLS && !calls.has(key)) calls.set(key, line);
  }
  const given = new Set(root.namedChildren.filter(isNode).filter(isTypeDeclaration).map(nameOf));
  return {
    takes: [...takes]
      .filter(([name]) => given.has(name.replace(/#.*$/, "")))
      .map(([name, range]) => `${name} ${range}`),
    calls: [...calls.keys()],
    callLines: [...calls.values()],
    misfits: [...misfits],
  };
}

interface JavaCall {
  readonly type: string;
  /** `Type` for its constructor, `Type#method`. */
  readonly name: string;
  readonly gives: string;
  readonly line: number;
}

function callsIn(root: Node): JavaCall[] {
  const bound = boundNames(root);
  return root.descendantsOfType(["object_creation_expression", "method_invocation"]).flatMap((node) => {
    const given = (node?.childForFieldName("arguments")?.namedChildren ?? []).filter(
      (one) => one && !/comment/.test(one.type),
    );
    const type = node && typeCalled(node, bound);
    if (!node || !type) return [];
    const name = node.type === "method_invocation" ? memberOf(type, nameOf(node)) : type;
    return [{ type, name, gives: `${given.length}`, line: node.startPosition.row + 1 }];
  });
}

/** Whose constructor or method it certainly is; null: not to be told. */
function typeCalled(node: Node, bound: ReadonlyMap<string, string | null>): string | null {
  if (node.type === "object_creation_expression") {
    const type = node.childForFieldName("type");
    return type?.type === "scoped_type_identifier" ? null : javaTypeName(type);
  }
  const object = node.childForFieldName("object");
  if (object?.type === "identifier") return typeOfName(object.text, bound);
  const around = typeAround(node);
  if (!around || (object && object.type !== "this")) return null;
  // Without an owner it may be of a class around it.
  return object || typeAround(around.parent) === null ? nameOf(around) : null;
}

const nameOf = (node: Node): string => node.childForFieldName("name")?.text ?? "";

function takesOf(type: Node): [string, string][] {
  if (type.type !== "class_declaration") return [];
  // An annotation may write more of them.
  if (
    /@(?!SuppressWarnings|Deprecated)\w/.test(
      type.namedChildren.find((one) => one?.type === "modifiers")?.text ?? "",
    )
  )
    return [];
  const parts = bodyOf(type);
  const constructors = parts.filter((one) => one.type === "constructor_declaration");
  const methods = supersOf(type).length > 0 ? [] : parts.filter((one) => one.type === "method_declaration");
  const byName = new Map<string, string[]>();
  for (const method of methods)
    byName.set(nameOf(method), [...(byName.get(nameOf(method)) ?? []), rangeOf(method)]);
  return [
    [nameOf(type), constructors.length === 0 ? "0-0" : joined(constructors.map(rangeOf))],
    ...[...byName].map(([name, ranges]): [string, string] => [memberOf(nameOf(type), name), joined(ranges)]),
  ];
}

const joined = (ranges: readonly string[]): string => [...new Set(ranges)].join("|");

function rangeOf(declaration: Node): string {
  const list = (declaration.childForFieldName("parameters")?.namedChildren ?? []).filter(isNode);
  const count = list.filter((parameter) => parameter.type === "formal_parameter").length;
  return `${count}-${list.some((parameter) => parameter.type === "spread_parameter") ? "" : count}`;
}
