/** A file's facts by its content: the same bytes under the same name are looked at once. */
import { createHash } from "node:crypto";
import type { Analysis } from "./known/analysis.ts";
import type { AnalysisCache } from "./known/analysis-cache.ts";
import { ANALYSIS_VERSION, type FileFacts } from "./known/file-facts.ts";
import { isPassing } from "./known/unlooked-facts.ts";
import { nameOfPath } from "./manifests/manifest-kinds.ts";

/**
 * The name decides the language and which manifest it is, so it is part of the key; the folder only of workflows and
 * of .vscode, where it decides too.
 */
export function fileKey(path: string, hash: string): string {
  const folder = /(?:^|\/)(?:\.github\/(?:workflows|actions)|\.vscode|requirements)\//.exec(path)?.[0] ?? "";
  return `${ANALYSIS_VERSION} file ${folder}${nameOfPath(path)} ${hash}`;
}

export async function analyseOnce(
  path: string,
  bytes: Uint8Array,
  analysis: Analysis,
  cache: AnalysisCache,
): Promise<FileFacts> {
  const key = fileKey(path, createHash("sha256").update(bytes).digest("hex"));
  const known = cache.get(key);
  if (known !== undefined) return JSON.parse(known) as FileFacts;
  const [text = "null"] = await analysis.look({
    path,
    fromPath: path,
    before: null,
    after: bytes,
    asked: ["after"],
  });
  if (!isPassing(text)) cache.set(key, text);
  return JSON.parse(text) as FileFacts;
}
