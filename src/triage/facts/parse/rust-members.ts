/**
 * Members of types in Rust: what the types and traits of a file have, and what it reads of `self`, `Self::` and types of the own crate. What a
 * macro, a derive or a trait from elsewhere may add makes a type open (type-members.ts): then it lacks nothing.
 */
import type { Node } from "web-tree-sitter";
import type { Reference } from "../known/file-facts.ts";
import { isNode } from "./grammar-facts.ts";
import { isOwnPath, PLAIN_MACROS, type RustUse } from "./rust-uses.ts";
import { ANY, closedType, embeddingType, memberOf, membersWantedOf, openType } from "./type-members.ts";

/** The specifier of members of types that any module of the crate may declare. */
export const OF_CRATE = "crate";

/** Traits and derives of the standard library and of serde: what they add to a type is in STANDARD. */
const KNOWN_TRAITS: ReadonlySet<string> = new Set(
  "Debug Display Clone Copy PartialEq Eq PartialOrd Ord Hash Default Drop From Into TryFrom TryInto FromStr AsRef AsMut Borrow BorrowMut Send Sync Unpin Error Serialize Deserialize LowerHex UpperHex".split(
    " ",
  ),
);
/** What any type may have by traits of the standard library. */
const STANDARD: ReadonlySet<string> = new Set(
  "clone clone_from to_owned to_string eq ne partial_cmp lt le gt ge cmp max min clamp hash default drop from into try_from try_into from_str as_ref as_mut borrow borrow_mut type_id source description cause fmt serialize deserialize".split(
    " ",
  ),
);
/** Attributes that add nothing to what they stand on. */
const QUIET =
  /^(?:derive|cfg|cfg_attr|allow|deny|warn|expect|doc|must_use|non_exhaustive|repr|serde|inline|deprecated|test|track_caller|rustfmt|async_trait)\b/;

const ITEMS = [
  "struct_item",
  "union_item",
  "enum_item",
  "trait_item",
  "type_item",
  "impl_item",
  "macro_invocation",
];

export function rustMembersGiven(root: Node): string[] {
  const found = new Set<string>();
  for (const item of root.descendantsOfType(ITEMS))
    for (const name of item ? givenByItem(item) : []) found.add(name);
  return [...found];
}

function givenByItem(item: Node): string[] {
  const name = item.childForFieldName("name")?.text ?? "";
  switch (item.type) {
    case "struct_item":
    case "union_item":
      return [...typeItself(item, name), ...fieldsOf(item).map((field) => memberOf(name, field))];
    case "enum_item":
      return [...typeItself(item, name), ...namesIn(item).map((variant) => memberOf(name, variant))];
    case "trait_item":
      return [...typeItself(item, name), ...ofBody(item, name)];
    case "impl_item":
      return ofImpl(item);
    case "type_item":
      return item.parent?.parent?.type === "impl_item" ? [] : [openType(name)];
    default:
      return /^(?:source_file|declaration_list)$/.test(item.parent?.type ?? "") ? openedBy(item) : [];
  }
}

/** A macro where items stand may make anything of the types it names. */
const openedBy = (macro: Node): string[] =>
  [...new Set(macro.text.match(/\b[A-Z]\w*/g) ?? [])].map((name) => openType(name));

const bodyOf = (item: Node): Node[] => (item.childForFieldName("body")?.namedChildren ?? []).filter(isNode);
const namesIn = (item: Node): string[] =>
  bodyOf(item).flatMap((one) => one.childForFieldName("name")?.text ?? []);

function fieldsOf(item: Node): string[] {
  const body = item.childForFieldName("body");
  if (body?.type !== "ordered_field_declaration_list") return namesIn(item);
  return body.childrenForFieldName("type").map((_, at) => `${at}`);
}

function typeItself(item: Node, name: string): string[] {
  return attributesOf(item).every(isQuiet) ? [closedType(name)] : [closedType(name), openType(name)];
}

function attributesOf(item: Node): string[] {
  const found: string[] = [];
  for (let at = item.previousNamedSibling; at; at = at.previousNamedSibling) {
    if (at.type === "attribute_item") found.push(at.text.replace(/^#\[\s*|\s*\]$/g, ""));
    else if (!/comment/.test(at.type)) break;
  }
  return found;
}

const isQuiet = (attribute: string): boolean =>
  QUIET.test(attribute) &&
  [...attribute.matchAll(/derive\s*\(([^)]*)\)/g)]
    .flatMap(([, list = ""]) => list.split(","))
    .map((path) => path.trim().split("::").at(-1) ?? "")
    .every((trait) => trait === "" || KNOWN_TRAITS.has(trait));

function ofBody(item: Node, type: string): string[] {
  const hasMacro = bodyOf(item).some((one) => one.type === "macro_invocation");
  const names = namesIn(item).map((name) => memberOf(type, name));
  return hasMacro ? [...names, openType(type)] : names;
}

function ofImpl(item: Node): string[] {
  const type = implType(item);
  if (type === null) return [];
  const trait = lastWord(item.childForFieldName("trait"));
  const isAdding = trait !== null && !KNOWN_TRAITS.has(trait);
  return [
    ...(type === ANY ? [closedType(ANY)] : []),
    ...ofBody(item, type),
    ...(isAdding ? [embeddingType(type, trait)] : []),
    ...(attributesOf(item).every(isQuiet) ? [] : [openType(type)]),
  ];
}

/** The type that an impl is of; null: none that has a name. */
function implType(item: Node): string | null {
  const name = lastWord(item.childForFieldName("type"));
  const parameters = item.childForFieldName("type_parameters")?.namedChildren ?? [];
  return parameters.some((one) => one?.childForFieldName("name")?.text === name) ? ANY : name;
}

function lastWord(type: Node | null): string | null {
  switch (type?.type) {
    case "type_identifier":
      return type.text;
    case "generic_type":
    case "reference_type":
      return lastWord(type.childForFieldName("type"));
    case "scoped_type_identifier":
      return type.childForFieldName("name")?.text ?? null;
    default:
      return null;
  }
}

/** What is read of `self`, of `Self` and of types by their plain names, where they may be of the own crate. */
export function rustMembersRead(
  root: Node,
  uses: readonly RustUse[],
  modules: ReadonlySet<string>,
): Reference[] {
  const found = new Map<string, number>();
  const isOurs = (type: string): boolean => {
    const use = uses.find(({ local }) => local === type);
    return use === undefined || isOwnPath(use.from) || modules.has(use.from.split("::")[0] ?? "");
  };
  const want = (type: string | null, member: string | undefined, node: Node): void => {
    if (type === null || type === ANY || member === undefined || STANDARD.has(member) || !isOurs(type))
      return;
    const name = memberOf(type, member);
    if (!found.has(name)) found.set(name, node.startPosition.row + 1);
  };
  const hasForeignGlob = uses.some(({ name, from }) => name === "*" && !isOwnPath(from));
  const stack: { readonly node: Node; readonly self: string | null }[] = [{ node: root, self: null }];
  for (let todo = stack.pop(); todo; todo = stack.pop()) {
    const { node, self } = todo;
    const inner = node.type === "impl_item" ? plainImpl(node) : node.type === "trait_item" ? null : self;
    if (node.type === "field_expression" && node.childForFieldName("value")?.type === "self")
      want(self, node.childForFieldName("field")?.text, node);
    else if (node.type === "scoped_identifier") {
      const path = node.childForFieldName("path")?.text ?? "";
      if (path === "Self") want(self, node.childForFieldName("name")?.text, node);
      else if (/^[A-Z]\w*$/.test(path) && !hasForeignGlob)
        want(path, node.childForFieldName("name")?.text, node);
    } else if (
      node.type === "macro_invocation" &&
      PLAIN_MACROS.test(node.childForFieldName("macro")?.text ?? "")
    )
      for (const [, member] of node.text.replace(/"(?:[^"\\]|\\.)*"/g, "").matchAll(/\bself\.(\w+)/g))
        want(self, member, node);
    if (node.type !== "use_declaration")
      for (const child of node.namedChildren) if (child) stack.push({ node: child, self: inner });
  }
  return membersWantedOf(found.size > 0 ? new Map([[OF_CRATE, found]]) : new Map());
}

/** Of a type by a path from elsewhere another of that name may be meant. */
function plainImpl(item: Node): string | null {
  const type = item.childForFieldName("type");
  const scoped = type?.type === "scoped_type_identifier" ? type : type?.childForFieldName("type");
  if (scoped?.type === "scoped_type_identifier" && !isOwnPath(scoped.text)) return null;
  return implType(item);
}
