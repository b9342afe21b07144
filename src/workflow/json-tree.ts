/**
 * JSON with the places of its parts, for what JSON.parse cannot do: change one value and leave every other byte
 * as it was, say on which line something stands, and read what a cut-off file still holds. It reads exactly what
 * JSON.parse reads; where that fails, the tree up to the break is handed out. With `comments` it also reads
 * comments and trailing commas (JSONC), for refloat.json.
 */
import type { Json } from "../model/json.ts";
import { MAX_JSON_DEPTH } from "../model/limits.ts";

export interface JsonMember {
  readonly key: string;
  readonly keyStart: number;
  readonly value: JsonNode;
}

export type JsonNode =
  | { readonly kind: "object"; readonly start: number; end: number; readonly members: JsonMember[] }
  | { readonly kind: "array"; readonly start: number; end: number; readonly items: JsonNode[] }
  | { readonly kind: "scalar"; readonly start: number; readonly end: number; readonly value: Json };

export type JsonTree =
  | { readonly kind: "whole"; readonly root: JsonNode }
  | { readonly kind: "broken"; readonly root: JsonNode | null; readonly at: number; readonly why: string };

class Broken extends Error {
  readonly at: number;
  constructor(at: number, why: string) {
    super(why);
    this.at = at;
  }
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
const COMMENT = /\/\/[^\n]*|\/\*[\s\S]*?\*\//y;
const WORDS: readonly (readonly [string, Json])[] = [
  ["null", null],
  ["true", true],
  ["false", false],
];
const [TAB, LINE_FEED, RETURN, BLANK, QUOTE, BACKSLASH] = [9, 10, 13, 32, 34, 92];

export function readJsonTree(text: string, options: { readonly comments?: boolean } = {}): JsonTree {
  let root: JsonNode | null = null;
  let at = text.startsWith("\uFEFF") ? 1 : 0;

  function skip(): void {
    for (;;) {
      const code = text.charCodeAt(at);
      if (code === BLANK || code === LINE_FEED || code === RETURN || code === TAB) at++;
      else if (!options.comments || match(COMMENT) === null) return;
    }
  }

  function match(pattern: RegExp): string | null {
    pattern.lastIndex = at;
    const found = pattern.exec(text)?.[0] ?? null;
    if (found !== null) at += found.length;
    return found;
  }

  /** By hand, because a file of a thousand strings is read for its line numbers. Null: no whole string is here. */
  function string(): string | null {
    if (text.charCodeAt(at) !== QUOTE) return null;
    const start = at;
    let hasEscape = false;
    for (let i = at + 1; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code === BACKSLASH) {
        hasEscape = true;
        i++;
      } else if (code === QUOTE) {
        at = i + 1;
        return hasEscape ? unescaped(text.slice(start, at), start) : text.slice(start + 1, i);
      } else if (code < BLANK) {
        throw new Broken(i, "a string has a control character");
      }
    }
    throw new Broken(text.length, "it ends too early");
  }

  function unescaped(literal: string, start: number): string {
    try {
      return JSON.parse(literal) as string;
    } catch (thrown) {
      if (thrown instanceof SyntaxError) throw new Broken(start, "a string has a bad escape");
      throw thrown;
    }
  }

  function expect(mark: string): void {
    skip();
    if (text[at] !== mark)
      throw new Broken(at, at >= text.length ? "it ends too early" : `${mark} is missing`);
    at++;
  }

  /** True: another element follows; false: the container is closed. */
  function more(close: string, isFirst: boolean): boolean {
    skip();
    if (isFirst && text[at] === close) return end();
    if (!isFirst) {
      if (text[at] === close) return end();
      expect(",");
      skip();
      if (options.comments && text[at] === close) return end();
    }
    return true;
  }

  function end(): false {
    at++;
    return false;
  }

  /** `attach` is called before the inside is read, so that a break leaves what was read before it in place. */
  function value(depth: number, attach: (node: JsonNode) => void): void {
    skip();
    if (depth > MAX_JSON_DEPTH) throw new Broken(at, `it is nested deeper than ${MAX_JSON_DEPTH} levels`);
    const start = at;
    if (text[at] === "{") object(start, depth, attach);
    else if (text[at] === "[") array(start, depth, attach);
    else attach({ kind: "scalar", start, value: scalar(), end: at });
  }

  function object(start: number, depth: number, attach: (node: JsonNode) => void): void {
    const node: JsonNode = { kind: "object", start, end: text.length, members: [] };
    attach(node);
    at++;
    while (more("}", node.members.length === 0)) {
      const keyStart = at;
      const key = string();
      if (key === null) throw new Broken(at, "a name in double quotes is missing");
      expect(":");
      value(depth + 1, (inner) => node.members.push({ key, keyStart, value: inner }));
    }
    node.end = at;
  }

  function array(start: number, depth: number, attach: (node: JsonNode) => void): void {
    const node: JsonNode = { kind: "array", start, end: text.length, items: [] };
    attach(node);
    at++;
    while (more("]", node.items.length === 0)) value(depth + 1, (inner) => node.items.push(inner));
    node.end = at;
  }

  function scalar(): Json {
    const quoted = string();
    if (quoted !== null) return quoted;
    for (const [word, meaning] of WORDS) {
      if (!text.startsWith(word, at)) continue;
      at += word.length;
      return meaning;
    }
    const found = match(NUMBER);
    if (found === null || found === "")
      throw new Broken(at, at >= text.length ? "it ends too early" : "a value is missing or malformed");
    return JSON.parse(found) as Json;
  }

  try {
    value(0, (node) => {
      root = node;
    });
    skip();
    if (at < text.length) throw new Broken(at, "something follows its end");
    return { kind: "whole", root: root as unknown as JsonNode };
  } catch (thrown) {
    if (thrown instanceof Broken) return { kind: "broken", root, at: thrown.at, why: thrown.message };
    throw thrown;
  }
}

/** The value a node stands for; of a repeated name the last one counts, as with JSON.parse. */
export function jsonOf(node: JsonNode): Json {
  switch (node.kind) {
    case "scalar":
      return node.value;
    case "array":
      return node.items.map(jsonOf);
    case "object":
      return Object.fromEntries(node.members.map(({ key, value }) => [key, jsonOf(value)]));
    default:
      return node satisfies never;
  }
}

/** Where a place inside the document stands, or the nearest thing around it that exists. */
export function nodeAt(root: JsonNode, path: readonly (string | number)[]): JsonNode {
  let node = root;
  for (const part of path) {
    const inner: JsonNode | undefined =
      node.kind === "object"
        ? node.members.findLast(({ key }) => key === String(part))?.value
        : node.kind === "array"
          ? node.items[Number(part)]
          : undefined;
    if (!inner) break;
    node = inner;
  }
  return node;
}

/** 1-based, as editors count. */
export function lineOf(text: string, at: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, at);
  const line = before.split("\n").length;
  return { line, column: at - (before.lastIndexOf("\n") + 1) + 1 };
}
