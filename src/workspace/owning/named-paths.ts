/**
 * The paths a call's input names, as paths of the workspace: fields called like a path, and the file lines of a
 * patch. Words of a shell command are not taken: `cat notes.txt` names a file without writing it. Pure.
 */
import { posix, resolve } from "node:path";
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
  return [...new Set(namedTexts(input).flatMap((text) => placedAt(root, resolve(from, text)) ?? []))];
}

/** The same, as the input has them. */
export function namedTexts(input: Json | undefined): readonly string[] {
  const found = new Set<string>();
  const take = (text: string): void => {
    if (found.size < MAX_NAMED) found.add(text);
  };
  visit(input, "", take);
  return [...found];
}

/** Null: it is not in the workspace. */
export function placedAt(root: string, path: string): PathName | null {
  const inside = placeInside(root, path);
  return inside && !path.includes("\0") ? pathFromText(inside) : null;
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

/**
 * A word of the command is the path, or ends in it as a path from elsewhere does. `cat notes.txt` mentions a file, too: it proves little.
 * `below`: the folder it ran in, below the workspace's top.
 */
export function mentions(command: string, path: PathName, below = ""): boolean {
  const text = pathForDisplay(path);
  if (!command.includes(posix.basename(text))) return false;
  const folders = foldersOf(command, below);
  return command.split(WORD_ENDS).some((word) => isPath(word, text, folders));
}

const INTO = /(?:^|[;&|\n(])\s*cd\s+(?:"([^"$`\\]+)"|'([^']+)'|([^\s;&|<>()"'$`\\]+))/g;

/** Where the command may have stood: where it began, and where it went from there. */
function foldersOf(command: string, below: string): readonly string[] {
  const folders = [below];
  for (const [, double, single, plain] of command.matchAll(INTO))
    folders.push(posix.join(folders.at(-1) ?? "", double ?? single ?? plain ?? ""));
  return [...new Set(folders)];
}

/** Programs whose plain words are files they write, take away or put elsewhere. */
const WRITERS: ReadonlySet<string> = new Set("tee touch mv cp rm install truncate patch".split(" "));
const REDIRECT = /(?:^|[^<>&])\d?(?:>>?\|?|&>>?)\s*("[^"]*"|'[^']*'|[^\s;&|<>()]+)/g;

/** The command says that it writes the path: by a redirection, or as a word of a program that changes what it is given. */
export function writesTo(command: string, path: PathName, below = ""): boolean {
  const text = pathForDisplay(path);
  if (!command.includes(posix.basename(text))) return false;
  const folders = foldersOf(command, below);
  const targets = [...command.matchAll(REDIRECT)].map(([, target = ""]) =>
    target.replaceAll(/^["']|["']$/g, ""),
  );
  if (targets.some((target) => isPath(target, text, folders))) return true;
  return command.split(/[;&|\n]+/).some((one) => {
    const [program = "", ...words] = one
      .trim()
      .split(/\s+/)
      .filter((word) => !/^[A-Z_]+=/.test(word));
    const isWriter =
      WRITERS.has(program) || (program === "sed" && words.some((word) => /^(?:-i|--in-place)/.test(word)));
    return isWriter && words.some((word) => isPath(word.replaceAll(/^["']|["']$/g, ""), text, folders));
  });
}

function isPath(word: string, text: string, folders: readonly string[]): boolean {
  if (word.startsWith("/")) return word.endsWith(`/${text}`);
  return word !== "" && folders.some((folder) => posix.join(folder, word) === text);
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
