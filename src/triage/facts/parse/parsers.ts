/**
 * The parsers behind one small interface, each loaded when the first file needs it (docs/decisions/0013). The only
 * part of triage that reads anything: the packages' own code and grammars.
 */
import type { Language } from "../paths/languages.ts";
import { type GrammarName, grammarBytes } from "./grammars.ts";
import type { ParsedText } from "./parsed.ts";

export interface Parsers {
  /** In a process of their own, whose death costs nothing but the file: they take texts that are not light (parse-room.ts). */
  readonly isAlone: boolean;
  parse(language: Language, path: string, text: string): Promise<ParsedText>;
}

/** Of what a parser says when it fails: enough to look for it by. */
const MAX_WHY_CHARS = 120;

type ParseText = (path: string, text: string) => ParsedText;

/** How each is loaded; a name: by its grammar. */
const LOADERS: Readonly<Partial<Record<Language, GrammarName | (() => Promise<ParseText>)>>> = {
  javascript: loadScript,
  typescript: loadScript,
  json: async () => (await import("./parse-json.ts")).parseStrictJson,
  jsonc: async () => (await import("./parse-json.ts")).parseJsonWithComments,
  jsonl: async () => (await import("./parse-json.ts")).parseJsonLines,
  yaml: async () => (await import("./parse-yaml.ts")).parseYamlText,
  toml: async () => (await import("./parse-toml.ts")).parseTomlText,
  python: "python",
  go: "go",
  rust: "rust",
  java: "java",
  cpp: "cpp",
  csharp: "c-sharp",
  ruby: "ruby",
  php: "php",
  shell: "bash",
  css: "css",
};

export function createParsers({ isAlone = false }: { readonly isAlone?: boolean } = {}): Parsers {
  const loaded = new Map<unknown, Promise<ParseText>>();
  return {
    isAlone,
    async parse(language, path, text) {
      if (language === "prose") return { kind: "sound", source: null };
      const load = LOADERS[language];
      if (!load) return { kind: "unparsed", why: "no parser for it here" };
      let parse = loaded.get(load);
      if (!parse) {
        parse = typeof load === "string" ? loadGrammar(load) : load();
        loaded.set(load, parse);
      }
      return guarded(await parse, path, text);
    },
  };
}

/** What a parser or a walk over its tree throws is about this text: it costs this file its evidence, and says so. */
function guarded(parse: ParseText, path: string, text: string): ParsedText {
  try {
    return parse(path, text);
  } catch (thrown) {
    return { kind: "unparsed", why: failureOf(thrown), isUnlooked: true };
  }
}

function failureOf(thrown: unknown): string {
  if (thrown instanceof RangeError) return "nested too deep for its parser";
  const [line = ""] = (thrown instanceof Error ? thrown.message : String(thrown)).split("\n");
  return `its parser failed: ${line.slice(0, MAX_WHY_CHARS)}`;
}

async function loadScript(): Promise<ParseText> {
  const { parseScript } = await import("./parse-script.ts");
  return parseScript;
}

async function loadGrammar(name: GrammarName): Promise<ParseText> {
  const { createTreeParser } = await import("./parse-tree.ts");
  return createTreeParser(name, grammarBytes(name));
}
