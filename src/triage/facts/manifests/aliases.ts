/**
 * Names under which a configuration lets sources be imported, and what each stands for, relative to the file that says so: `paths` and
 * `baseUrl` of a tsconfig.json, `imports`, `exports` and the name of a package.json.
 */
import { parse as parseJsonc } from "jsonc-parser";
import { isAliasing, nameOfPath } from "./manifest-kinds.ts";
import { isTable, listAt, type Table, tableAt, tomlOf } from "./tables.ts";

/**
 * `paths`, `imports`: a pattern and its places. `base`: bare names are looked for in these folders, too. `package`: the name of the
 * package itself, or of a part of it. `extends`: configurations whose names hold here, too.
 * `module`: what the imports of a Go module begin with. `crate`: what paths to a Rust library begin with, and its first file.
 */
export type AliasKind = "paths" | "base" | "imports" | "package" | "extends" | "module" | "crate";

export interface Alias {
  readonly kind: AliasKind;
  /** At most one `*`. */
  readonly pattern: string;
  readonly targets: readonly string[];
}

/** A configuration with more is generated. */
const MAX_ALIASES = 500;

export function aliasesIn(path: string, text: string): Alias[] {
  if (nameOfPath(path) === "go.mod") return ofGoModule(text);
  if (nameOfPath(path) === "Cargo.toml") return ofCrate(tomlOf(text));
  if (!isAliasing(path)) return [];
  const root: unknown = parseJsonc(text);
  const found = nameOfPath(path) === "package.json" ? ofPackage(tableAt(root)) : ofCompiler(tableAt(root));
  return found.filter(({ targets }) => targets.length > 0).slice(0, MAX_ALIASES);
}

function ofGoModule(text: string): Alias[] {
  const name = /^module\s+"?([^\s"]+)/m.exec(text)?.[1];
  return name === undefined ? [] : [{ kind: "module", pattern: name, targets: ["."] }];
}

function ofCrate(root: unknown): Alias[] {
  const [own, lib] = [tableAt(root, "package"), tableAt(root, "lib")];
  const name = lib.name ?? own.name;
  if (typeof name !== "string") return [];
  const place = typeof lib.path === "string" ? lib.path : "src/lib.rs";
  return [{ kind: "crate", pattern: name.replaceAll("-", "_"), targets: [place] }];
}

const texts = (values: readonly unknown[]): string[] =>
  values.filter((one): one is string => typeof one === "string" && one !== "");

function ofCompiler(root: Table): Alias[] {
  const options = tableAt(root, "compilerOptions");
  const local = (target: string): string => target.replace(/^\$\{configDir\}/, ".");
  const base = typeof options.baseUrl === "string" ? local(options.baseUrl) : null;
  const paths = tableAt(options, "paths");
  const parents = texts(Array.isArray(root.extends) ? root.extends : [root.extends]);
  return [
    ...Object.keys(paths).map((pattern): Alias => {
      const targets = texts(listAt(paths, pattern)).map(local);
      const placed = targets.map((target) => (base === null ? target : `${base}/${target}`));
      // Everything bare: looked for as in a base.
      return { kind: pattern === "*" ? "base" : "paths", pattern, targets: placed };
    }),
    ...(base === null ? [] : [{ kind: "base", pattern: "*", targets: [`${base}/*`] } as const]),
    { kind: "extends", pattern: "", targets: parents.filter((one) => one.startsWith(".")) },
  ];
}

function ofPackage(root: Table): Alias[] {
  const imports = tableAt(root, "imports");
  const own = typeof root.name === "string" && root.name !== "" ? ofName(root.name, root) : [];
  return [
    ...Object.keys(imports).map(
      (pattern): Alias => ({ kind: "imports", pattern, targets: leaves(imports[pattern]) }),
    ),
    ...own,
  ];
}

function ofName(name: string, { exports, main, module, types, typings, source }: Table): Alias[] {
  const alias = (pattern: string, targets: readonly string[]): Alias => ({
    kind: "package",
    pattern,
    targets,
  });
  if (exports === undefined || exports === null)
    return [
      alias(name, [...texts([source, types, typings, module, main]), "./index"]),
      alias(`${name}/*`, ["./*"]),
    ];
  const parts = isTable(exports) ? Object.keys(exports).filter((key) => key.startsWith(".")) : [];
  if (parts.length === 0 || !isTable(exports)) return [alias(name, leaves(exports))];
  return parts.map((key) => alias(`${name}${key.slice(1)}`, leaves(exports[key])));
}

/** Every file that conditions choose between. */
function leaves(value: unknown): string[] {
  if (typeof value === "string") return [value];
  if (typeof value !== "object" || value === null) return [];
  return [...new Set(Object.values(value).flatMap(leaves))];
}
