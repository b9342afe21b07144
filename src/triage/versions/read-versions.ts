/** The versions a manifest pins, by name. What cannot be read gives none: parse says so. */
import { parse as parseJsonc } from "jsonc-parser";
import { parse as parseToml, TomlError } from "smol-toml";
import { parse as parseYaml, YAMLError } from "yaml";
import type { ManifestKind } from "../manifests.ts";

export type Versions = Record<string, string>;

type Table = Readonly<Record<string, unknown>>;

const READERS: Readonly<Record<ManifestKind, (text: string) => Versions>> = {
  "package.json": readPackageJson,
  requirements: readRequirements,
  pyproject: readPyproject,
  cargo: readCargo,
  "go.mod": readGoMod,
  "pre-commit": readPreCommit,
  dockerfile: readDockerfile,
  workflow: readWorkflow,
};

export const readVersions = (kind: ManifestKind, text: string): Versions => READERS[kind](text);

const isTable = (value: unknown): value is Table =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const tableAt = (value: unknown, ...path: readonly string[]): Table => {
  let at: unknown = value;
  for (const name of path) at = isTable(at) ? at[name] : undefined;
  return isTable(at) ? at : {};
};
const listAt = (value: unknown, ...path: readonly string[]): unknown[] => {
  const holder = tableAt(value, ...path.slice(0, -1))[path.at(-1) ?? ""];
  return Array.isArray(holder) ? holder : [];
};
const textsIn = (table: Table): [string, string][] =>
  Object.entries(table).flatMap(([name, value]) => {
    const version = isTable(value) ? value.version : value;
    return typeof version === "string" || typeof version === "number" ? [[name, String(version)]] : [];
  });

function readPackageJson(text: string): Versions {
  const root: unknown = parseJsonc(text);
  const versions: Versions = {};
  const own = tableAt(root).version;
  if (typeof own === "string") versions["its own version"] = own;
  for (const field of [
    "dependencies",
    "devDependencies",
    "peerDependencies",
    "optionalDependencies",
    "engines",
  ])
    for (const [name, version] of textsIn(tableAt(root, field))) versions[`${field} ${name}`] = version;
  const manager = tableAt(root).packageManager;
  const at = typeof manager === "string" ? manager.lastIndexOf("@") : -1;
  if (typeof manager === "string" && at > 0)
    versions[`packageManager ${manager.slice(0, at)}`] = manager.slice(at + 1);
  return versions;
}

const REQUIREMENT = /^\s*([A-Za-z0-9][\w.-]*)\s*(?:\[[^\]]*\])?\s*\(?\s*((?:===|==|~=|>=|>|<=|<|!=)[^;#)]*)/;

function readRequirement(line: string): [string, string] | null {
  const match = REQUIREMENT.exec(line);
  if (!match) return null;
  const pins = (match[2] ?? "").split(",").map((pin) => pin.trim());
  const lower = pins.find((pin) => /^(?:===|==|~=|>=|>)/.test(pin));
  return lower === undefined ? null : [(match[1] ?? "").toLowerCase().replaceAll("_", "-"), lower];
}

const fromRequirements = (lines: readonly unknown[]): Versions =>
  Object.fromEntries(
    lines.flatMap((line) => {
      const found = typeof line === "string" ? readRequirement(line) : null;
      return found ? [found] : [];
    }),
  );

function readRequirements(text: string): Versions {
  return fromRequirements(text.split("\n"));
}

function tomlOf(text: string): unknown {
  try {
    return parseToml(text);
  } catch (thrown) {
    if (thrown instanceof TomlError) return {};
    throw thrown;
  }
}

function readPyproject(text: string): Versions {
  const root = tomlOf(text);
  const optional = Object.values(tableAt(root, "project", "optional-dependencies"));
  const groups = Object.values(tableAt(root, "dependency-groups"));
  const poetry = Object.values(tableAt(root, "tool", "poetry", "group")).map((group) =>
    tableAt(group, "dependencies"),
  );
  const own = tableAt(root, "project").version ?? tableAt(root, "tool", "poetry").version;
  const python = tableAt(root, "project")["requires-python"];
  return {
    ...(typeof own === "string" ? { "its own version": own } : {}),
    ...(typeof python === "string" ? { python } : {}),
    ...fromRequirements(listAt(root, "project", "dependencies")),
    ...fromRequirements(listAt(root, "build-system", "requires")),
    ...fromRequirements([...optional, ...groups].flatMap((list) => (Array.isArray(list) ? list : []))),
    ...Object.fromEntries([tableAt(root, "tool", "poetry", "dependencies"), ...poetry].flatMap(textsIn)),
  };
}

function readCargo(text: string): Versions {
  const root = tomlOf(text);
  const own = tableAt(root, "package").version;
  const tables = ["dependencies", "dev-dependencies", "build-dependencies"].map((name) =>
    tableAt(root, name),
  );
  return {
    ...(typeof own === "string" ? { "its own version": own } : {}),
    ...Object.fromEntries([...tables, tableAt(root, "workspace", "dependencies")].flatMap(textsIn)),
  };
}

function readGoMod(text: string): Versions {
  const versions: Versions = {};
  for (const line of text.split("\n")) {
    const go = /^\s*(go|toolchain)\s+(?:go)?(\d\S*)/.exec(line);
    if (go) versions[go[1] ?? ""] = go[2] ?? "";
    const required = /^\s*(?:require\s+)?([\w.-]+\.[\w.-]+\/\S+|[\w.-]+\.[a-z]{2,}\S*)\s+(v\d\S*)/.exec(line);
    if (required && !/^\s*(?:replace|exclude|retract)\b|=>/.test(line))
      versions[required[1] ?? ""] = required[2] ?? "";
  }
  return versions;
}

function yamlOf(text: string): unknown {
  try {
    return parseYaml(text, { logLevel: "silent" });
  } catch (thrown) {
    // Aliases without an anchor come as ReferenceError.
    if (thrown instanceof YAMLError || thrown instanceof ReferenceError) return {};
    throw thrown;
  }
}

function readPreCommit(text: string): Versions {
  const versions: Versions = {};
  for (const repo of listAt(yamlOf(text), "repos")) {
    if (!isTable(repo) || typeof repo.repo !== "string") continue;
    if (typeof repo.rev === "string" || typeof repo.rev === "number") versions[repo.repo] = String(repo.rev);
    for (const hook of listAt(repo, "hooks"))
      for (const [name, version] of Object.entries(fromRequirements(listAt(hook, "additional_dependencies"))))
        versions[`${repo.repo} ${name}`] = version;
  }
  return versions;
}

function readDockerfile(text: string): Versions {
  const versions: Versions = {};
  for (const line of text.split("\n")) {
    const from = /^\s*FROM\s+(?:--\S+\s+)*(\S+?):([\w][\w.-]*)(?:@\S+)?(?:\s|$)/i.exec(line);
    if (from && versions[from[1] ?? ""] === undefined) versions[from[1] ?? ""] = from[2] ?? "";
    const argument = /^\s*(?:ARG|ENV)\s+(\w*VERSION\w*)[= ]"?v?(\d[\w.-]*)/i.exec(line);
    if (argument) versions[argument[1] ?? ""] = argument[2] ?? "";
  }
  return versions;
}

function readWorkflow(text: string): Versions {
  const versions: Versions = {};
  // Lines, not the tree: the same action stands in many steps, and the lowest counts.
  for (const line of text.split("\n")) {
    const uses = /\buses:\s*["']?([^\s"'@]+)@(v?\d[\w.-]*)(?=["'\s]|$)/.exec(line);
    if (uses) versions[uses[1] ?? ""] ??= uses[2] ?? "";
    const tool = /^\s*([\w-]*version):\s*["']?v?(\d[\w.]*)["']?\s*(?:#.*)?$/.exec(line);
    if (tool) versions[tool[1] ?? ""] ??= tool[2] ?? "";
  }
  return versions;
}
