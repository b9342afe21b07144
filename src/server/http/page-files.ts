/**
 * The files of the page, read once: a fixed few, found by their whole name, so no path leads anywhere else. The page itself is one file with its
 * script and its style in it, and may run nothing but these and the one file beside it.
 */
import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import { RefloatError } from "../../model/errors.ts";
import { builtFile, builtText } from "../../platform/own-files.ts";

export interface PageFile {
  readonly type: string;
  readonly text: string;
}

export interface PageFiles {
  readonly files: ReadonlyMap<string, PageFile>;
  /** The Content-Security-Policy of all of them. */
  readonly policy: string;
}

export function readPageFiles(): PageFiles {
  const page = readBuilt("web/index.html");
  const files = new Map<string, PageFile>([
    ["/", { type: "text/html; charset=utf-8", text: page }],
    ["/diff.js", { type: "text/javascript; charset=utf-8", text: readBuilt("web/diff.js") }],
  ]);
  return { files, policy: policyOf(page) };
}

function readBuilt(name: string): string {
  const text = builtText(name);
  if (text === null) throw new RefloatError("E_PAGE_NOT_BUILT", { path: fileURLToPath(builtFile(name)) });
  return text;
}

/** Nothing is loaded from anywhere else, nothing is sent anywhere else, and no text becomes a script, whatever it says (T3). */
function policyOf(page: string): string {
  return [
    "default-src 'none'",
    `script-src 'self' ${hashesOf(page, "script")}`,
    `style-src ${hashesOf(page, "style")}`,
    "img-src blob: data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");
}

const hashesOf = (page: string, tag: "script" | "style"): string =>
  [...page.matchAll(new RegExp(`<${tag}[^>]*>([\\s\\S]*?)</${tag}>`, "g"))]
    .map(([, text = ""]) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`)
    .join(" ");
