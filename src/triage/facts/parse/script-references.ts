/** What a script refers to: `import`, `require`, re-exports, dynamic imports of a fixed text. */
import type { Reference } from "../known/file-facts.ts";
import type { ScriptNames, VisitedNode } from "./script-names.ts";
import {
  bare,
  keyOf,
  literalOf,
  type Node,
  nameOf,
  nodeAt,
  nodesAt,
  patternKeys,
  requiredBy,
} from "./script-node.ts";
import { membersByScope } from "./script-scopes.ts";

export interface ReferenceDraft {
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

export function takeReferences(
  { node, parent, isOptional }: VisitedNode,
  found: ReferenceDraft[],
  seen: Set<Node>,
): void {
  const about = { isOptional, at: node.start };
  if (node.type === "ImportDeclaration") takeImport(node, about, found);
  else if (node.type === "ExportAllDeclaration" || node.type === "ExportNamedDeclaration")
    takeReexport(node, about, found);
  else if (node.type === "TSImportType") {
    const argument = nodeAt(node, "argument") ?? nodeAt(node, "source");
    const specifier = literalOf(argument?.type === "TSLiteralType" ? nodeAt(argument, "literal") : argument);
    if (specifier !== null) found.push({ specifier, names: [], isType: true, local: null, ...about });
  } else if (node.type === "TSExternalModuleReference") {
    const specifier = literalOf(nodeAt(node, "expression"));
    const local = parent?.type === "TSImportEqualsDeclaration" ? nameOf(nodeAt(parent, "id")) : null;
    if (specifier !== null) found.push({ specifier, names: [], isType: false, local, ...about });
  } else if (node.type === "VariableDeclarator") takeRequired(node, "id", "init", about, found, seen);
  else if (node.type === "AssignmentExpression") takeRequired(node, "left", "right", about, found, seen);
  else if (node.type === "MemberExpression") takeMember(node, about, found, seen);
  else takeWhole(node, about, found, seen);
}

/** `require("x").a`, `(await import("x")).a`. */
function takeMember(node: Node, about: ReferenceSite, found: ReferenceDraft[], seen: Set<Node>): void {
  const taken = takenBy(nodeAt(node, "object"));
  const member = keyOf(node, "property");
  if (!taken || member === null || seen.has(taken.node)) return;
  seen.add(taken.node);
  found.push({ specifier: taken.specifier, names: [member], isType: false, local: null, ...about });
}

function takeWhole(node: Node, about: ReferenceSite, found: ReferenceDraft[], seen: Set<Node>): void {
  const specifier = requiredBy(node) ?? importedBy(node);
  if (specifier === null || seen.has(node)) return;
  found.push({ specifier, names: [], isType: false, local: null, ...about });
}

const importedBy = (node: Node | null): string | null =>
  node?.type === "ImportExpression" ? literalOf(nodeAt(node, "source")) : null;

/** What compilers put around a `require` so that a module is taken whole, and not its default alone. */
const WHOLE = /^(?:_interopRequireWildcard|_interopNamespace\w*|__importStar)$/;

/** A module as a value: required or awaited, plain or through what a compiler puts around it. */
export function takenBy(value: Node | null): { readonly specifier: string; readonly node: Node } | null {
  const node = bare(value);
  const imported = node?.type === "AwaitExpression" ? bare(nodeAt(node, "argument")) : null;
  const [only, more] = node?.type === "CallExpression" ? nodesAt(node, "arguments") : [];
  const callee = node && nodeAt(node, "callee");
  const called = callee?.type === "MemberExpression" ? keyOf(callee, "property") : nameOf(callee ?? null);
  const inner = called !== null && WHOLE.test(called) && only && !more ? only : (imported ?? node);
  const specifier = requiredBy(inner) ?? importedBy(imported);
  return specifier === null || !inner ? null : { specifier, node: inner };
}

interface ReferenceSite {
  readonly isOptional: boolean;
  readonly at: number;
}

function takeImport(node: Node, about: ReferenceSite, found: ReferenceDraft[]): void {
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

function takeReexport(node: Node, about: ReferenceSite, found: ReferenceDraft[]): void {
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
  about: ReferenceSite,
  found: ReferenceDraft[],
  seen: Set<Node>,
): void {
  const taken = takenBy(nodeAt(node, value));
  if (!taken) return;
  seen.add(taken.node);
  const id = nodeAt(node, target);
  const { specifier } = taken;
  found.push({ specifier, names: patternKeys(id), isType: false, local: nameOf(id), ...about });
}

/** One reference per specifier and kind, with the members read of what was taken whole. */
export function finishReferences(
  drafts: readonly ReferenceDraft[],
  program: Node,
  names: ScriptNames,
  lineAt: (offset: number) => number,
): Reference[] {
  const isTwice = (local: string): boolean => (names.declared.get(local) ?? 0) > 1;
  const twice = new Set(drafts.flatMap(({ local }) => (local !== null && isTwice(local) ? [local] : [])));
  const byScope = twice.size > 0 ? membersByScope(program, twice) : null;
  const membersOf = ({ local, at }: ReferenceDraft): readonly string[] => {
    if (local === null) return [];
    if (twice.has(local)) return byScope?.(local, at) ?? [];
    return names.declared.has(local) ? [...(names.members.get(local) ?? [])] : [];
  };
  return drafts.map((draft) => {
    const all = [...new Set([...draft.names, ...membersOf(draft)])];
    return {
      specifier: draft.specifier,
      names: all.filter((name) => !(name in Object.prototype)).slice(0, MAX_NAMES),
      isType: draft.isType,
      isOptional: draft.isOptional,
      line: lineAt(draft.at),
    };
  });
}
