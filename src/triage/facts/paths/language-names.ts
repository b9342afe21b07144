/** Languages as people call them, for reasons that say what is not looked into here. */
import { CHECKED_LANGUAGES, type Language, languageOf, natureOf } from "./languages.ts";

const TITLES: Readonly<Partial<Record<Language, string>>> = {
  javascript: "JavaScript",
  typescript: "TypeScript",
  python: "Python",
  go: "Go",
  rust: "Rust",
  java: "Java",
  csharp: "C#",
  ruby: "Ruby",
  php: "PHP",
  shell: "Shell",
  css: "CSS",
};

/** Of code that no parser here knows, by the end of its name; others are called as their files end. */
const UNPARSED: Readonly<Record<string, string>> = {
  cmake: "CMake",
  dart: "Dart",
  ex: "Elixir",
  exs: "Elixir",
  fish: "Fish",
  gradle: "Gradle",
  graphql: "GraphQL",
  hs: "Haskell",
  htm: "HTML",
  html: "HTML",
  ipynb: "a notebook",
  jl: "Julia",
  kt: "Kotlin",
  less: "Less",
  lua: "Lua",
  mk: "Make",
  nix: "Nix",
  pl: "Perl",
  pm: "Perl",
  proto: "Protocol Buffers",
  ps1: "PowerShell",
  sass: "Sass",
  scala: "Scala",
  scss: "SCSS",
  sql: "SQL",
  svelte: "Svelte",
  svg: "SVG",
  swift: "Swift",
  tf: "Terraform",
  vue: "Vue",
  xml: "XML",
  zig: "Zig",
  zsh: "Zsh",
};

/** "Java", "SQL", "Dockerfile". */
export function languageTitle(path: string): string {
  const language = languageOf(path);
  const name = path.slice(path.lastIndexOf("/") + 1);
  const ending = name.includes(".") ? name.slice(name.lastIndexOf(".") + 1).toLowerCase() : null;
  if (language === "cpp") return ending === "c" || ending === "h" ? "C" : "C++";
  const title = TITLES[language];
  if (title !== undefined) return title;
  if (ending === null) return name.replace(/^GNUmakefile$/, "Makefile");
  return UNPARSED[ending] ?? `.${ending}`;
}

/** What keeps a file of this kind from being sound by what the workspace shows; null: nothing, its references are followed or it has none. */
export function notLookedFor(path: string): string | null {
  const language = languageOf(path);
  const nature = natureOf(language);
  switch (nature) {
    case "source":
      if (CHECKED_LANGUAGES.has(language)) return null;
      return language === "source"
        ? `${languageTitle(path)} is not parsed here: nothing shows that ${path} is whole`
        : `${languageTitle(path)} is parsed here, its references are not followed`;
    case "other":
      return `what kind of file ${path} is, is not known here`;
    case "data":
    case "prose":
      return null;
    default:
      return nature satisfies never;
  }
}
