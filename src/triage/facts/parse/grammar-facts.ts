/** What the facts of languages with a grammar have in common. */
import type { Node } from "web-tree-sitter";
import { OF_VALUES, type Reference, type SourceFacts } from "../known/file-facts.ts";

/** What is not read off, so that nothing is said of it. */
export const UNTOLD = {
  stars: [],
  isModule: true,
  words: [],
  calledInside: [],
  handsOn: [],
  misfits: [],
  hollowTaking: 0,
  isEndClosed: false,
  isEndMost: false,
  isEndBare: false,
  isEndUsed: false,
  isEndLoose: false,
  isEndStopped: false,
  isEndMarked: false,
} as const satisfies Partial<SourceFacts>;

/** In front of the package that a file says it is of, among the names that it gives and wants. */
export const PACKAGE_CLAUSE = "package ";

/** Statements of the top level that are told from one another; of more, the last. */
export const MAX_STATEMENTS = 300;
export const MAX_STUBS = 50;

export const isNode = (node: Node | null): node is Node => node !== null;

/** Of fields and methods by their names: `#name` can be read of a value, `=name` is a method that is there. */
export interface MemberNames {
  readonly has: ReadonlySet<string>;
  /** Read of values. */
  readonly read: Iterable<string>;
  /** Methods that an interface or a trait asks for. */
  readonly asks: Iterable<string>;
}

/** Whose they are nobody here can tell: only what was there and went is missing. */
export function membersWanted({ has, read, asks }: MemberNames): Reference[] {
  const names = [...[...read].map((name) => `#${name}`), ...[...asks].map((name) => `=${name}`)]
    .filter((name) => !has.has(name))
    .sort();
  if (names.length === 0) return [];
  return [{ specifier: OF_VALUES, names, isOfValue: true, isType: false, isOptional: false, line: 1 }];
}

/** All but the children of these fields. */
export function childrenWithout(node: Node, ...fields: readonly string[]): Node[] {
  const ids = new Set(fields.flatMap((field) => node.childrenForFieldName(field).map((one) => one?.id)));
  return node.namedChildren.filter(isNode).filter(({ id }) => !ids.has(id));
}
