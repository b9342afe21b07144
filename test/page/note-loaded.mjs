/**
 * Given to node by --import: every module that is loaded, and every file of the program that its loader compiles (src/platform/load-program.ts), becomes a line of
 * the file in NOTE_LOADED.
 */
import { appendFileSync } from "node:fs";
import { register, syncBuiltinESMExports } from "node:module";
import { pathToFileURL } from "node:url";
import vm from "node:vm";

const note = (url) => appendFileSync(process.env.NOTE_LOADED, `${url}\n`);

export async function load(url, context, next) {
  note(url);
  return next(url, context);
}

if (!import.meta.url.endsWith("?hooks")) {
  register(`${import.meta.url}?hooks`);
  vm.Script = class extends vm.Script {
    constructor(code, options) {
      super(code, options);
      note(pathToFileURL(options.filename));
    }
  };
  syncBuiltinESMExports();
}
