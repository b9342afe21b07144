/** What language a path is in, and what that says: source code needs its references checked, data only a parser,
 * prose neither (DESIGN 8). */
export const LANGUAGES = [
  "javascript",
  "typescript",
  "python",
  "go",
  "rust",
  "java",
  "cpp",
  "csharp",
  "ruby",
  "php",
  "shell",
  "css",
  "json",
  "jsonc",
  "jsonl",
  "yaml",
  "toml",
  "prose",
  "source",
  "other",
] as const;
export type Language = (typeof LANGUAGES)[number];
/** `source`: code in a language no parser here knows. `other`: not known what it is. */
export type Nature = "source" | "data" | "prose" | "other";

const BY_EXTENSION: Readonly<Record<string, Language>> = {
  js: "javascript",
  mjs: "javascript",
  cjs: "javascript",
  jsx: "javascript",
  ts: "typescript",
  mts: "typescript",
  cts: "typescript",
  tsx: "typescript",
  py: "python",
  pyi: "python",
  go: "go",
  rs: "rust",
  java: "java",
  c: "cpp",
  h: "cpp",
  cc: "cpp",
  cpp: "cpp",
  cxx: "cpp",
  hh: "cpp",
  hpp: "cpp",
  hxx: "cpp",
  cs: "csharp",
  rb: "ruby",
  rake: "ruby",
  gemspec: "ruby",
  php: "php",
  sh: "shell",
  bash: "shell",
  css: "css",
  json: "json",
  jsonc: "jsonc",
  json5: "other",
  jsonl: "jsonl",
  ndjson: "jsonl",
  yaml: "yaml",
  yml: "yaml",
  toml: "toml",
  md: "prose",
  markdown: "prose",
  mdx: "source",
  txt: "prose",
  rst: "prose",
  adoc: "prose",
  log: "prose",
  org: "prose",
  // code that nothing here can parse: never evidence for safe
  kt: "source",
  swift: "source",
  scala: "source",

  vue: "source",
  svelte: "source",
  astro: "source",
  html: "source",
  htm: "source",
  xml: "source",
  svg: "source",
  scss: "source",
  sass: "source",
  less: "source",
  zsh: "source",
  fish: "source",
  ps1: "source",
  pl: "source",
  pm: "source",
  lua: "source",
  r: "source",
  jl: "source",
  ex: "source",
  exs: "source",
  erl: "source",
  hs: "source",
  ml: "source",
  clj: "source",
  dart: "source",
  zig: "source",
  nim: "source",
  sql: "source",
  graphql: "source",
  proto: "source",
  tf: "source",
  nix: "source",
  mk: "source",
  cmake: "source",
  gradle: "source",
  groovy: "source",
  m: "source",
  mm: "source",
  wat: "source",
  asm: "source",
  s: "source",
  coffee: "source",
  ipynb: "source",
};

const BY_NAME: Readonly<Record<string, Language>> = {
  Makefile: "source",
  GNUmakefile: "source",
  Dockerfile: "source",
  Containerfile: "source",
  Jenkinsfile: "source",
  Rakefile: "ruby",
  Gemfile: "ruby",
  "tsconfig.json": "jsonc",
  "jsconfig.json": "jsonc",
  "refloat.json": "jsonc",
  ".eslintrc": "jsonc",
  ".babelrc": "jsonc",
  ".nycrc": "jsonc",
  ".jshintrc": "jsonc",
  ".jscsrc": "jsonc",
  "Cargo.lock": "toml",
  "poetry.lock": "toml",
  "uv.lock": "toml",
  "go.mod": "other",
  "go.sum": "other",
};

/** Pages that need no ending to be known. */
const PAGE =
  /^(?:readme|changelog|changes|history|authors|contributors|notice|copying|(?:mit-)?licen[cs]e(?:-(?:mit|bsd|isc|apache))?)$/i;

export function languageOf(path: string): Language {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const known = BY_NAME[name];
  if (known) return known;
  if (/^tsconfig\..*\.json$/.test(name) || (name.endsWith(".json") && /(?:^|\/)\.vscode\//.test(path)))
    return "jsonc";
  // What the templates of a chart share.
  if (name.endsWith(".tpl") && /(?:^|\/)templates\//.test(path)) return "yaml";
  const at = name.lastIndexOf(".");
  if (at <= 0) return PAGE.test(name) ? "prose" : "other";
  return BY_EXTENSION[name.slice(at + 1).toLowerCase()] ?? "other";
}

export function natureOf(language: Language): Nature {
  switch (language) {
    case "json":
    case "jsonc":
    case "jsonl":
    case "yaml":
    case "toml":
      return "data";
    case "prose":
      return "prose";
    case "other":
      return "other";
    case "javascript":
    case "typescript":
    case "python":
    case "go":
    case "rust":
    case "java":
    case "cpp":
    case "csharp":
    case "ruby":
    case "php":
    case "shell":
    case "css":
    case "source":
      return "source";
    default:
      return language satisfies never;
  }
}

/** Languages whose references are followed, so that a change in them can be sound. */
export const CHECKED_LANGUAGES: ReadonlySet<Language> = new Set<Language>([
  "javascript",
  "typescript",
  "python",
  "go",
  "rust",
  "java",
]);

/** How the names of their files end, in either case. */
export const CHECKED_ENDINGS: readonly string[] = Object.entries(BY_EXTENSION).flatMap(
  ([ending, language]) => (CHECKED_LANGUAGES.has(language) ? [ending] : []),
);
