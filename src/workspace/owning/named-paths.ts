/**
 * The paths a call's input names, as paths of the workspace: fields called like a path, and the file lines of a
 * patch. Words of a shell command are not taken: `cat notes.txt` names a file without writing it. Pure.
 */
import { resolve } from "node:path";
import { isJsonObject, type Json } from "../../model/json.ts";
import { type PathName, pathFromText } from "../../model/path-name.ts";
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
