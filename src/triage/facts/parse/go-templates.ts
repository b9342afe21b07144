/**
 * Templates in texts of Go (text/template, html/template): what they read of the value they are given, by its name alone, and the keys of
 * what may be given to them. Which value it is, nobody here can tell; one that nothing has is a doubt.
 */
import type { Node } from "web-tree-sitter";
import { OF_TEMPLATES, type Reference } from "../known/file-facts.ts";

/** Of one file; more is data. */
const MAX_NAMES = 200;
const ACTION = /\{\{-?\s*([^{}]*?)\s*-?\}\}/g;
/** The first member of a chain: what it has in turn may be of any package. */
const MEMBER = /(?<![\w).\]$])\.([A-Z]\w*)/g;

const textsOf = (root: Node): Node[] =>
  root
    .descendantsOfType(["raw_string_literal", "interpreted_string_literal"])
    .filter((one): one is Node => one !== null);

export function templateReads(root: Node): Reference[] {
  if (!root.text.includes("{{")) return [];
  const found = new Map<string, number>();
  for (const text of textsOf(root))
    for (const [, action = ""] of text.text.matchAll(ACTION))
      for (const [, name = ""] of action.replace(/"[^"]*"/g, "").matchAll(MEMBER))
        if (found.size < MAX_NAMES && !found.has(`#${name}`))
          found.set(`#${name}`, text.startPosition.row + 1);
  if (found.size === 0) return [];
  const names = [...found.keys()].sort();
  const line = Math.min(...found.values());
  return [{ specifier: OF_TEMPLATES, names, isOfType: true, isType: false, isOptional: false, line }];
}

/** Keys of maps, as `#key` among what a file gives: templates read them as they read fields. */
export function templateKeys(root: Node): string[] {
  const keys = root.descendantsOfType("keyed_element").flatMap((element) => {
    const text = element?.namedChild(0)?.text ?? "";
    return /^"[A-Z]\w*"$/.test(text) ? [`#${text.slice(1, -1)}`] : [];
  });
  return [...new Set(keys)].slice(0, MAX_NAMES);
}
