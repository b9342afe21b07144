/** What a script refers to: `import`, `require`, re-exports, dynamic imports of a fixed text. */
import type { Reference } from "../file-facts.ts";
import type { ScriptNames, Visited } from "./script-names.ts";
import { keyOf, literalOf, type Node, nameOf, nodeAt, nodesAt, requiredBy } from "./script-node.ts";

export interface Draft {
  readonly specifier: string;
  readonly names: string[];
  readonly isType: boolean;
  readonly isOptional: boolean;
  readonly at: number;
  /** The local name the whole was given: its members are what is wanted. */
  readonly local: string | null;
}

/** A dotted tail of members read from one name is at most this long; more is data. */
const MAX_NAMES = 500;

export function takeReferences({ node, parent, isOptional }: Visited, found: Draft[], seen: Set<Node>): void {
  const about = { isOptional, at: node.start };
  if (node.type === "ImportDeclaration") takeImport(node, about, found);
  else if (node.type === "ExportAllDeclaration" || node.type === "ExportNamedDeclaration")
    takeReexport(node, about, found);
  else if (node.type === "ImportExpression") {
    const specifier = literalOf(nodeAt(node, "source"));
    if (specifier !== null) found.push({ specifier, names: [], isType: false, local: null, ...about });
  } else if (node.type === "TSImportType") {
    const argument = nodeAt(node, "argument") ?? nodeAt(node, "source");
    const specifier = literalOf(argument?.type === "TSLiteralType" ? nodeAt(argument, "literal") : argument);
    if (specifier !== null) found.push({ specifier, names: [], isType: true, local: null, ...about });
  } else if (node.type === "TSExternalModuleReference") {
    const specifier = literalOf(nodeAt(node, "expression"));
    if (specifier !== null) found.push({ specifier, names: [], isType: false, local: null, ...about });
  } else if (node.type === "VariableDeclarator") takeRequired(node, "id", "init", about, found, seen);
  else if (node.type === "AssignmentExpression") takeRequired(node, "left", "right", about, found, seen);
  else if (requiredBy(node) !== null && !seen.has(node)) {
    const member = parent && /MemberExpression$/.test(parent.type) ? keyOf(parent, "property") : null;
    const specifier = requiredBy(node) ?? "";
    found.push({ specifier, names: member === null ? [] : [member], isType: false, local: null, ...about });
  }
}

interface About {
  readonly isOptional: boolean;
  readonly at: number;
}

function takeImport(node: Node, about: About, found: Draft[]): void {
  const specifier = literalOf(nodeAt(node, "source")) ?? "";
  const isWholeType = node.importKind === "type";
  const specifiers = nodesAt(node, "specifiers");
  if (specifiers.length === 0)
    found.push({ specifier, names: [], isType: isWholeType, local: null, ...about });
  for (const one of specifiers) {
    const isType = isWholeType || one.importKind === "type";
    const imported = nodeAt(one, "imported");
    const name =
      one.type === "ImportDefaultSpecifier" ? "default" : (nameOf(imported) ?? literalOf(imported));
    const isWhole = one.type === "ImportNamespaceSpecifier";
    const local = isWhole ? nameOf(nodeAt(one, "local")) : null;
    found.push({ specifier, names: isWhole || name === null ? [] : [name], isType, local, ...about });
  }
}

function takeReexport(node: Node, about: About, found: Draft[]): void {
  const specifier = literalOf(nodeAt(node, "source"));
  if (specifier === null) return;
  const names = nodesAt(node, "specifiers").flatMap((one) => {
    const local = nodeAt(one, "local");
    return nameOf(local) ?? literalOf(local) ?? [];
  });
  found.push({ specifier, names, isType: node.exportKind === "type", local: null, ...about });
}

/** `const { a } = require("x")`, and `({ a } = require("x"))` where the names were declared before. */
function takeRequired(
  node: Node,
  target: string,
  value: string,
  about: About,
  found: Draft[],
  seen: Set<Node>,
): void {
  const init = nodeAt(node, value);
  const specifier = requiredBy(init);
  if (specifier === null || !init) return;
  seen.add(init);
  const id = nodeAt(node, target);
  const names: string[] = [];
  if (id?.type === "ObjectPattern")
    for (const property of nodesAt(id, "properties")) {
      // With a default it may be missing on purpose.
      if (nodeAt(property, "value")?.type === "AssignmentPattern") continue;
      const key = property.type === "RestElement" ? null : keyOf(property, "key");
      if (key !== null) names.push(key);
    }
  found.push({ specifier, names, isType: false, local: nameOf(id), ...about });
}

/** One reference per specifier and kind, with the members read of what was taken whole. */
export function finishReferences(
  drafts: readonly Draft[],
  names: ScriptNames,
  lineAt: (offset: number) => number,
): Reference[] {
  return drafts.map(({ specifier, names: named, isType, isOptional, at, local }) => {
    const isOnlyOne = local !== null && names.declared.get(local) === 1;
    const members = isOnlyOne ? [...(names.members.get(local) ?? [])] : [];
    const all = [...new Set([...named, ...members])].filter((name) => !(name in Object.prototype));
    return { specifier, names: all.slice(0, MAX_NAMES), isType, isOptional, line: lineAt(at) };
  });
}
