/**
 * What is known of a Java file: its package, what it imports, which types it takes from its own package, what its types have and what it reads
 * of values of plainly known types, how many arguments its constructors take. By name and not by scope, so it errs towards saying nothing.
 */
import type { Node } from "web-tree-sitter";
import { bySize, type Reference, type SourceFacts, takeSize } from "../known/file-facts.ts";
import { isNode, MAX_STATEMENTS, MAX_STUBS, UNTOLD } from "./grammar-facts.ts";
import { javaArguments } from "./java-arguments.ts";
import { javaMembersGiven, javaMembersRead } from "./java-members.ts";
import {
  isTypeDeclaration,
  JAVA_LANG,
  type JavaImport,
  javaImports,
  javaPackage,
  OWN_JAVA_PACKAGE,
  typesDeclared,
} from "./java-types.ts";

export function javaFacts(root: Node): SourceFacts {
  const imports = javaImports(root);
  const top = root.namedChildren.filter(isNode).filter(({ type }) => !/comment/.test(type));
  const types = top.filter(isTypeDeclaration);
  const last = top.at(-1);
  const methods = root.descendantsOfType(["method_declaration", "constructor_declaration"]).filter(isNode);
  const bodies = new Map<string, number>();
  for (const method of methods) {
    const body = method.childForFieldName("body");
    if (body) takeSize(bodies, method.childForFieldName("name")?.text ?? "", body.endIndex - body.startIndex);
  }
  const stubs = methods.filter(isStub).map((one) => `line ${one.startPosition.row + 1}: does nothing yet`);
  return {
    ...UNTOLD,
    ...javaArguments(root, imports),
    references: [...referencesOf(root, imports), ...javaMembersRead(root, imports)],
    exports: [
      ...new Set([
        ...types.flatMap((one) => one.childForFieldName("name")?.text ?? []),
        ...javaPackage(root),
        ...javaMembersGiven(root),
      ]),
    ].sort(),
    areExportsKnown: true,
    called: [],
    undefinedNames: [],
    unusedNames: [],
    stubs: stubs.slice(0, MAX_STUBS),
    functions: bodies.size,
    hollow: stubs.length,
    bodies: bySize(bodies),
    lastStatement: last ? signatureOf(last) : "",
    endLines: last ? last.endPosition.row - last.startPosition.row + 1 : 0,
    statements: top.slice(-MAX_STATEMENTS).map(signatureOf),
    hasEndComment: /comment/.test(root.lastNamedChild?.type ?? ""),
  };
}

const signatureOf = (node: Node): string =>
  `${node.type} ${node.childForFieldName("name")?.text ?? (node.namedChild(0)?.text ?? "").split("\n")[0]}`;

const isStub = (method: Node): boolean =>
  /^\{\s*throw new UnsupportedOperationException\(\s*(?:"(?:not implemented|todo|unimplemented)[^"]*")\s*\);\s*\}$/i.test(
    method.childForFieldName("body")?.text ?? "",
  );

function referencesOf(root: Node, imports: readonly JavaImport[]): Reference[] {
  const ofImports = imports.map(({ path, member, line }): Reference => {
    const names = member === null || member === "*" ? [] : [member];
    return { specifier: path, names, isType: false, isOptional: false, line };
  });
  // All of a package from elsewhere may bring any type.
  const wanted = ownTypes(root, imports);
  const names = [...wanted.keys()].sort();
  if (names.length === 0) return ofImports;
  const line = Math.min(...wanted.values());
  return [...ofImports, { specifier: OWN_JAVA_PACKAGE, names, isType: false, isOptional: false, line }];
}

/** Types that nothing in the file brings: they are of the own package, of one that was taken whole, or inherited. */
function ownTypes(root: Node, imports: readonly JavaImport[]): Map<string, number> {
  const declared = typesDeclared(root);
  const imported = new Set(imports.map(({ local }) => local));
  const found = new Map<string, number>();
  const take = (name: string, node: Node): void => {
    // Of `java.util.List` the first word is a package.
    if (!/^[A-Z]/.test(name)) return;
    if (declared.has(name) || imported.has(name) || JAVA_LANG.has(name) || found.has(name)) return;
    found.set(name, node.startPosition.row + 1);
  };
  for (const node of root.descendantsOfType("type_identifier")) {
    // Of `Outer.Inner` the first word alone is looked for.
    const isInner =
      node?.parent?.type === "scoped_type_identifier" && node.parent.firstNamedChild?.id !== node.id;
    if (node && !isInner && node.text !== "var") take(node.text, node);
  }
  for (const node of root.descendantsOfType(["marker_annotation", "annotation"])) {
    const name = node?.childForFieldName("name");
    if (name?.type === "identifier") take(name.text, name);
  }
  return found;
}
