/**
 * The paths a call's input names, as paths of the workspace: fields called like a path, and the file lines of a
 * patch. Words of a shell command are not taken: `cat notes.txt` names a file without writing it. Pure.
 */
import { resolve } from "node:path";
import { isJsonObject, type Json } from "../../model/json.ts";
import { type PathName, pathForDisplay, pathFromText } from "../../model/path-name.ts";
import { placeInside } from "../../platform/places.ts";

const PATH_FIELD =
  /(?:^|_)(?:path|paths|file|files|filename|filepath|filenames|target|dest|destination|notebook)$/i;
const CAMEL = /([a-z])([A-Z])/g;
/** Lines of the patch formats agents send. */
const PATCH_FILE =
  /^(?:\*\*\* (?:Update|Add|Delete) File: |\*\*\* Move to: |\+\+\+ (?:b\/)?|--- (?:a\/)?)([^\t\n]+)/gm;
const PATCH_FIELD = /patch|diff|input/i;
/** A call names a handful; a list longer than this is data. */
const MAX_NAMED = 1000;
const MAX_PATCH_CHARS = 4 * 1024 * 1024;

export function namedPaths(root: string, from: string, input: Json | undefined): PathName[] {
  const found = new Set<PathName>();
  const take = (text: string): void => {
    const inside = placeInside(root, resolve(from, text));
    if (inside && !text.includes("\0") && found.size < MAX_NAMED) found.add(pathFromText(inside));
  };
  visit(input, "", take);
  return [...found];
}

/** What a shell tool was told to run; null: it is none, or a longer text than a command is. */
export function commandText(input: unknown): string | null {
  const fields = isJsonObject(input) ? [input.command, input.cmd, input.script] : [];
  const [first] = fields.filter((field) => field !== undefined);
  const text = Array.isArray(first) ? first.map(String).join(" ") : first;
  return typeof text === "string" && text.length <= MAX_COMMAND_CHARS ? text : null;
}

const MAX_COMMAND_CHARS = 64 * 1024;
const WORD_ENDS = /[\s'"`;&|<>(){}=,]+/;

/** A word of the command is the path, or ends in it as a path from elsewhere does. `cat notes.txt` mentions a file, too: it proves little. */
export function mentions(command: string, path: PathName): boolean {
  const text = pathForDisplay(path);
  if (!command.includes(text)) return false;
  return command.split(WORD_ENDS).some((word) => isPath(word, text));
}

/** Programs whose plain words are files they write, take away or put elsewhere. */
const WRITERS: ReadonlySet<string> = new Set("tee touch mv cp rm install truncate patch".split(" "));
const REDIRECT = /(?:^|[^<>&])\d?(?:>>?\|?|&>>?)\s*("[^"]*"|'[^']*'|[^\s;&|<>()]+)/g;

/** The command says that it writes the path: by a redirection, or as a word of a program that changes what it is given. */
export function writesTo(command: string, path: PathName): boolean {
  const text = pathForDisplay(path);
  if (!command.includes(text)) return false;
  const targets = [...command.matchAll(REDIRECT)].map(([, target = ""]) =>
    target.replaceAll(/^["']|["']$/g, ""),
  );
  if (targets.some((target) => isPath(target, text))) return true;
  return command.split(/[;&|\n]+/).some((one) => {
    const [program = "", ...words] = one
      .trim()
      .split(/\s+/)
      .filter((word) => !/^[A-Z_]+=/.test(word));
    const isWriter =
      WRITERS.has(program) || (program === "sed" && words.some((word) => /^(?:-i|--in-place)/.test(word)));
    return isWriter && words.some((word) => isPath(word.replaceAll(/^["']|["']$/g, ""), text));
  });
}

function isPath(word: string, text: string): boolean {
  const plain = word.startsWith("./") ? word.slice(2) : word;
  return plain === text || (plain.startsWith("/") && plain.endsWith(`/${text}`));
}

function visit(value: Json | undefined, field: string, take: (text: string) => void): void {
  if (typeof value === "string") {
    if (PATH_FIELD.test(field.replace(CAMEL, "$1_$2"))) take(value);
    else if (PATCH_FIELD.test(field)) takePatch(value, take);
  } else if (Array.isArray(value)) {
    for (const item of value) visit(item, field, take);
  } else if (isJsonObject(value)) {
    for (const [name, item] of Object.entries(value)) visit(item, name, take);
  }
}

function takePatch(text: string, take: (text: string) => void): void {
  for (const [, path] of text.slice(0, MAX_PATCH_CHARS).matchAll(PATCH_FILE))
    if (path !== undefined && path !== "/dev/null") take(path.trim());
}
