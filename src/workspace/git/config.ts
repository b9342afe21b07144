/** The effective configuration of a repository, listed before anything else is asked: listing runs nothing. */
import { nulFields, pathFromBytes } from "../../model/path-name.ts";

export interface ConfigEntry {
  readonly scope: string;
  readonly origin: string;
  /** Carried like a path's name: bytes that are no text are not lost, or a key would be taken for another. */
  readonly key: string;
  /** Null: a key without a value, which git reads as true. */
  readonly value: string | null;
}

export const LIST_CONFIG = ["config", "--list", "-z", "--show-scope", "--show-origin"] as const;

const LINE_FEED = 0x0a;

/** With -z: scope NUL origin NUL key LF value NUL. */
export function parseConfig(output: Buffer): ConfigEntry[] {
  const fields = [...nulFields(output)];
  const entries: ConfigEntry[] = [];
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [scope, origin, text] = fields.slice(at, at + 3) as [Buffer, Buffer, Buffer];
    const end = text.indexOf(LINE_FEED);
    entries.push({
      scope: scope.toString("utf8"),
      origin: origin.toString("utf8"),
      key: pathFromBytes(end === -1 ? text : text.subarray(0, end)),
      value: end === -1 ? null : text.subarray(end + 1).toString("utf8"),
    });
  }
  return entries;
}

/** A key as git takes it apart: the name between the first and the last dot may be anything, empty and dotted too. */
export interface KeyParts {
  readonly section: string;
  /** Null: the key has none. Empty is a name like any other: `[filter ""]`. */
  readonly subsection: string | null;
  readonly variable: string;
}

export function keyParts(key: string): KeyParts {
  const first = key.indexOf(".");
  const last = key.lastIndexOf(".");
  return {
    section: key.slice(0, first),
    subsection: first === last ? null : key.slice(first + 1, last),
    variable: key.slice(last + 1),
  };
}

export function lastValue(entries: readonly ConfigEntry[], key: string): string | null {
  const found = entries.findLast((entry) => entry.key === key);
  return found ? (found.value ?? "true") : null;
}

/** What somebody configured, without what our own door sets for every command. */
export function configuredValue(entries: readonly ConfigEntry[], key: string): string | null {
  return lastValue(
    entries.filter(({ scope }) => scope !== "command"),
    key,
  );
}
