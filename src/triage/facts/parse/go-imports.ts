/** What a Go file imports, under which names, and the names that the language has by itself. Pure. */
import type { Node } from "web-tree-sitter";

/** The specifier of what a file takes from the other files of its own package, which it does not import. */
export const OWN_PACKAGE = ".";

export interface GoImport {
  readonly path: string;
  /** As the file calls it: its alias, else what its path says. */
  readonly local: string;
  readonly isAliased: boolean;
  readonly line: number;
}

export function goImports(root: Node): GoImport[] {
  const found: GoImport[] = [];
  for (const declaration of root.namedChildren) {
    if (declaration?.type !== "import_declaration") continue;
    for (const spec of declaration.descendantsOfType("import_spec")) {
      const path = spec?.childForFieldName("path")?.text.slice(1, -1) ?? "";
      const alias = spec?.childForFieldName("name")?.text;
      if (!spec || path === "") continue;
      const line = spec.startPosition.row + 1;
      found.push({ path, local: alias ?? nameOf(path), isAliased: alias !== undefined, line });
    }
  }
  return found;
}

/** A version at the end is no name: `a/b/v2`, `yaml.v3`. */
function nameOf(path: string): string {
  const parts = path.split("/");
  const last = parts.at(-1) ?? "";
  const name = /^v\d+$/.test(last) && parts.length > 1 ? (parts.at(-2) ?? last) : last;
  return name.replace(/\.v\d+$/, "");
}

/** Whether a name may stand for this import: packages are often called by a part of their path (`go-isatty` is `isatty`). */
export const isNamedBy = ({ path, local, isAliased }: GoImport, name: string): boolean =>
  local === name ||
  (!isAliased && path.split(/[/.\-_]/).some((part) => part === name || part === `go${name}`));

/** Predeclared: types, constants, functions; and cgo's. */
export const GO_OWN: ReadonlySet<string> = new Set(
  "any bool byte comparable complex64 complex128 error float32 float64 int int8 int16 int32 int64 rune string uint uint8 uint16 uint32 uint64 uintptr true false iota nil append cap clear close complex copy delete imag len make max min new panic print println real recover C".split(
    " ",
  ),
);
