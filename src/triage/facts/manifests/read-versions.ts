/** The versions a manifest pins, by name. What cannot be read gives none: parse says so. */
import { parse as parseJsonc } from "jsonc-parser";
import type { ManifestKind } from "./manifest-kinds.ts";
import { readWorkflow, yamlStrings } from "./read-workflow.ts";
import { isTable, listAt, tableAt, textsIn, tomlOf, type Versions, within } from "./tables.ts";
import { keepLowest } from "./version-order.ts";

const READERS: Readonly<Record<ManifestKind, (text: string) => Versions>> = {
  "package.json": readPackageJson,
  requirements: readRequirements,
  pyproject: readPyproject,
  cargo: readCargo,
  "go.mod": readGoMod,
  chart: readChart,
  "pre-commit": readPreCommit,
  dockerfile: readDockerfile,
  workflow: readWorkflow,
};

export const readVersions = (kind: ManifestKind, text: string): Versions => READERS[kind](text);

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
  for (const [part, value] of [
    ["overrides", tableAt(root).overrides],
    ["overrides", tableAt(root, "pnpm").overrides],
    ["resolutions", tableAt(root).resolutions],
    ["volta", tableAt(root).volta],
  ] as const)
    Object.assign(versions, within(part, nestedTexts(value)));
  const manager = tableAt(root).packageManager;
  const at = typeof manager === "string" ? manager.lastIndexOf("@") : -1;
  if (typeof manager === "string" && at > 0)
    versions[`packageManager ${manager.slice(0, at)}`] = manager.slice(at + 1);
  return versions;
}

/** Overrides lie inside each other: which package, for whom. */
function nestedTexts(value: unknown, above = ""): [string, string][] {
  if (!isTable(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const path = above === "" ? name : `${above} > ${name}`;
    return typeof inner === "string" ? [[path, inner] as [string, string]] : nestedTexts(inner, path);
  });
}

/** A chart of Helm: what it is, what it installs, and the charts it takes. */
function readChart(text: string): Versions {
  const root = yamlStrings(text);
  const versions: Versions = {};
  const own = textsIn(tableAt(root)).filter(([name]) => /^(?:version|appVersion|kubeVersion)$/.test(name));
  for (const [name, version] of own) versions[name === "version" ? "its own version" : name] = version;
  for (const one of listAt(root, "dependencies")) {
    const { name, version } = tableAt(one);
    if (typeof name === "string" && typeof version === "string") versions[`dependencies ${name}`] = version;
  }
  return versions;
}

function readRequirements(text: string): Versions {
  return fromRequirements(text.split("\n"));
}

function readPyproject(text: string): Versions {
  const root = tomlOf(text);
  const poetry = tableAt(root, "tool", "poetry");
  const own = tableAt(root, "project").version ?? poetry.version;
  const python = tableAt(root, "project")["requires-python"];
  const lists = [
    ...Object.entries(tableAt(root, "project", "optional-dependencies")),
    ...Object.entries(tableAt(root, "dependency-groups")),
    ["build-system", listAt(root, "build-system", "requires")] as const,
    ["uv dev", listAt(root, "tool", "uv", "dev-dependencies")] as const,
  ];
  const tables = [
    ["dev", poetry["dev-dependencies"]] as const,
    ...Object.entries(tableAt(poetry, "group")).map(
      ([name, group]) => [name, tableAt(group, "dependencies")] as const,
    ),
    ["sources", tableAt(root, "tool", "uv", "sources")] as const,
  ];
  return {
    ...(typeof own === "string" ? { "its own version": own } : {}),
    ...(typeof python === "string" ? { python } : {}),
    ...Object.assign(
      {},
      ...lists.map(([part, list]) => within(part, fromRequirements(Array.isArray(list) ? list : []))),
      ...tables.map(([part, table]) => within(part, textsIn(isTable(table) ? table : {}))),
    ),
    ...fromRequirements(listAt(root, "project", "dependencies")),
    ...Object.fromEntries(textsIn(tableAt(poetry, "dependencies"))),
  };
}

const CARGO_TABLES = ["dependencies", "dev-dependencies", "build-dependencies"];

function readCargo(text: string): Versions {
  const root = tomlOf(text);
  const own = tableAt(root, "package");
  const holders = [
    ["", root],
    ["workspace", tableAt(root, "workspace")],
    ...Object.entries(tableAt(root, "target")),
  ] as const;
  const versions: Versions = {};
  for (const [holder, value] of holders)
    for (const table of CARGO_TABLES) {
      const part = [holder, table === "dependencies" ? "" : table].filter((word) => word !== "").join(" ");
      const found = textsIn(tableAt(value, table));
      Object.assign(versions, part === "" ? Object.fromEntries(found) : within(part, found));
    }
  for (const [name, key] of [
    ["its own version", "version"],
    ["rust", "rust-version"],
    ["edition", "edition"],
  ] as const)
    if (typeof own[key] === "string") versions[name] = own[key];
  return versions;
}

function readGoMod(text: string): Versions {
  const versions: Versions = {};
  for (const line of text.split("\n").map((whole) => whole.replace(/\/\/.*/, ""))) {
    const go = /^\s*(go|toolchain)\s+(?:go)?(\d\S*)/.exec(line);
    if (go) versions[go[1] ?? ""] = go[2] ?? "";
    const replaced = /^\s*(?:replace\s+)?(\S+)(?:\s+v\S+)?\s+=>\s+(\S+)\s+(v\d\S*)/.exec(line);
    if (replaced) versions[`replace ${replaced[1]} => ${replaced[2]}`] = replaced[3] ?? "";
    const required = /^\s*(?:require\s+)?(\S+)\s+(v\d\S*)/.exec(line);
    if (required && !/^\s*(?:replace|exclude|retract)\b|=>/.test(line))
      versions[required[1] ?? ""] = required[2] ?? "";
  }
  return versions;
}

function readPreCommit(text: string): Versions {
  const versions: Versions = {};
  for (const repo of listAt(yamlStrings(text), "repos")) {
    if (!isTable(repo) || typeof repo.repo !== "string") continue;
    if (typeof repo.rev === "string") versions[repo.repo] = repo.rev;
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
    if (from) keepLowest(versions, from[1] ?? "", from[2] ?? "");
    const copied = /^\s*COPY\s+(?:--\S+\s+)*?--from=(\S+?):([\w][\w.-]*)(?:@\S+)?\s/i.exec(line);
    if (copied) keepLowest(versions, copied[1] ?? "", copied[2] ?? "");
    const argument = /^\s*(?:ARG|ENV)\s+(\w*VERSION\w*)[= ]"?v?(\d[\w.-]*)/i.exec(line);
    if (argument) versions[argument[1] ?? ""] = argument[2] ?? "";
  }
  return versions;
}

/** Requirements as PEP 508 writes them: `name[extra]==1.2 ; marker`, `name @ git+https://host/repo@v1.2`. */
const NAME = /^\s*([A-Za-z0-9][\w.-]*)\s*(?:\[[^\]]*\])?\s*/;
const PINS = /^\(?\s*((?:===|==|~=|>=|>|<=|<|!=)[^;#)\\]*)/;
const URL = /^@\s*([^\s;]+)/;
/** A repository without a name in front; pip then takes the name from `#egg=`, or from the repository itself. */
const REPOSITORY = /^\s*(?:-e\s+|--editable[= ]\s*)?((?:git|hg|svn|bzr)\+[^\s#;]+)(?:#\S*?egg=([\w.-]+))?/;

const fromRequirements = (lines: readonly unknown[]): Versions =>
  Object.fromEntries(
    lines.flatMap((line) => {
      const found = typeof line === "string" ? readRequirement(line) : null;
      return found ? [found] : [];
    }),
  );

function readRequirement(line: string): [name: string, pin: string] | null {
  const repository = REPOSITORY.exec(line);
  if (repository) {
    const [, url = "", egg] = repository;
    return [nameOf(egg ?? url.replace(/@[^/@]*$/, "")), url];
  }
  const name = NAME.exec(line);
  if (!name) return null;
  const rest = line.slice(name[0].length);
  const pin = URL.exec(rest)?.[1] ?? boundIn(PINS.exec(rest)?.[1] ?? "");
  // The same package twice, for two Pythons: each line is compared with its own.
  const marker = /;\s*([^#]*[^#\s])/.exec(rest)?.[1];
  return pin === undefined ? null : [`${nameOf(name[1] ?? "")}${marker ? ` ; ${marker}` : ""}`, pin];
}

const nameOf = (text: string): string => text.toLowerCase().replaceAll("_", "-");

/** What it may not fall below; where nothing says so, what it must stay below. */
function boundIn(text: string): string | undefined {
  const pins = text.split(",").map((pin) => pin.trim());
  return pins.find((pin) => /^(?:===|==|~=|>=|>)/.test(pin)) ?? pins.find((pin) => pin.startsWith("<"));
}
