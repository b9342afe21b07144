/**
 * The file that a script means by a specifier: beside it, or by a name that a configuration gives it (`@/load`, `lib/load`, `#load`,
 * a package of the workspace). What a build means by a name that nothing here explains is guessed by its path: such a guess is
 * evidence of doubt, never of harm, and where there is not even a guess nothing is said to resolve (S3).
 */
import { isBuiltin } from "node:module";
import { folderOfPath, nameOfPath, packageOf } from "../../facts/manifests/manifest-kinds.ts";
import { type ConfigAlias, declaredAbove, namesAbove, packagesNamed, starOf } from "./alias-names.ts";
import { isRelative, normalise, scriptCandidates } from "./resolve.ts";
import type { GroupTree } from "./tree.ts";

export type Target =
  /** A package, a builtin, something out of the workspace: not ours to follow. */
  | { readonly kind: "outside" }
  /** `place`: where it would be, without its ending. */
  | { readonly kind: "missing-file"; readonly place?: string }
  /** Ours by its name, and what it means cannot be told. */
  | { readonly kind: "uncertain" }
  | { readonly kind: "file"; readonly path: string; readonly isGuess: boolean };

const OUTSIDE = { kind: "outside" } as const;
const UNCERTAIN = { kind: "uncertain" } as const;

export async function scriptTarget(from: string, specifier: string, tree: GroupTree): Promise<Target> {
  if (specifier.includes("!")) return OUTSIDE;
  return isRelative(specifier) ? placedAt(from, specifier, tree) : byName(from, specifier, tree);
}

async function placedAt(from: string, specifier: string, tree: GroupTree): Promise<Target> {
  const candidates = scriptCandidates(from, specifier);
  if (candidates.length === 0) return OUTSIDE;
  const first = candidates.find((candidate) => tree.has(candidate));
  if (first === undefined) return { kind: "missing-file" };
  const isFolder = first.endsWith("package.json") && !specifier.endsWith("package.json");
  return { kind: "file", path: isFolder ? await mainOf(first, candidates, tree) : first, isGuess: false };
}

/** A folder with a manifest means its main. */
async function mainOf(manifest: string, others: readonly string[], tree: GroupTree): Promise<string> {
  const [main] = (await tree.factsOf(manifest))?.entries ?? [];
  const named =
    main === undefined ? [] : scriptCandidates(manifest, main.startsWith("./") ? main : `./${main}`);
  return [...named, ...others].find((at) => at !== manifest && tree.has(at)) ?? manifest;
}

const ELSEWHERE = /^(?:\/|[a-z][a-z\d+.-]*:|$)/i;

async function byName(from: string, specifier: string, tree: GroupTree): Promise<Target> {
  if (ELSEWHERE.test(specifier)) return OUTSIDE;
  const names = await namesAbove(from, tree);
  const [paths, base] = [
    await mapped(
      from,
      specifier,
      names.filter(({ kind }) => kind === "paths" || kind === "imports"),
      tree,
    ),
    await mapped(
      from,
      specifier,
      names.filter(({ kind }) => kind === "base"),
      tree,
    ),
  ];
  // What runs means Node's own by it, what compiles may mean ours.
  if (isBuiltin(specifier)) {
    const ours = [paths, base].find((one) => one?.kind === "file");
    return ours?.kind === "file" ? { ...ours, isGuess: true } : OUTSIDE;
  }
  if (paths?.kind === "file") return paths;
  const own = await ofWorkspace(from, specifier, tree);
  if (own) return own;
  const declared = await declaredAbove(from, tree);
  const name = packageOf(specifier);
  const isDeclared = name !== null && (declared?.has(name) || declared?.has(typesOf(name)));
  if (isDeclared) return OUTSIDE;
  if (base?.kind === "file") return base;
  const guess = paths === null ? guessed(specifier, tree) : null;
  return paths ?? guess ?? (base ? inBase(base, specifier, tree) : unexplained(specifier));
}

const typesOf = (name: string): string => `@types/${name.replace(/^@/, "").replace("/", "__")}`;

/** The first of the places that names stand for and that is there. Null: none of them is meant. */
async function mapped(
  from: string,
  specifier: string,
  names: readonly ConfigAlias[],
  tree: GroupTree,
): Promise<Target | null> {
  const matches = names.flatMap((named) => {
    const star = starOf(specifier, named.pattern);
    return star === null ? [] : [{ ...named, star }];
  });
  const lengthOf = (pattern: string): number =>
    pattern.includes("*") ? pattern.indexOf("*") : Number.MAX_SAFE_INTEGER;
  matches.sort((a, b) => lengthOf(b.pattern) - lengthOf(a.pattern));
  if (matches.length === 0) return null;
  const places = matches.flatMap(({ config, kind, targets, star }) =>
    targets
      // An import of a package may stand for another package.
      .filter((target) => kind === "paths" || kind === "base" || target.startsWith(".") || kind === "package")
      .flatMap(
        (target) =>
          placeOf(
            config,
            target.replaceAll("*", () => star),
          ) ?? [],
      ),
  );
  for (const place of places) {
    const target = await inTree(from, place.path, tree);
    if (target.kind === "file") return target;
  }
  for (const source of places.flatMap((place) => sourcesOf(place, tree))) {
    const target = await inTree(from, source, tree);
    if (target.kind === "file") return { ...target, isGuess: true };
  }
  const [meant] = places.filter((place) => !isBuilt(place, tree));
  if (meant) return { kind: "missing-file", place: meant.path };
  return places.length > 0 ? UNCERTAIN : OUTSIDE;
}

interface MappedPath {
  /** From the root of the workspace. */
  readonly path: string;
  /** The folder of the configuration. */
  readonly folder: string;
}

/** Null: out of the workspace, or installed. */
function placeOf(config: string, target: string): MappedPath | null {
  const folder = folderOfPath(config);
  const path = normalise(`${folder}/${target}`);
  return path === null || /(?:^|\/)node_modules\//.test(path) ? null : { path, folder };
}

/** Beside the root, and with the ending of who asks: typed files mean types. */
const inTree = (from: string, path: string, tree: GroupTree): Promise<Target> =>
  placedAt(nameOfPath(from), path === "" ? "./" : `./${path}`, tree);

const BUILT = /^(?:_?build|cjs|dist|es|esm|lib|out|release|target|types|umd)\//;
const withinFolder = ({ path, folder }: MappedPath): string =>
  folder === "" ? path : path.slice(folder.length + 1);

/** A build's folder is not there. */
const isBuilt = (place: MappedPath, tree: GroupTree): boolean => {
  const found = BUILT.exec(withinFolder(place))?.[0];
  return found !== undefined && !tree.hasFolder(`${place.folder}/${found.slice(0, -1)}`.replace(/^\//, ""));
};

/** What is built in `dist` is made of what lies in `src`, most often. */
function sourcesOf(place: MappedPath, tree: GroupTree): string[] {
  if (!isBuilt(place, tree)) return [];
  let rest = withinFolder(place);
  while (BUILT.test(rest)) rest = rest.replace(BUILT, "");
  const bare = rest.replace(/(?:\.d)?\.[mc]?[jt]sx?$/, "").replace(/^src\//, "");
  return ["src", "lib", "source", ""].map((at) =>
    [place.folder, at, bare].filter((part) => part !== "").join("/"),
  );
}

/** Of a package of this workspace, by its name; null: none here has it. */
async function ofWorkspace(from: string, specifier: string, tree: GroupTree): Promise<Target | null> {
  const name = packageOf(specifier);
  const packages = name === null ? [] : await packagesNamed(name, from, tree);
  if (packages.length === 0) return null;
  const target = await mapped(from, specifier, packages, tree);
  // Without a main it may be what it is made of.
  const folders = new Set(packages.map(({ config }) => folderOfPath(config)));
  const main = specifier === name ? await firstMain(from, folders, tree) : null;
  const found = target?.kind === "file" ? target : main;
  if (found?.kind !== "file") return UNCERTAIN;
  return folders.size > 1 ? { ...found, isGuess: true } : found;
}

async function firstMain(from: string, folders: Iterable<string>, tree: GroupTree): Promise<Target | null> {
  for (const folder of folders)
    for (const at of ["src/index", "lib/index", "src/main"]) {
      const target = await inTree(from, folder === "" ? at : `${folder}/${at}`, tree);
      if (target.kind === "file") return { ...target, isGuess: true };
    }
  return null;
}

/** Nothing of this name lies in the base: missing where its folder does, and else maybe a package that nothing declares. */
function inBase(base: Target, specifier: string, tree: GroupTree): Target {
  if (base.kind !== "missing-file" || base.place === undefined) return base;
  const first = specifier.split("/")[0] ?? "";
  const folder = `${base.place.slice(0, base.place.length - specifier.length)}${first}`;
  return specifier.includes("/") && tree.hasFolder(folder) ? base : UNCERTAIN;
}

/** Names that no package can have, or nobody would give one. */
const OURS = /^(?:[@~]\/|#|\$lib\/|src\/)/;
const SCRIPT = /(?:\.d)?\.[mc]?[jt]sx?$/;

const unexplained = (specifier: string): Target => (OURS.test(specifier) ? UNCERTAIN : OUTSIDE);

/** `@/lib/auth` may be `src/lib/auth.ts`. Null: nothing here ends like that. */
function guessed(specifier: string, tree: GroupTree): Target | null {
  const tail = specifier.replace(/^(?:[@~#$]?\/|[@~#$]|src\/)/, "").replace(/[?].*$|\/$/, "");
  if (tail === "" || (!OURS.test(specifier) && !tail.includes("/"))) return null;
  const bare = tail.replace(SCRIPT, "");
  const isMeant = (path: string): boolean =>
    `/${path}`.endsWith(`/${tail}`) ||
    `/${path}`
      .replace(SCRIPT, "")
      .replace(/\/index$/, "")
      .endsWith(`/${bare}`);
  const [path] = tree
    .byName(nameOfPath(bare))
    .filter(isMeant)
    .sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
  return path === undefined ? null : { kind: "file", path, isGuess: true };
}
