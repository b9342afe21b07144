/** What of a package manifest runs code: scripts, hooks, build. One text to compare; null where there is nothing. */
import { parse as parseJsonc } from "jsonc-parser";
import { parse as parseToml, TomlError } from "smol-toml";
import { isTable, type Table } from "./tables.ts";

export const PACKAGE_FIELDS: readonly string[] = [
  "scripts",
  "husky",
  "lint-staged",
  "simple-git-hooks",
  "gitHooks",
  "pre-commit",
  "pre-push",
  "gypfile",
  "build",
  "workspaces",
  "babel",
  "jest",
  "ava",
  "mocha",
  "nyc",
  "c8",
  "tap",
  "eslintConfig",
  "prettier",
  "browserify",
  "wireit",
];

export function runningPart(name: string, text: string): string | null {
  if (name === "package.json") {
    const root: unknown = parseJsonc(text);
    return isTable(root) ? partOf(root, PACKAGE_FIELDS) : null;
  }
  if (name !== "pyproject.toml" && name !== "Cargo.toml") return null;
  try {
    const root: Table = parseToml(text);
    if (name === "Cargo.toml")
      return partOf({ ...root, build: isTable(root.package) ? root.package.build : undefined }, [
        "build",
        "profile",
        "lib",
        "bin",
        "lints",
      ]);
    const { poetry, ...tools } = isTable(root.tool) ? root.tool : {};
    const scripts = isTable(root.project) ? root.project.scripts : undefined;
    const poetryScripts = isTable(poetry) ? poetry.scripts : undefined;
    return partOf({ build: root["build-system"], tools, scripts, poetryScripts }, [
      "build",
      "tools",
      "scripts",
      "poetryScripts",
    ]);
  } catch (thrown) {
    if (thrown instanceof TomlError) return null;
    throw thrown;
  }
}

function partOf(root: Table, fields: readonly string[]): string | null {
  const part = fields.flatMap((field) => {
    const value = root[field];
    const isEmpty = value === undefined || (isTable(value) && Object.keys(value).length === 0);
    return isEmpty ? [] : [[field, value]];
  });
  return part.length === 0 ? null : JSON.stringify(part);
}
