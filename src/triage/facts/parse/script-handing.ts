/** Under which names a script gives which of its values, and what of others it hands on: as far as calls are followed through it. */
import { isExportsObject } from "./script-exports.ts";
import { bare, keyOf, literalOf, type Node, nameOf, nodeAt, nodesAt, requiredBy } from "./script-node.ts";
import { type Parts, partsOf, variableParts } from "./script-takes.ts";

export type HandedName =
  /** A name of its own top level, or one it imports. */
  | { readonly name: string; readonly local: string }
  | { readonly name: string; readonly parts: Parts }
  /** `*` is all of it. */
  | { readonly name: string; readonly specifier: string; readonly imported: string };

export const handedBy = (statements: readonly Node[]): HandedName[] => statements.flatMap(handedIn);

function handedIn(statement: Node): HandedName[] {
  switch (statement.type) {
    case "ExportNamedDeclaration":
      return named(statement);
    case "ExportAllDeclaration": {
      const [name, specifier] = [
        exportedName(nodeAt(statement, "exported")),
        literalOf(nodeAt(statement, "source")),
      ];
      return name === null || specifier === null ? [] : [{ name, specifier, imported: "*" }];
    }
    case "ExportDefaultDeclaration":
      return whole(bare(nodeAt(statement, "declaration")));
    case "TSExportAssignment":
      return whole(bare(nodeAt(statement, "expression")));
    case "ExpressionStatement":
      return assigned(bare(nodeAt(statement, "expression")));
    default:
      return [];
  }
}

const exportedName = (node: Node | null): string | null => nameOf(node) ?? literalOf(node);

function named(statement: Node): HandedName[] {
  const specifier = literalOf(nodeAt(statement, "source"));
  const declaration = nodeAt(statement, "declaration");
  const own = declaration ? [...topValues([declaration]).keys()] : [];
  const listed = nodesAt(statement, "specifiers").flatMap((one): HandedName[] => {
    const name = exportedName(nodeAt(one, "exported"));
    const local = exportedName(nodeAt(one, "local"));
    if (name === null || local === null) return [];
    return [specifier === null ? { name, local } : { name, specifier, imported: local }];
  });
  return [...own.map((name): HandedName => ({ name, local: name })), ...listed];
}

/** What a module is as a whole; of a CommonJS object its members are the module's. */
function whole(value: Node | null): HandedName[] {
  const local = nameOf(value);
  if (local !== null) return [{ name: "default", local }];
  const specifier = requiredBy(value);
  if (specifier !== null) return [{ name: "default", specifier, imported: "default" }];
  return [{ name: "default", parts: partsOf(value) }];
}

/** `module.exports = ...`, `exports.a = ...`. */
function assigned(expression: Node | null): HandedName[] {
  if (expression?.type !== "AssignmentExpression") return [];
  const names: Node[] = [];
  let value: Node | null = expression;
  for (; value?.type === "AssignmentExpression"; value = bare(nodeAt(value, "right"))) {
    const left = nodeAt(value, "left");
    if (left) names.push(left);
  }
  return names.flatMap((left): HandedName[] => {
    if (isExportsObject(left)) return wholeModule(value);
    const key = left.type === "MemberExpression" ? keyOf(left, "property") : null;
    if (key === null || !isExportsObject(nodeAt(left, "object"))) return [];
    return [property(key, value)];
  });
}

function wholeModule(value: Node | null): HandedName[] {
  if (value?.type !== "ObjectExpression") return whole(value);
  return nodesAt(value, "properties").flatMap((one) => {
    const key = one.type === "SpreadElement" ? null : keyOf(one, "key");
    return key === null ? [] : [property(key, bare(nodeAt(one, "value")))];
  });
}

function property(name: string, value: Node | null): HandedName {
  const local = nameOf(value);
  if (local !== null) return { name, local };
  const specifier = requiredBy(value);
  return specifier === null ? { name, parts: partsOf(value) } : { name, specifier, imported: "default" };
}

/** What the top level declares, by name: several where a function is overloaded. */
export function topValues(statements: readonly Node[]): Map<string, Parts> {
  const found = new Map<string, Parts>();
  const add = (name: string | null, parts: Parts): void => {
    if (name !== null) found.set(name, [...(found.get(name) ?? []), ...parts]);
  };
  for (const statement of statements) {
    const node = /^Export/.test(statement.type) ? (nodeAt(statement, "declaration") ?? statement) : statement;
    if (node.type === "VariableDeclaration")
      for (const one of nodesAt(node, "declarations")) add(nameOf(nodeAt(one, "id")), variableParts(one));
    else add(nameOf(nodeAt(node, "id")), partsOf(node));
  }
  return found;
}
