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

class BrokenJson extends Error {
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

export interface JsonDialect {
  readonly comments?: boolean;
  /** A comma before the end of a list; left out: where comments are read. */
  readonly commas?: boolean;
}

export function readJsonTree(text: string, dialect: JsonDialect = {}): JsonTree {
  return new JsonReader(text, dialect).read();
}

/** Reads one text from its beginning to its end or its break; `#at` is how far it is. */
class JsonReader {
  readonly #text: string;
  readonly #hasComments: boolean;
  readonly #hasCommas: boolean;
  #at: number;
  #root: JsonNode | null = null;

  constructor(text: string, { comments = false, commas = comments }: JsonDialect) {
    this.#text = text;
    this.#hasComments = comments;
    this.#hasCommas = commas;
    this.#at = text.startsWith("\uFEFF") ? 1 : 0;
  }

  read(): JsonTree {
    try {
      this.#value(0, (node) => {
        this.#root = node;
      });
      this.#skip();
      if (this.#at < this.#text.length) throw new BrokenJson(this.#at, "something follows its end");
      return { kind: "whole", root: this.#root as unknown as JsonNode };
    } catch (thrown) {
      if (!(thrown instanceof BrokenJson)) throw thrown;
      return { kind: "broken", root: this.#root, at: thrown.at, why: thrown.message };
    }
  }

  /** `attach` is called before the inside is read, so that a break leaves what was read before it in place. */
  #value(depth: number, attach: (node: JsonNode) => void): void {
    this.#skip();
    if (depth > MAX_JSON_DEPTH)
      throw new BrokenJson(this.#at, `it is nested deeper than ${MAX_JSON_DEPTH} levels`);
    const start = this.#at;
    if (this.#text[start] === "{") this.#object(start, depth, attach);
    else if (this.#text[start] === "[") this.#array(start, depth, attach);
    else attach({ kind: "scalar", start, value: this.#scalar(), end: this.#at });
  }

  #object(start: number, depth: number, attach: (node: JsonNode) => void): void {
    const node: JsonNode = { kind: "object", start, end: this.#text.length, members: [] };
    attach(node);
    this.#at++;
    while (this.#isMore("}", node.members.length === 0)) {
      const keyStart = this.#at;
      const key = this.#string();
      if (key === null) throw new BrokenJson(this.#at, "a name in double quotes is missing");
      this.#expect(":");
      this.#value(depth + 1, (inner) => node.members.push({ key, keyStart, value: inner }));
    }
    node.end = this.#at;
  }

  #array(start: number, depth: number, attach: (node: JsonNode) => void): void {
    const node: JsonNode = { kind: "array", start, end: this.#text.length, items: [] };
    attach(node);
    this.#at++;
    while (this.#isMore("]", node.items.length === 0))
      this.#value(depth + 1, (inner) => node.items.push(inner));
    node.end = this.#at;
  }

  #scalar(): Json {
    const quoted = this.#string();
    if (quoted !== null) return quoted;
    for (const [word, meaning] of WORDS) {
      if (!this.#text.startsWith(word, this.#at)) continue;
      this.#at += word.length;
      return meaning;
    }
    const found = this.#match(NUMBER);
    if (found === null || found === "") throw this.#early("a value is missing or malformed");
    return JSON.parse(found) as Json;
  }

  /** By hand, because a file of a thousand strings is read for its line numbers. Null: no whole string is here. */
  #string(): string | null {
    const text = this.#text;
    const start = this.#at;
    if (text.charCodeAt(start) !== QUOTE) return null;
    let hasEscape = false;
    for (let i = start + 1; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code === BACKSLASH) {
        hasEscape = true;
        i++;
      } else if (code === QUOTE) {
        this.#at = i + 1;
        return hasEscape ? unescaped(text.slice(start, i + 1), start) : text.slice(start + 1, i);
      } else if (code < BLANK) {
        throw new BrokenJson(i, "a string has a control character");
      }
    }
    throw new BrokenJson(text.length, "it ends too early");
  }

  /** True: another element follows; false: the container is closed. */
  #isMore(close: string, isFirst: boolean): boolean {
    this.#skip();
    if (this.#isAt(close)) return false;
    if (isFirst) return true;
    this.#expect(",");
    this.#skip();
    return !(this.#hasCommas && this.#isAt(close));
  }

  #isAt(mark: string): boolean {
    if (this.#text[this.#at] !== mark) return false;
    this.#at++;
    return true;
  }

  #expect(mark: string): void {
    this.#skip();
    if (!this.#isAt(mark)) throw this.#early(`${mark} is missing`);
  }

  #early(why: string): BrokenJson {
    return new BrokenJson(this.#at, this.#at >= this.#text.length ? "it ends too early" : why);
  }

  #skip(): void {
    for (;;) {
      const code = this.#text.charCodeAt(this.#at);
      if (code === BLANK || code === LINE_FEED || code === RETURN || code === TAB) this.#at++;
      else if (!this.#hasComments || this.#match(COMMENT) === null) return;
    }
  }

  #match(pattern: RegExp): string | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0] ?? null;
    if (found !== null) this.#at += found.length;
    return found;
  }
}

function unescaped(literal: string, start: number): string {
  try {
    return JSON.parse(literal) as string;
  } catch (thrown) {
    if (thrown instanceof SyntaxError) throw new BrokenJson(start, "a string has a bad escape");
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
