/** What a Rust file takes by `use`, declares by `mod` and names by a path of its own crate. Paths are of modules: `crate::a`, `super::b`. */
import type { Node } from "web-tree-sitter";

export interface RustUse {
  /** The module: what stands in front of the last word. */
  readonly from: string;
  /** `*`: all it has. */
  readonly name: string;
  /** What the file calls it. */
  readonly local: string;
  readonly line: number;
  readonly isPublic: boolean;
}

/** Every leaf of the tree that a `use` is. */
export function usesIn(declaration: Node): RustUse[] {
  const found: RustUse[] = [];
  const isPublic = declaration.namedChildren.some((child) => child?.type === "visibility_modifier");
  const take = (node: Node | null, prefix: string): void => {
    if (!node) return;
    const line = node.startPosition.row + 1;
    const add = (path: string, local?: string): void => {
      const at = path.lastIndexOf("::");
      const [from, name] = at === -1 ? ["", path] : [path.slice(0, at), path.slice(at + 2)];
      found.push({ from, name, local: local ?? name, line, isPublic });
    };
    switch (node.type) {
      case "use_list":
        for (const child of node.namedChildren) take(child, prefix);
        return;
      case "scoped_use_list": {
        const path = node.childForFieldName("path");
        take(node.childForFieldName("list"), path ? join(prefix, textOf(path)) : prefix);
        return;
      }
      case "use_as_clause": {
        const path = node.childForFieldName("path");
        if (path) add(join(prefix, textOf(path)), node.childForFieldName("alias")?.text);
        return;
      }
      case "use_wildcard":
        add(join(join(prefix, textOf(node.namedChild(0) ?? node).replace(/::\*$|^\*$/, "")), "*"));
        return;
      case "self":
        if (prefix !== "") add(prefix);
        return;
      default:
        add(join(prefix, textOf(node)));
    }
  };
  take(declaration.childForFieldName("argument"), "");
  return found;
}

/** What others reach through this module, `name specifier imported`: `pub use self::job::batch`. What several builds hand on differently is left out. */
export function handedOn(uses: readonly RustUse[], moduleOf: (path: string) => string | null): string[] {
  const found = uses.flatMap(({ from, name, local, isPublic }) => {
    const specifier = isPublic && from !== "" && name !== "*" ? moduleOf(from) : null;
    return specifier === null ? [] : [{ local, entry: `${local} ${specifier} ${name}` }];
  });
  const isOne = ({ local }: (typeof found)[number]): boolean =>
    found.filter((one) => one.local === local).length === 1;
  return found.filter(isOne).map(({ entry }) => entry);
}

const join = (prefix: string, rest: string): string =>
  prefix === "" ? rest : rest === "" ? prefix : `${prefix}::${rest}`;
const textOf = (node: Node): string => node.text.replace(/\s+/g, "").replace(/<.*$/, "");

/** Whether it is a path of the own crate, and not of another. */
export const isOwnPath = (path: string): boolean => /^(?:crate|self|super)(?:::|$)/.test(path);

/** As it is meant from the file's own module, `depth` modules further out; null: it stays inside of the file. */
export function fromFile(path: string, depth: number): string | null {
  if (depth === 0 || path.startsWith("crate")) return path;
  const parts = path.split("::");
  const ups = parts.findIndex((part) => part !== "super");
  const count = ups === -1 ? parts.length : ups;
  if (parts[0] === "self" || count < depth) return null;
  const rest = parts.slice(depth);
  return count > depth ? rest.join("::") : ["self", ...rest].join("::");
}

/** They take what functions take: what is named in them is used. */
export const PLAIN_MACROS =
  /^(?:e?print(?:ln)?|write(?:ln)?|format|panic|vec|(?:debug_)?assert(?:_eq|_ne)?|unreachable|dbg)$/;

/** In every module without a `use`: the prelude, and what the language itself names. */
export const RUST_OWN: ReadonlySet<string> = new Set(
  "Self self super crate Copy Send Sized Sync Unpin Drop Fn FnMut FnOnce AsyncFn AsyncFnMut AsyncFnOnce drop Box ToOwned Clone PartialEq PartialOrd Eq Ord AsRef AsMut Into From Default Iterator Extend IntoIterator DoubleEndedIterator ExactSizeIterator Option Some None Result Ok Err String ToString Vec TryFrom TryInto FromIterator Debug Hash std core alloc proc_macro test bool char str u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize f32 f64 _ main union".split(
    " ",
  ),
);
