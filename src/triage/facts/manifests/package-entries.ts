/** Files a package.json names as its ways in: main, module, types, browser, bin, exports, imports. Patterns are left out. */
import { parse as parseJsonc } from "jsonc-parser";

const FIELDS = [
  "main",
  "module",
  "types",
  "typings",
  "browser",
  "bin",
  "exports",
  "imports",
  "unpkg",
  "jsdelivr",
];
/** A package with more has patterns. */
const MAX_ENTRIES = 200;

export function packageEntries(text: string): string[] {
  const root: unknown = parseJsonc(text);
  if (typeof root !== "object" || root === null) return [];
  const found = new Set<string>();
  const visit = (value: unknown, field: string): void => {
    if (typeof value === "string") {
      const isPath = field === "main" || field === "bin" || value.startsWith("./") || /\.\w+$/.test(value);
      if (isPath && !value.includes("*") && !value.endsWith("/") && found.size < MAX_ENTRIES)
        found.add(value);
    } else if (typeof value === "object" && value !== null)
      for (const inner of Object.values(value)) visit(inner, field);
  };
  for (const field of FIELDS) visit((root as Record<string, unknown>)[field], field);
  return [...found];
}
