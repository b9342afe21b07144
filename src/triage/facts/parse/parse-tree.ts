/**
 * Languages with a tree-sitter grammar. The grammars forgive: an error found is evidence, none found is no proof
 * that a file is whole.
 */
import { Language, type Node, Parser } from "web-tree-sitter";
import type { SourceFacts } from "../known/file-facts.ts";
import { bracketFault, isC } from "./c-brackets.ts";
import { goFault } from "./go-ends.ts";
import { goFacts } from "./go-facts.ts";
import { javaFacts } from "./java-facts.ts";
import type { ParsedText } from "./parsed.ts";
import { pythonFacts } from "./python-facts.ts";
import { rustFacts } from "./rust-facts.ts";

/** Languages whose references are followed; of the others only the tree is looked at. */
const FACTS: Readonly<Record<string, (root: Node) => SourceFacts>> = {
  python: pythonFacts,
  go: goFacts,
  rust: rustFacts,
  java: javaFacts,
};

let started: Promise<void> | null = null;

export async function createTreeParser(
  name: string,
  wasm: Uint8Array,
): Promise<(path: string, text: string) => ParsedText> {
  started ??= Parser.init();
  await started;
  const parser = new Parser();
  parser.setLanguage(await Language.load(wasm));
  return (path, text) => {
    const tree = parser.parse(text);
    if (!tree) return { kind: "unparsed", why: "the parser gave up" };
    // Trees live outside the engine's memory and are freed by hand.
    try {
      const root = tree.rootNode;
      if (root.hasError) return name === "cpp" && isC(path) ? bracketFault(text) : brokenAt(root);
      const fault = name === "go" ? goFault(root) : null;
      if (fault) return { kind: "broken", ...fault };
      return { kind: "sound", source: FACTS[name]?.(root) ?? null };
    } finally {
      tree.delete();
    }
  };
}

function brokenAt(root: Node): ParsedText {
  let at = root;
  for (
    let next: Node | undefined = root;
    next;
    next = at.children.find((child) => child?.hasError) ?? undefined
  ) {
    if (next === at && next !== root) break;
    at = next;
    if (at.isError || at.isMissing) break;
  }
  const message = at.isMissing ? `expected ${at.type}` : "something that does not belong there";
  return { kind: "broken", line: at.startPosition.row + 1, message };
}
