/**
 * YAML with Go's template actions in it, as Helm's charts have it: no YAML until it is filled in. What can be read off is whether every
 * action and every block is closed, which templates it defines and which it includes.
 */
import type { Reference, SourceFacts } from "../known/file-facts.ts";
import { MAX_STATEMENTS, UNTOLD } from "./grammar-facts.ts";
import { lineCounter, type ParsedText } from "./parsed.ts";

/** By its place: elsewhere `{{` stands in texts of YAML (`${{ }}` of workflows, `"{{ }}"` of playbooks). */
export const isTemplate = (path: string, text: string): boolean =>
  /(?:^|\/)templates\//.test(path) && text.includes("{{");

/** The specifier of what a template includes: any file of its chart may define it. */
export const OF_CHART = "{{}}";

const OPENS: ReadonlySet<string> = new Set(["if", "range", "with", "define", "block"]);
/** What stands in quotes closes nothing; a comment runs to its own end. */
const ACTION =
  /\{\{-?\s*(?:\/\*[\s\S]*?\*\/|(?:"(?:[^"\\\n]|\\.)*"|`[^`]*`|'(?:[^'\\\n]|\\.)*'|[^}"`']|\}(?!\}))*)\}\}/gy;

export function parseTemplate(text: string): ParsedText {
  const lineOf = lineCounter(text);
  const open: { readonly word: string; readonly at: number }[] = [];
  const broken = (at: number, message: string): ParsedText => ({ kind: "broken", line: lineOf(at), message });
  const actions: { readonly body: string; readonly at: number }[] = [];
  for (let at = text.indexOf("{{"); at !== -1; at = text.indexOf("{{", ACTION.lastIndex)) {
    ACTION.lastIndex = at;
    const found = ACTION.exec(text);
    if (!found) return broken(at, "an action that is not closed");
    actions.push({ body: found[0].slice(2, -2).replace(/^-\s|\s-$/g, ""), at });
    ACTION.lastIndex = at + found[0].length;
  }
  for (const { body, at } of actions) {
    const word = /^\s*(\w+)/.exec(body)?.[1] ?? "";
    if (OPENS.has(word)) open.push({ word, at });
    else if (word === "end" && open.pop() === undefined) return broken(at, "an end of nothing");
    else if (word === "else" && open.length === 0) return broken(at, "an else of nothing");
  }
  const last = open.at(-1);
  if (last) return broken(last.at, `${last.word} without its end`);
  return { kind: "sound", source: factsOf(text, actions, lineOf) };
}

function factsOf(
  text: string,
  actions: readonly { readonly body: string; readonly at: number }[],
  lineOf: (at: number) => number,
): SourceFacts {
  const defined = actions.flatMap(({ body }) => /^\s*(?:define|block)\s+"([^"]+)"/.exec(body)?.[1] ?? []);
  const wanted = new Map<string, number>();
  for (const { body, at } of actions)
    for (const [, name] of body.matchAll(/\b(?:include|template)\s+"([^"]+)"/g))
      if (name !== undefined && !defined.includes(name) && !wanted.has(name)) wanted.set(name, lineOf(at));
  const lines = text.split("\n").flatMap((line) => (line.trim() === "" ? [] : [line.trim()]));
  return {
    ...UNTOLD,
    references: referencesTo(wanted),
    exports: defined.sort(),
    areExportsKnown: true,
    takes: [],
    calls: [],
    callLines: [],
    called: [],
    undefinedNames: [],
    unusedNames: [],
    stubs: [],
    functions: 0,
    hollow: 0,
    bodies: { large: [], middling: [], bare: [] },
    lastStatement: lines.at(-1) ?? "",
    endLines: 1,
    statements: lines.slice(-MAX_STATEMENTS),
    hasEndComment: false,
  };
}

function referencesTo(wanted: ReadonlyMap<string, number>): Reference[] {
  if (wanted.size === 0) return [];
  const line = Math.min(...wanted.values());
  return [{ specifier: OF_CHART, names: [...wanted.keys()].sort(), isType: false, isOptional: false, line }];
}
