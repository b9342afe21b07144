/** What a lockfile says its manifest asks for, in the words of read-versions.ts. Null: it does not say, or is none. */
import { parse as parseYaml, YAMLError } from "yaml";
import { isTable, type Table, type Versions } from "./tables.ts";

const FIELDS = ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"];

export function lockedVersions(name: string, text: string): Versions | null {
  if (name === "package-lock.json" || name === "npm-shrinkwrap.json") return npmLocked(text);
  return name === "pnpm-lock.yaml" ? pnpmLocked(text) : null;
}

function npmLocked(text: string): Versions | null {
  const root: unknown = JSON.parse(text);
  const packages = isTable(root) ? root.packages : undefined;
  const own = isTable(packages) ? packages[""] : undefined;
  return isTable(own) ? fieldsOf(own, (value) => (typeof value === "string" ? value : null)) : null;
}

function pnpmLocked(text: string): Versions | null {
  try {
    const root: unknown = parseYaml(text, { logLevel: "silent" });
    const importers = isTable(root) ? root.importers : undefined;
    const own = isTable(importers) ? importers["."] : undefined;
    const specifier = (value: unknown): string | null =>
      isTable(value) && typeof value.specifier === "string" ? value.specifier : null;
    return isTable(own) ? fieldsOf(own, specifier) : null;
  } catch (thrown) {
    if (thrown instanceof YAMLError || thrown instanceof ReferenceError) return null;
    throw thrown;
  }
}

function fieldsOf(own: Table, versionOf: (value: unknown) => string | null): Versions {
  const versions: Versions = {};
  for (const field of FIELDS) {
    const table = own[field];
    if (!isTable(table)) continue;
    for (const [name, value] of Object.entries(table)) {
      const version = versionOf(value);
      if (version !== null) versions[`${field} ${name}`] = version;
    }
  }
  return versions;
}
