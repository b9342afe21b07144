/**
 * Names that are no paths: which of configurations (facts/manifests/aliases.ts) hold for a file, which packages of the workspace have
 * a name, and which packages a script may import.
 */
import type { Alias } from "../../facts/manifests/aliases.ts";
import { folderOfPath, joinPath, nameOfPath } from "../../facts/manifests/manifest-kinds.ts";
import { normalise } from "./resolve.ts";
import type { GroupTree } from "./tree.ts";

export interface ConfigAlias extends Alias {
  /** The configuration that says so: its targets lie beside it. */
  readonly config: string;
}

/** Manifests looked into for the packages of a workspace, those nearest to its root first; one with more is no workspace by hand. */
const MAX_MANIFESTS = 1000;
/** Configurations that extend others; a longer chain is not followed. */
const MAX_EXTENDED = 20;
/** Packages that are there to be tested with. */
const FIXTURE = /(?:^|\/)(?:__fixtures__|fixtures?|testdata|__mocks__|templates?)\//;

interface Configs {
  /** Of compilers, by the folder they lie in. */
  readonly compilers: ReadonlyMap<string, readonly string[]>;
  readonly manifests: readonly string[];
  /** Names of packages, once somebody asks. */
  packages: Promise<ReadonlyMap<string, readonly ConfigAlias[]>> | null;
}

const known = new WeakMap<GroupTree, Configs>();

function configsOf(tree: GroupTree): Configs {
  let found = known.get(tree);
  if (!found) {
    const compilers = new Map<string, string[]>();
    const manifests: string[] = [];
    for (const path of tree.configs()) {
      const folder = folderOfPath(path);
      if (nameOfPath(path) === "package.json") manifests.push(path);
      else compilers.set(folder, [...(compilers.get(folder) ?? []), path]);
    }
    const depth = (path: string): number => path.split("/").length;
    manifests.sort((a, b) => depth(a) - depth(b) || (a < b ? -1 : 1));
    found = { compilers, manifests: manifests.slice(0, MAX_MANIFESTS), packages: null };
    known.set(tree, found);
  }
  return found;
}

const namedIn = async (config: string, tree: GroupTree): Promise<ConfigAlias[]> =>
  ((await tree.factsOf(config))?.aliases ?? []).map((alias) => ({ ...alias, config }));

/** Names of compilers and of the package that hold for a file, the nearest first. */
export async function namesAbove(from: string, tree: GroupTree): Promise<ConfigAlias[]> {
  const { compilers, manifests } = configsOf(tree);
  const configs: string[] = [];
  let hasManifest = false;
  for (let folder = folderOfPath(from); ; folder = folderOfPath(folder)) {
    // The one that tools take by itself before its variants.
    configs.push(...[...(compilers.get(folder) ?? [])].sort((a, b) => a.length - b.length));
    const manifest = folder === "" ? "package.json" : `${folder}/package.json`;
    // `#a` is of the nearest package.
    if (!hasManifest && manifests.includes(manifest)) {
      hasManifest = true;
      configs.push(manifest);
    }
    if (folder === "") break;
  }
  const found = (await Promise.all(configs.map((config) => namedIn(config, tree)))).flat();
  return [...found, ...(await extendedBy(found, new Set(configs), tree))];
}

async function extendedBy(
  named: readonly ConfigAlias[],
  seen: Set<string>,
  tree: GroupTree,
): Promise<ConfigAlias[]> {
  const found: ConfigAlias[] = [];
  const queue = named.filter(({ kind }) => kind === "extends");
  for (let one = queue.shift(); one !== undefined && seen.size < MAX_EXTENDED; one = queue.shift())
    for (const target of one.targets) {
      const at = normalise(`${folderOfPath(one.config)}/${target}`);
      const config = [at, `${at}.json`, `${at}/tsconfig.json`].find(
        (path) => path !== null && tree.has(path),
      );
      if (!config || seen.has(config)) continue;
      seen.add(config);
      const more = await namedIn(config, tree);
      found.push(...more);
      queue.push(...more.filter(({ kind }) => kind === "extends"));
    }
  return found;
}

/** What packages of the workspace give by this name: by the configuration of each. */
export async function packagesNamed(
  name: string,
  from: string,
  tree: GroupTree,
): Promise<readonly ConfigAlias[]> {
  const found = (await packagesIn(tree)).get(name) ?? [];
  return found.filter(({ config }) => {
    const fixture = FIXTURE.exec(config);
    return fixture === null || from.startsWith(config.slice(0, fixture.index + fixture[0].length));
  });
}

function packagesIn(tree: GroupTree): Promise<ReadonlyMap<string, readonly ConfigAlias[]>> {
  const configs = configsOf(tree);
  configs.packages ??= (async () => {
    const packages = new Map<string, ConfigAlias[]>();
    // Side by side: what they ask of HEAD in one turn is read by one command.
    const all = await Promise.all(configs.manifests.map((manifest) => namedIn(manifest, tree)));
    for (const alias of all.flat()) {
      if (alias.kind !== "package") continue;
      const parts = alias.pattern.split("/");
      const name = parts.slice(0, alias.pattern.startsWith("@") ? 2 : 1).join("/");
      packages.set(name, [...(packages.get(name) ?? []), alias]);
    }
    return packages;
  })();
  return configs.packages;
}

/** Whole names by which a file may be imported without its own name in them: `@x/a` for what lies in `packages/a/src/index.ts`. */
export async function otherNamesOf(path: string, stem: string, tree: GroupTree): Promise<string[]> {
  const all = [...(await namesAbove(path, tree)), ...[...(await packagesIn(tree)).values()].flat()];
  const isNear = ({ config, kind }: ConfigAlias): boolean =>
    kind !== "package" || folderOfPath(config) === "" || path.startsWith(`${folderOfPath(config)}/`);
  const isOf = (target: string): boolean =>
    nameOfPath(target).replace(/(?:\.d)?\.[^.]+$/, "") === stem || target.endsWith("/") || target === ".";
  return [
    ...new Set(
      all
        .filter((one) => !one.pattern.includes("*") && one.kind !== "extends" && isNear(one))
        .filter((one) => one.targets.some(isOf) || isMain(path, one))
        .map(({ pattern }) => pattern),
    ),
  ];
}

/** What a package whose main is built is made of (script-target.ts). */
const isMain = (path: string, { kind, config }: ConfigAlias): boolean =>
  kind === "package" &&
  /^(?:src|lib)\/(?:index|main)\.\w+$/.test(path.slice(folderOfPath(config).length).replace(/^\//, ""));

/** What the star of a pattern stands for; null: it is not this name. */
export function starOf(specifier: string, pattern: string): string | null {
  const at = pattern.indexOf("*");
  if (at === -1) return specifier === pattern ? "" : null;
  const [head, tail] = [pattern.slice(0, at), pattern.slice(at + 1)];
  const isMatch =
    specifier.length >= head.length + tail.length && specifier.startsWith(head) && specifier.endsWith(tail);
  return isMatch ? specifier.slice(head.length, specifier.length - tail.length) : null;
}

/** Packages that a script may import: those that a package.json above it names. Null: there is none, or it cannot be read. */
export async function declaredAbove(path: string, tree: GroupTree): Promise<ReadonlySet<string> | null> {
  const names = new Set<string>();
  let isFound = false;
  for (let folder = folderOfPath(path); ; folder = folderOfPath(folder)) {
    const manifest = joinPath(folder, "package.json");
    if (tree.has(manifest)) {
      const versions = (await tree.factsOf(manifest))?.versions;
      if (!versions) return null;
      isFound = true;
      for (const key of Object.keys(versions))
        if (!/^(?:overrides|resolutions|volta) /.test(key)) names.add(key.slice(key.indexOf(" ") + 1));
    }
    if (folder === "") return isFound ? names : null;
  }
}
