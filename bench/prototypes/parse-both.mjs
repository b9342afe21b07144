// @ts-check
// The floor of a manifest of changed scripts: both sides of each file through the parser, texts ready in memory, one after the other on one
// thread; then the same with the tree as JavaScript objects, without which nothing can be said of a file. No git, no tree is walked, nothing is judged.
import { parseSync } from "oxc-parser";

const OPTIONS = /** @type {const} */ ({ sourceType: "unambiguous", lang: "jsx" });

/** Milliseconds. @param {readonly string[]} texts @param {boolean} withTrees */
export function parseMs(texts, withTrees) {
  const from = performance.now();
  for (const text of texts) {
    const parsed = parseSync("file.js", text, OPTIONS);
    if (parsed.errors.length > 0) throw new Error(parsed.errors[0]?.message);
    if (withTrees && parsed.program.body.length === 0) throw new Error("nothing was parsed");
  }
  return performance.now() - from;
}
