/**
 * Files and folders that a manifest names, relative to it: the ways in of a package.json, and what else one says is there, with
 * `module:a.b` for a module of Python. Patterns are left out: what they mean is only known where they are used.
 */
import { parse as parseJsonc } from "jsonc-parser";
import { type ManifestKind, MODULE } from "./manifest-kinds.ts";
import { isTable, listAt, type Table, tableAt, tomlOf } from "./tables.ts";

/** A manifest with more has patterns. */
const MAX_NAMED = 200;
/** These a registry takes of itself, and a workspace puts them there when it publishes. */
const TAKEN_ANYWAY = /^(?:readme|licen[cs]e|changelog|changes|history|notice|copying|authors)\b/i;

export function namedFiles(kind: ManifestKind, text: string): string[] {
  const named = read(kind, text).filter(
    (one): one is string =>
      typeof one === "string" && one !== "" && !/[*?[\]{}!\n]|^[/~]|^\w+:\/\//.test(one),
  );
  return [...new Set(named)].slice(0, MAX_NAMED);
}

function read(kind: ManifestKind, text: string): unknown[] {
  switch (kind) {
    case "package.json":
      return fromPackage(parseJsonc(text));
    case "pyproject":
      return fromPyproject(tomlOf(text));
    case "cargo":
      return fromCargo(tomlOf(text));
    case "requirements":
    case "go.mod":
    case "chart":
    case "pre-commit":
    case "dockerfile":
    case "workflow":
      return [];
    default:
      return kind satisfies never;
  }
}

const listed = (value: unknown): unknown[] => (Array.isArray(value) ? value : [value]);

function fromPackage(root: unknown): unknown[] {
  const { workspaces, man } = tableAt(root);
  const files = listAt(root, "files").filter((one) => !TAKEN_ANYWAY.test(String(one)));
  const spaces = isTable(workspaces) ? listAt(workspaces, "packages") : listed(workspaces);
  return [...files, ...spaces, ...listed(man)];
}

function fromPyproject(root: unknown): unknown[] {
  const project = tableAt(root, "project");
  const poetry = tableAt(root, "tool", "poetry");
  const setuptools = tableAt(root, "tool", "setuptools");
  const scripts = [
    project.scripts,
    project["gui-scripts"],
    poetry.scripts,
    ...Object.values(tableAt(project, "entry-points")),
  ];
  // Where its packages lie is said elsewhere.
  const packages = setuptools["package-dir"] === undefined ? listAt(setuptools, "packages") : [];
  return [
    ...[project.readme, project.license].map((one) => (isTable(one) ? one.file : null)),
    typeof project.readme === "string" ? project.readme : null,
    ...listAt(project, "license-files"),
    ...listed(poetry.readme),
    ...listAt(root, "tool", "hatch", "build", "targets", "wheel", "packages"),
    ...listAt(root, "tool", "uv", "workspace", "members"),
    ...poetryPackages(poetry),
    ...[...packages, ...listAt(setuptools, "py-modules")].map(moduleOf),
    ...scripts.flatMap((table) => Object.values(isTable(table) ? table : {})).map(moduleOf),
  ];
}

const poetryPackages = (poetry: Table): unknown[] =>
  listAt(poetry, "packages").map((one) => {
    const { include, from } = isTable(one) ? one : {};
    return typeof from === "string" ? `${from}/${String(include)}` : include;
  });

/** `a.b:f [extra]` is of the module `a.b`. */
function moduleOf(value: unknown): string | null {
  const text = isTable(value) ? (value.reference ?? value.callable) : value;
  const module = typeof text === "string" ? /^\s*([A-Za-z_][\w.]*)/.exec(text)?.[1] : undefined;
  return module === undefined ? null : `${MODULE}${module}`;
}

function fromCargo(root: unknown): unknown[] {
  const own = tableAt(root, "package");
  const targets = ["bin", "example", "test", "bench"].flatMap((kind) => listAt(root, kind));
  return [
    ...[tableAt(root, "lib"), ...targets].map((one) => (isTable(one) ? one.path : null)),
    own.build,
    own.readme,
    own["license-file"],
    ...listAt(root, "workspace", "members"),
  ];
}

/** Files a package.json names as its ways in: main, module, types, browser, bin, exports, imports. Patterns are left out. */
const FIELDS = [
  "main",
  "module",
  "types",
  "typings",
  "browser",
  "bin",
  "exports",
  "imports",
  "unpkg",
  "jsdelivr",
];
/** A package with more has patterns. */
const MAX_ENTRIES = 200;

export function packageEntries(text: string): string[] {
  const root: unknown = parseJsonc(text);
  if (typeof root !== "object" || root === null) return [];
  const found = new Set<string>();
  const visit = (value: unknown, field: string): void => {
    if (typeof value === "string") {
      const isPath = field === "main" || field === "bin" || value.startsWith("./") || /\.\w+$/.test(value);
      if (isPath && !value.includes("*") && !value.endsWith("/") && found.size < MAX_ENTRIES)
        found.add(value);
    } else if (typeof value === "object" && value !== null)
      for (const inner of Object.values(value)) visit(inner, field);
  };
  for (const field of FIELDS) visit((root as Record<string, unknown>)[field], field);
  return [...found];
}
