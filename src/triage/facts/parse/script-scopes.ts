/**
 * Which declaration a name means, where a file declares it more than once: a parameter called as a module is must not
 * hide what the rest of the file takes of that module. Only for the names that are asked for.
 */
import type { SourceSpan } from "./parsed.ts";
import { patternNames } from "./script-exports.ts";
import { isNode, memberRead, type Node, nameOf, nodeAt, nodesAt, takenOut } from "./script-node.ts";

interface Scope {
  readonly parent: Scope | null;
  /** `var` goes here. */
  readonly isFunction: boolean;
  readonly declared: Map<string, SourceSpan[]>;
  readonly members: Map<string, { readonly member: string; readonly at: number }[]>;
}

interface ScopeVisit {
  readonly node: Node;
  readonly parent: Node | null;
  readonly scope: Scope;
}

const FUNCTION = /^(?:Function(?:Declaration|Expression)|ArrowFunctionExpression)$/;
const BLOCK =
  /^(?:BlockStatement|For(?:In|Of)?Statement|SwitchStatement|CatchClause|StaticBlock|Class(?:Declaration|Expression)|TSModuleBlock)$/;
const CLASS = /^(?:Class|TSEnum|TSModule|TSImportEquals)Declaration$/;

/**
 * Members that are read of the name as it is meant at `at`. Where one scope declares it twice (`var a = require("a"), a = a.b`)
 * those read before the next declaration is done.
 */
export type MembersAt = (name: string, at: number) => readonly string[];

export function membersByScope(program: Node, wanted: ReadonlySet<string>): MembersAt {
  const reads: {
    readonly scope: Scope;
    readonly name: string;
    readonly member: string;
    readonly at: number;
  }[] = [];
  const places = new Map<string, Scope>();
  const top = walkScopes(program, wanted, (node, parent, scope) => {
    for (const read of [memberRead(node, parent), ...takenOut(node)])
      if (read && wanted.has(read.object))
        reads.push({ scope, name: read.object, member: read.member, at: node.start });
    for (const name of boundAt(node)) if (wanted.has(name)) places.set(placeOf(name, node.start), scope);
  });
  for (const { scope, name, member, at } of reads) {
    const home = homeOf(scope, name);
    home?.members.set(name, [...(home.members.get(name) ?? []), { member, at }]);
  }
  return (name, at) => {
    const home = homeOf(places.get(placeOf(name, at)) ?? top, name);
    const members = home?.members.get(name) ?? [];
    const declared = home?.declared.get(name) ?? [];
    if (declared.length === 1) return members.map(({ member }) => member);
    const next = Math.min(...declared.flatMap(({ start, end }) => (start > at ? [end] : [])));
    return members.flatMap((read) => (read.at >= at && read.at < next ? [read.member] : []));
  };
}

/** Whether a name in a call at `at` means what the top level declares, once, by that name. */
export type MeansTop = (name: string, at: number) => boolean;

export function callsOfTop(program: Node, wanted: ReadonlySet<string>): MeansTop {
  const places = new Map<number, Scope>();
  const top = walkScopes(program, wanted, (node, _, scope) => {
    if (node.type === "CallExpression" || node.type === "NewExpression") places.set(node.start, scope);
  });
  return (name, at) => {
    const scope = places.get(at);
    return scope !== undefined && homeOf(scope, name) === top && top.declared.get(name)?.length === 1;
  };
}

/** Gives the outermost scope, with what is declared put where it belongs. */
function walkScopes(
  program: Node,
  wanted: ReadonlySet<string>,
  visit: (node: Node, parent: Node | null, scope: Scope) => void,
): Scope {
  const top = newScope(null, { isFunction: true });
  const stack: ScopeVisit[] = [{ node: program, parent: null, scope: top }];
  for (let todo = stack.pop(); todo; todo = stack.pop()) {
    const { node, parent } = todo;
    const inner = scopeIn(todo, wanted);
    visit(node, parent, inner);
    for (const field in node) {
      const value = node[field];
      for (const item of Array.isArray(value) ? value : [value])
        if (isNode(item)) stack.push({ node: item, parent: node, scope: inner });
    }
  }
  return top;
}

const placeOf = (name: string, at: number): string => `${at} ${name}`;

const newScope = (parent: Scope | null, { isFunction }: { readonly isFunction: boolean }): Scope => ({
  parent,
  isFunction,
  declared: new Map(),
  members: new Map(),
});

/** The scope that holds for what is inside a node, with what the node declares put where it belongs. */
function scopeIn({ node, parent, scope }: ScopeVisit, wanted: ReadonlySet<string>): Scope {
  const put = (where: Scope, names: readonly string[], span: SourceSpan = node): void => {
    for (const name of names)
      if (wanted.has(name)) where.declared.set(name, [...(where.declared.get(name) ?? []), span]);
  };
  const own = nameOf(nodeAt(node, "id"));
  const isBody = node.type === "BlockStatement" && parent !== null && FUNCTION.test(parent.type);
  const opens = FUNCTION.test(node.type) || (BLOCK.test(node.type) && !isBody);
  const inner = opens ? newScope(scope, { isFunction: FUNCTION.test(node.type) }) : scope;
  if (FUNCTION.test(node.type)) {
    put(inner, nodesAt(node, "params").flatMap(patternNames));
    // The parameter hides the function's own name inside, as the name of an expression is known inside alone.
    if (own !== null) put(node.type === "FunctionDeclaration" ? scope : inner, [own]);
  } else if (CLASS.test(node.type) && own !== null) put(scope, [own]);
  else if (node.type === "VariableDeclaration") {
    const where = node.kind === "var" ? functionOf(scope) : scope;
    for (const one of nodesAt(node, "declarations")) put(where, patternNames(nodeAt(one, "id")), one);
  } else if (node.type === "CatchClause") put(inner, patternNames(nodeAt(node, "param")));
  else if (node.type === "ImportDeclaration")
    put(
      scope,
      nodesAt(node, "specifiers").flatMap((one) => nameOf(nodeAt(one, "local")) ?? []),
    );
  return inner;
}

/** Names that a node gives a value, by which a reference is found again. */
function boundAt(node: Node): string[] {
  if (node.type === "VariableDeclarator") return patternNames(nodeAt(node, "id"));
  if (node.type === "AssignmentExpression") return patternNames(nodeAt(node, "left"));
  return [];
}

function functionOf(scope: Scope): Scope {
  let at = scope;
  while (!at.isFunction && at.parent) at = at.parent;
  return at;
}

function homeOf(scope: Scope, name: string): Scope | null {
  for (let at: Scope | null = scope; at; at = at.parent) if (at.declared.has(name)) return at;
  return null;
}
