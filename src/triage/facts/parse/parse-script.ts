/** JavaScript and TypeScript: errors as oxc finds them, and what the file refers to, gives and leaves undone. */
import { type ParserOptions, parseSync } from "oxc-parser";
import { lineOf } from "./line-of.ts";
import type { ParsedText } from "./parsed.ts";
import { scriptFacts } from "./script-facts.ts";
import type { Node } from "./script-node.ts";

/** Tried in order: what a `.js` file is, its package says, which is not asked here. */
const ANY: readonly ParserOptions["sourceType"][] = ["unambiguous", "commonjs"];

export function parseScript(path: string, text: string): ParsedText {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const isTyped = /\.[mc]?tsx?$/.test(name);
  const kinds = isTyped || name.endsWith(".mjs") ? [undefined] : ANY;
  const lang = name.endsWith(".ts") || isTyped ? undefined : "jsx";
  let first: ParsedText | null = null;
  for (const sourceType of kinds) {
    const options: ParserOptions = {};
    if (sourceType) options.sourceType = sourceType;
    if (lang) options.lang = lang;
    const result = parseSync(name, text, options);
    const error = result.errors.find(({ severity }) => severity === "Error");
    if (!error) {
      const isDeclaration = /\.d\.[mc]?ts$/.test(name);
      return {
        kind: "sound",
        source: scriptFacts(result.program as unknown as Node, text, { isDeclaration, isTyped }),
      };
    }
    const line = lineOf(text, error.labels[0]?.start ?? text.length);
    first ??= { kind: "broken", line, message: error.message };
  }
  return first ?? { kind: "unparsed", why: "no parser took it" };
}
