/** What a manifest, a lockfile or another file of data says; loaded with its parsers where one changed. */
import { parse as parseYaml, YAMLError } from "yaml";
import type { FileFacts } from "./known/file-facts.ts";
import { aliasesIn } from "./manifests/aliases.ts";
import { hookSources } from "./manifests/hook-sources.ts";
import { manifestKindOf, nameOfPath } from "./manifests/manifest-kinds.ts";
import { namedFiles, packageEntries } from "./manifests/named-files.ts";
import { readVersions } from "./manifests/read-versions.ts";
import { runningPart } from "./manifests/running-part.ts";
import { isTable, type Table, type Versions } from "./manifests/tables.ts";
import type { ParsedText } from "./parse/parsed.ts";
import { languageOf, natureOf } from "./paths/languages.ts";

type ManifestFacts = Pick<FileFacts, "versions" | "hooks" | "running" | "entries" | "named" | "aliases">;

export function manifestFacts(path: string, text: string, parsed: ParsedText): Partial<ManifestFacts> {
  const [kind, name] = [manifestKindOf(path), nameOfPath(path)];
  if (parsed.kind === "broken" || (parsed.kind === "unparsed" && parsed.isUnlooked === true)) return {};
  const versions = kind ? readVersions(kind, text) : lockedVersions(name, text);
  if (parsed.kind !== "sound") return { versions, aliases: aliasesIn(path, text) };
  return {
    versions,
    hooks: hookSources(kind, text),
    running: natureOf(languageOf(path)) === "data" ? runningPart(name, text) : null,
    entries: kind === "package.json" ? packageEntries(text) : [],
    named: kind ? namedFiles(kind, text) : [],
    aliases: aliasesIn(path, text),
  };
}

const FIELDS = ["dependencies", "devDependencies", "peerDependencies", "optionalDependencies"];

/** What a lockfile says its manifest asks for, in the words of read-versions.ts. Null: it does not say, or is none. */
function lockedVersions(name: string, text: string): Versions | null {
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
