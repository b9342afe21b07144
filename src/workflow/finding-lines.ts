/** On which line each finding stands. Looked up when findings are shown to people: most runs have none to show. */

import { lineOf, nodeAt, readJsonTree } from "../text/json-tree.ts";
import type { StateFinding } from "./finding.ts";
import { readText } from "./validate-files.ts";

export interface PlacedFinding extends StateFinding {
  readonly line: number;
}

export function withLines(findings: readonly StateFinding[]): readonly PlacedFinding[] {
  let last: { readonly file: string; readonly line: (path: string) => number } | null = null;
  return findings.map((finding) => {
    if (last?.file !== finding.file) last = { file: finding.file, line: linesIn(finding.file) };
    return { ...finding, line: last.line(finding.path) };
  });
}

function linesIn(file: string): (path: string) => number {
  const read = readText(file);
  if (read.kind === "failed") return () => 1;
  const { text } = read;
  const tree = readJsonTree(text);
  if (tree.kind === "broken") return () => lineOf(text, tree.at).line;
  return (path) => lineOf(text, nodeAt(tree.root, path === "" ? [] : splitPlace(path)).start).line;
}

/** `steps.3.5.status` is step 3.5, not member 5 of step 3. */
function splitPlace(path: string): readonly string[] {
  const step = /^(steps|review_audit)\.((?:step_)?\d+[._]\d+)(?:\.(.*))?$/.exec(path);
  if (!step) return path.split(".");
  const [, root = "", key = "", rest] = step;
  return [root, key, ...(rest === undefined ? [] : rest.split("."))];
}
