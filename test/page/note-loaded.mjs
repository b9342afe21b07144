/** Given to node by --import: every module that is loaded becomes a line of the file in NOTE_LOADED. */
import { appendFileSync } from "node:fs";
import { register } from "node:module";

export async function load(url, context, next) {
  appendFileSync(process.env.NOTE_LOADED, `${url}\n`);
  return next(url, context);
}

if (!import.meta.url.endsWith("?hooks")) register(`${import.meta.url}?hooks`);
