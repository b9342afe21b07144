/** Package manifests and their lockfiles: which belong together, and where versions are pinned. And which package a specifier names. */
export type ManifestKind =
  | "package.json"
  | "requirements"
  | "pyproject"
  | "cargo"
  | "go.mod"
  | "chart"
  | "pre-commit"
  | "dockerfile"
  | "workflow";

export const MANIFEST_GLOBS: Readonly<Record<ManifestKind, readonly string[]>> = {
  "package.json": ["package.json"],
  requirements: [
    "requirements*.txt",
    "requirements*.in",
    "constraints*.txt",
    "requirements/**/*.txt",
    "requirements/**/*.in",
  ],
  pyproject: ["pyproject.toml"],
  cargo: ["Cargo.toml"],
  "go.mod": ["go.mod"],
  chart: ["Chart.yaml"],
  "pre-commit": [".pre-commit-config.yaml"],
  dockerfile: ["Dockerfile*", "*.dockerfile", "*.Dockerfile", "Containerfile*"],
  workflow: [".github/workflows/*.y*ml", ".github/actions/**/action.y*ml"],
};

const PATTERNS: readonly [ManifestKind, RegExp][] = [
  ["package.json", /(?:^|\/)package\.json$/],
  [
    "requirements",
    /(?:^|\/)(?:requirements|constraints)[^/]*\.(?:txt|in)$|(?:^|\/)requirements\/.*\.(?:txt|in)$/,
  ],
  ["pyproject", /(?:^|\/)pyproject\.toml$/],
  ["cargo", /(?:^|\/)Cargo\.toml$/],
  ["go.mod", /(?:^|\/)go\.mod$/],
  ["chart", /(?:^|\/)Chart\.yaml$/],
  ["pre-commit", /(?:^|\/)\.pre-commit-config\.ya?ml$/],
  ["dockerfile", /(?:^|\/)(?:Dockerfile|Containerfile)[^/]*$|\.dockerfile$/i],
  ["workflow", /(?:^|\/)\.github\/(?:workflows\/[^/]+\.ya?ml|actions\/.*action\.ya?ml)$/],
];

/** In front of a module of Python that a manifest names (named-files.ts). */
export const MODULE = "module:";

export function manifestKindOf(path: string): ManifestKind | null {
  return PATTERNS.find(([, pattern]) => pattern.test(path))?.[0] ?? null;
}

/** Manifest names, and the lockfiles that may lie beside them or in a folder above. */
export const LOCKFILES: Readonly<Record<string, readonly string[]>> = {
  "package.json": [
    "package-lock.json",
    "npm-shrinkwrap.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "bun.lock",
    "bun.lockb",
  ],
  "pyproject.toml": ["poetry.lock", "uv.lock", "pdm.lock"],
  Pipfile: ["Pipfile.lock"],
  "Cargo.toml": ["Cargo.lock"],
  "go.mod": ["go.sum"],
  Gemfile: ["Gemfile.lock"],
  "composer.json": ["composer.lock"],
};

/** Files that say which packages a Python project needs. */
export const declaresPython = (path: string): boolean =>
  manifestKindOf(path) === "requirements" ||
  /(?:^|\/)(?:[^/]*requirements[^/]*\.(?:txt|in)|pyproject\.toml|setup\.(?:cfg|py)|Pipfile|tox\.ini|(?:environment|conda)[^/]*\.ya?ml)$/.test(
    path,
  );

/** Files whose words say which packages there are, in languages whose manifests write a name in many ways. */
export const declaresPackages = (path: string): boolean =>
  declaresPython(path) || manifestKindOf(path) === "cargo";

export const nameOfPath = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
export const folderOfPath = (path: string): string =>
  path.includes("/") ? path.slice(0, path.lastIndexOf("/")) : "";
export const joinPath = (folder: string, name: string): string =>
  folder === "" ? name : `${folder}/${name}`;

export function isLockfile(path: string): boolean {
  const name = nameOfPath(path);
  return Object.values(LOCKFILES).some((locks) => locks.includes(name));
}

/** Where a manifest's lockfile may be: beside it, or in a folder above (a workspace of packages). */
export function lockfilePlaces(manifest: string): string[] {
  const names = LOCKFILES[nameOfPath(manifest)] ?? [];
  const places: string[] = [];
  for (let folder = folderOfPath(manifest); ; folder = folderOfPath(folder)) {
    places.push(...names.map((name) => joinPath(folder, name)));
    if (folder === "") return places;
  }
}

/** `@a/b/c` and `a/c` name the packages `@a/b` and `a`. Null: not the name of a package. */
export function packageOf(specifier: string): string | null {
  if (/^(?:node:|#|\/|\.|[a-z]+:|[@~]\/|\$|virtual:)/.test(specifier) || specifier === "") return null;
  const parts = specifier.split("/");
  const name = specifier.startsWith("@") ? parts.slice(0, 2).join("/") : (parts[0] ?? "");
  return /^(?:@[a-z0-9~-][\w.~-]*\/)?[a-z0-9~-][\w.~-]*$/i.test(name) ? name : null;
}

const COMPILER = /^[tj]sconfig(?:[.-][^/]*)?\.json$/;

/** A configuration by which sources are imported under other names (aliases.ts). */
export const isAliasing = (path: string): boolean =>
  nameOfPath(path) === "package.json" || COMPILER.test(nameOfPath(path));
