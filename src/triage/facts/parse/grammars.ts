/**
 * The grammars that are used, of the many that come in one package, each packed: their tables are mostly repetition, and 17 MB of them are one
 * (docs/decisions/0013). The build packs those named here; sources that nobody built read them where npm put them.
 */
import { existsSync, readFileSync } from "node:fs";
import { brotliDecompressSync } from "node:zlib";
import { builtFile, requireInstalled } from "../../../platform/own-files.ts";

export const GRAMMARS = [
  "python",
  "go",
  "rust",
  "java",
  "cpp",
  "c-sharp",
  "ruby",
  "php",
  "bash",
  "css",
] as const;

export type GrammarName = (typeof GRAMMARS)[number];

/** Under the package's root. */
export const packedGrammar = (name: string): string => `grammars/${name}.wasm.br`;
export const installedGrammar = (name: string): string =>
  `@vscode/tree-sitter-wasm/wasm/tree-sitter-${name}.wasm`;

export function grammarBytes(name: GrammarName): Uint8Array {
  const packed = builtFile(packedGrammar(name));
  if (existsSync(packed)) return new Uint8Array(brotliDecompressSync(readFileSync(packed)));
  return new Uint8Array(readFileSync(requireInstalled.resolve(installedGrammar(name))));
}
