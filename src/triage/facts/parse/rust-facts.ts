/**
 * What is known of a Rust file: its modules and what it takes of modules of its own crate, what its top level gives, names that nothing in
 * it brings. By name and not by scope; what stands inside of a macro may be anything and is nobody's use.
 */
import type { Node } from "web-tree-sitter";
import { bySize, type Reference, type SourceFacts, takeSize } from "../known/file-facts.ts";
import {
  childrenWithout,
  isNode,
  MAX_STATEMENTS,
  MAX_STUBS,
  membersWanted,
  UNTOLD,
} from "./grammar-facts.ts";
import { rustArguments } from "./rust-calls.ts";
import { rustMembersGiven, rustMembersRead } from "./rust-members.ts";
import { fromFile, handedOn, isOwnPath, PLAIN_MACROS, RUST_OWN, type RustUse, usesIn } from "./rust-uses.ts";

interface RustFindings {
  readonly uses: { readonly use: RustUse; readonly depth: number }[];
  /** `mod name;`: a file of its own. */
  readonly modules: Map<string, number>;
  /** As written: what the first word stands for is known when all of the file is. */
  readonly paths: {
    readonly path: string;
    readonly name: string;
    readonly depth: number;
    readonly line: number;
  }[];
  /** Items, parameters of types, what a macro makes: seen all over the file. */
  readonly declared: Set<string>;
  /** Locals, with where the first of that name can be seen from: a `let` is not seen in its own value. */
  readonly locals: Map<string, number>;
  /** Patterns' own identifiers: no uses. */
  readonly bound: Set<number>;
  /** Where each name is used first. */
  readonly used: Map<string, number>;
  readonly read: Set<string>;
  readonly has: Set<string>;
  readonly asks: Set<string>;
  readonly bodies: Map<string, number>;
  readonly stubs: string[];
  /** A macro makes items: what the file gives is not known. */
  isMade: boolean;
}

export function rustFacts(root: Node): SourceFacts {
  const found: RustFindings = {
    uses: [],
    modules: new Map(),
    paths: [],
    declared: new Set(),
    locals: new Map(),
    bound: new Set(),
    used: new Map(),
    read: new Set(),
    has: new Set(),
    asks: new Set(),
    bodies: new Map(),
    stubs: [],
    isMade: false,
  };
  walk(root, found);
  const top = root.namedChildren.filter(isNode).filter(({ type }) => !/comment|attribute_item/.test(type));
  const last = top.at(-1);
  const given = givenBy(top, found);
  const uses = found.uses.map(({ use }) => use);
  const topUses = found.uses.filter(({ depth }) => depth === 0).map(({ use }) => use);
  return {
    ...UNTOLD,
    ...rustArguments(root, {
      uses: topUses,
      isLocal: (name) => found.locals.has(name),
      moduleOf: (path) => moduleOf(path, 0, found),
    }),
    handsOn: handedOn(topUses, (path) => moduleOf(path, 0, found)),
    references: [
      ...modulesOf(found),
      ...referencesOf(found),
      ...membersWanted(found),
      ...rustMembersRead(root, uses, new Set(found.modules.keys())),
    ],
    exports: [...new Set([...given, ...found.has, ...rustMembersGiven(root)])].sort(),
    areExportsKnown: !found.isMade && !found.uses.some(({ use }) => use.name === "*" && use.isPublic),
    called: [...found.read].filter((name) => !found.has.has(`#${name}`)).sort(),
    undefinedNames: [...looseNames(found), ...unmetTraits(root)].sort(),
    unusedNames: [],
    stubs: found.stubs.slice(0, MAX_STUBS),
    functions: found.bodies.size,
    hollow: found.stubs.length,
    bodies: bySize(found.bodies),
    lastStatement: last ? signatureOf(last) : "",
    endLines: last ? last.endPosition.row - last.startPosition.row + 1 : 0,
    statements: top.slice(-MAX_STATEMENTS).map(signatureOf),
    hasEndComment: /comment/.test(root.lastNamedChild?.type ?? ""),
  };
}

/** Where all of something is taken, it may have any name: of a module every one, of a type its variants, which begin large. */
function looseNames(found: RustFindings): string[] {
  // What an inner module takes all of may be the file itself.
  const globs = found.uses.filter(
    ({ use, depth }) => use.name === "*" && !(depth > 0 && fromFile(use.from, depth) === "self"),
  );
  if (globs.some(({ use }) => !isType(use.from))) return [];
  const names = [...found.used.keys()].filter((name) => isLoose(name, found));
  return globs.length > 0 ? names.filter((name) => !/^[A-Z]/.test(name)) : names;
}

const isType = (path: string): boolean => /^[A-Z]/.test(path.split("::").at(-1) ?? "");

const isLoose = (name: string, { declared, locals, used, uses }: RustFindings): boolean =>
  !declared.has(name) &&
  // Locals stand in front of what names them, in whatever function.
  (locals.get(name) ?? Number.MAX_SAFE_INTEGER) > (used.get(name) ?? 0) &&
  !RUST_OWN.has(name) &&
  !uses.some(({ use }) => use.local === name);

function takeUse(name: string, at: number, { used }: RustFindings): void {
  used.set(name, Math.min(at, used.get(name) ?? at));
}

function walk(root: Node, found: RustFindings): void {
  const stack: { readonly node: Node; readonly depth: number }[] = [{ node: root, depth: 0 }];
  for (let todo = stack.pop(); todo; todo = stack.pop()) {
    const { node, depth } = todo;
    takeNode(node, depth, found);
    const inner = depth + (node.type === "mod_item" ? 1 : 0);
    for (const child of usedChildren(node)) stack.push({ node: child, depth: inner });
  }
}

const BINDS: ReadonlySet<string> = new Set([
  "let_declaration",
  "parameter",
  "for_expression",
  "let_condition",
]);

function usedChildren(node: Node): Node[] {
  switch (node.type) {
    case "use_declaration":
    case "token_tree":
    case "macro_definition":
    case "attribute_item":
    case "inner_attribute_item":
    case "extern_crate_declaration":
    case "visibility_modifier":
    case "lifetime":
    case "label":
    case "scoped_identifier":
    case "scoped_type_identifier":
      return [];
    case "macro_invocation":
      return childrenWithout(node, "macro");
    default:
      return childrenWithout(node, "name", "field");
  }
}

function takeNode(node: Node, depth: number, found: RustFindings): void {
  const name = node.childForFieldName("name");
  switch (node.type) {
    case "identifier":
    case "type_identifier":
      if (!found.bound.has(node.id)) takeUse(node.text, node.startIndex, found);
      return;
    case "use_declaration":
      for (const use of usesIn(node)) found.uses.push({ use, depth });
      return;
    case "mod_item":
      found.declared.add(name?.text ?? "");
      if (depth === 0 && !node.childForFieldName("body")) takeModule(node, name?.text ?? "", found);
      return;
    case "scoped_identifier":
    case "scoped_type_identifier":
      takePath(node, depth, found);
      return;
    case "field_expression":
      found.read.add(node.childForFieldName("field")?.text ?? "");
      return;
    case "macro_invocation":
      takeMacro(node, depth, found);
      return;
    case "function_item":
    case "function_signature_item":
      takeFunction(node, name?.text ?? "", found);
      return;
    case "field_declaration":
    case "enum_variant":
    case "associated_type":
      found.has.add(`#${name?.text ?? ""}`);
      return;
    case "match_pattern":
    case "closure_parameters":
      bindAll(node, node.startIndex, found);
      return;
    default:
      if (BINDS.has(node.type)) bindAll(node.childForFieldName("pattern"), seenFrom(node), found);
      else if (name && /_item$|_parameter$|macro_definition$/.test(node.type)) found.declared.add(name.text);
  }
}

/** After its value; of a parameter at once. */
const seenFrom = (node: Node): number => node.childForFieldName("value")?.endIndex ?? node.startIndex;

function bindAll(pattern: Node | null, from: number, { locals, bound }: RustFindings): void {
  const names = pattern?.descendantsOfType(["identifier", "shorthand_field_identifier"]) ?? [];
  for (const name of pattern?.type === "identifier" ? [pattern, ...names] : names) {
    if (!name) continue;
    bound.add(name.id);
    locals.set(name.text, Math.min(from, locals.get(name.text) ?? from));
  }
}

function takeModule(node: Node, name: string, found: RustFindings): void {
  const before = node.previousNamedSibling;
  // Elsewhere, or not in every build: its file is not looked for.
  if (before?.type === "attribute_item" && /\bpath\s*=|\bcfg/.test(before.text)) return;
  found.modules.set(name, node.startPosition.row + 1);
}

/** `Type::name` reads a member of a type; `crate::a::f` names something of a module. */
function takePath(node: Node, depth: number, found: RustFindings): void {
  const path = (node.childForFieldName("path")?.text ?? "").replace(/\s+|<.*$/g, "");
  const name = node.childForFieldName("name")?.text ?? "";
  const first = path.split("::")[0] ?? "";
  const isOfType = isType(path);
  if (isOfType) found.read.add(name);
  if (path !== "" && !isOfType) found.paths.push({ path, name, depth, line: node.startPosition.row + 1 });
  else if (first !== "" && !isOwnPath(first) && /^[A-Z]/.test(first)) takeUse(first, node.startIndex, found);
}

/** Names in it, but members, paths, names of arguments and what a closure binds. */
function namesInMacro(body: Node): string[] {
  const text = body.text.replace(/"(?:[^"\\]|\\.)*"/g, '""');
  if (/\||\blet\b|\bmatch\b|\bif\b|\bfor\b|=>|'/.test(text)) return [];
  return [...text.matchAll(/(?<![\w.:!#$])([a-z_]\w*)(?!["#\w]|\s*(?:::|!|=[^=]|:|\{))/g)].flatMap(
    ([, name]) => (name === undefined || KEYWORDS.has(name) ? [] : [name]),
  );
}
const KEYWORDS: ReadonlySet<string> = new Set(
  "as async await break const continue dyn else false fn impl in loop mut move ref return static true unsafe where while".split(
    " ",
  ),
);

/** At the level of items it may make any: every word in it counts as declared. */
function takeMacro(node: Node, depth: number, found: RustFindings): void {
  const isItem = /^(?:source_file|declaration_list)$/.test(node.parent?.type ?? "");
  const body = node.namedChildren.find((child) => child?.type === "token_tree");
  const name = node.childForFieldName("macro")?.text ?? "";
  // By its path it is another crate's, or that path is followed.
  if (/^[a-z_]\w*$/.test(name)) found.read.add(`${name}!`);
  if (/^(?:todo|unimplemented)$/.test(name))
    found.stubs.push(`line ${node.startPosition.row + 1}: ${node.text.slice(0, 40)}`);
  if (!isItem && body && PLAIN_MACROS.test(name)) takeArguments(body, depth, found);
  if (!isItem || !body) return;
  found.isMade = true;
  for (const word of body.text.match(/[A-Za-z_]\w*/g) ?? []) found.declared.add(word);
}

function takeArguments(body: Node, depth: number, found: RustFindings): void {
  for (const [, member = ""] of body.text.replace(/"(?:[^"\\]|\\.)*"/g, '""').matchAll(/\.([a-z_]\w*)\s*\(/g))
    found.read.add(member);
  for (const name of namesInMacro(body)) takeUse(name, body.startIndex, found);
  const line = body.startPosition.row + 1;
  for (const [, path = "", name = ""] of body.text.matchAll(PATH_IN_TEXT))
    if (!isType(path)) found.paths.push({ path, name, depth, line });
}

/** `a::b::c` and not a part of it; what stands in quotes is no name, but a path in a text is a rare thing. */
const PATH_IN_TEXT = /(?<![\w:."])([a-z_]\w*(?:::[A-Za-z_]\w*)*)::([A-Za-z_]\w*)(?![\w:])/g;

function takeFunction(node: Node, name: string, found: RustFindings): void {
  const owner = node.parent?.parent?.type ?? "";
  if (owner === "impl_item" || owner === "trait_item") {
    found.has.add(`#${name}`);
    if (node.type === "function_item") found.has.add(`=${name}`);
    else found.asks.add(name);
  } else found.declared.add(name);
  const body = node.childForFieldName("body");
  if (body) takeSize(found.bodies, name, body.endIndex - body.startIndex);
}

/** Methods that a trait of this file asks for and that what implements it here does not have: `Trait::method`. */
function unmetTraits(root: Node): string[] {
  const functionsOf = (node: Node, type: string): string[] =>
    (node.childForFieldName("body")?.namedChildren ?? []).flatMap((one) =>
      one?.type === type ? (one.childForFieldName("name")?.text ?? []) : [],
    );
  const asked = new Map(
    root.namedChildren.flatMap((one): [string, string[]][] =>
      one?.type === "trait_item"
        ? [[one.childForFieldName("name")?.text ?? "", functionsOf(one, "function_signature_item")]]
        : [],
    ),
  );
  return root.namedChildren.flatMap((one) => {
    const name =
      one?.type === "impl_item" ? (one.childForFieldName("trait")?.text ?? "").replace(/<.*$/s, "") : "";
    // A macro in it may make the rest.
    const isMade = one
      ?.childForFieldName("body")
      ?.namedChildren.some((inner) => inner?.type === "macro_invocation");
    if (!one || isMade) return [];
    const has = new Set(functionsOf(one, "function_item"));
    return (asked.get(name) ?? []).filter((method) => !has.has(method)).map((method) => `${name}::${method}`);
  });
}

/** What other modules may take of it: items, modules, and what it took itself. */
function givenBy(top: readonly Node[], { uses }: RustFindings): Set<string> {
  const names = new Set<string>();
  for (const node of top) {
    const name = node.childForFieldName("name")?.text;
    if (name !== undefined) names.add(name);
    // Exported, it is the crate's, in whatever module it stands.
    if (name !== undefined && node.type === "macro_definition") names.add(`${name}!`);
  }
  for (const { use, depth } of uses) if (depth === 0) names.add(use.local);
  names.delete("*");
  names.delete("_");
  return names;
}

const plain = { isType: false, isOptional: false } as const;

const modulesOf = ({ modules }: RustFindings): Reference[] =>
  [...modules].map(([name, line]) => ({ specifier: `mod ${name}`, names: [], line, ...plain }));

function referencesOf(found: RustFindings): Reference[] {
  const { uses, paths } = found;
  const ofUses = uses.map(({ use, depth }) => ({ ...use, path: use.from, depth }));
  const byModule = new Map<string, { names: Set<string>; line: number }>();
  for (const { path, depth, name, line } of [...ofUses, ...paths]) {
    const from = moduleOf(path, depth, found);
    if (from === null) continue;
    const known = byModule.get(from) ?? { names: new Set<string>(), line };
    if (name !== "*" && name !== "self" && name !== "super") known.names.add(name);
    byModule.set(from, known);
  }
  const all = [...byModule].map(([specifier, { names, line }]) => ({
    specifier,
    names: [...names].sort(),
    line,
    ...plain,
  }));
  return [...all, ...ofGlobs(found)];
}

/**
 * The module that a path means: of its own crate by a word of the language, by what the file declares, by what it took; else `::crate::module`,
 * which may be a crate of the workspace, or its own by its name. Null: not to be told, or of the language.
 */
function moduleOf(path: string, depth: number, { modules, uses, declared }: RustFindings): string | null {
  if (isOwnPath(path)) return fromFile(path, depth);
  const [first = "", ...rest] = path.replace(/^::/, "").split("::");
  if (first === "") return null;
  if (depth === 0 && modules.has(first)) return `self::${path}`;
  const taken = uses.find(
    ({ depth: at, use }) => at === depth && use.local === first && use.name !== "*",
  )?.use;
  const isItself = taken && taken.from === "" && taken.name === first;
  if (!taken || isItself)
    return declared.has(first) || RUST_OWN.has(first) ? null : `::${[first, ...rest].join("::")}`;
  const whole = [taken.from, taken.name, ...rest].filter((word) => word !== "").join("::");
  if (isOwnPath(whole)) return depth === 0 ? whole : null;
  return RUST_OWN.has(whole.split("::")[0] ?? "") ? null : `::${whole.replace(/^::/, "")}`;
}

/** Names that only what was taken whole can bring: which of them, nobody tells; but one that it had and has no more is missed. */
function ofGlobs(found: RustFindings): Reference[] {
  const loose = [...found.used.keys()].filter((name) => isLoose(name, found)).sort();
  if (loose.length === 0) return [];
  return found.uses.flatMap(({ use, depth }) => {
    const specifier = use.name === "*" && !isType(use.from) ? moduleOf(use.from, depth, found) : null;
    return specifier === null || specifier === "self"
      ? []
      : [{ specifier, names: loose, isOfValue: true, line: use.line, ...plain }];
  });
}

function signatureOf(node: Node): string {
  const name =
    node.childForFieldName("name") ?? node.childForFieldName("type") ?? node.childForFieldName("argument");
  const of = node.childForFieldName("trait")?.text ?? "";
  return `${node.type} ${of}${of === "" ? "" : " for "}${(name?.text ?? "").split("\n")[0] ?? ""}`;
}
