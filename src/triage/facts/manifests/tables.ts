/** Reading parsed manifests without believing their shape. */
import { parse as parseToml, TomlError } from "smol-toml";

export type Versions = Record<string, string>;

export type Table = Readonly<Record<string, unknown>>;

export const isTable = (value: unknown): value is Table =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export function tableAt(value: unknown, ...path: readonly string[]): Table {
  let at: unknown = value;
  for (const name of path) at = isTable(at) ? at[name] : undefined;
  return isTable(at) ? at : {};
}

export function listAt(value: unknown, ...path: readonly string[]): unknown[] {
  const holder = tableAt(value, ...path.slice(0, -1))[path.at(-1) ?? ""];
  return Array.isArray(holder) ? holder : [];
}

/** Names with their versions, written as `name = "1.2"`, `name = { version = "1.2" }` or by the tag of a repository. */
export const textsIn = (table: Table): [string, string][] =>
  Object.entries(table).flatMap(([name, value]) => {
    const version = isTable(value) ? (value.version ?? value.tag) : value;
    return typeof version === "string" || typeof version === "number" ? [[name, String(version)]] : [];
  });

/** The same names, said to be of this part of the manifest. */
export const within = (part: string, versions: Versions | readonly [string, string][]): Versions =>
  Object.fromEntries(
    (Array.isArray(versions) ? versions : Object.entries(versions)).map(([name, version]) => [
      `${part} ${name}`,
      version,
    ]),
  );

/** What is no TOML has nothing in it: parse says so. */
export function tomlOf(text: string): unknown {
  try {
    return parseToml(text);
  } catch (thrown) {
    if (thrown instanceof TomlError) return {};
    throw thrown;
  }
}
