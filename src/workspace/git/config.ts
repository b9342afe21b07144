/** The effective configuration of a repository, listed before anything else is asked: listing runs nothing. */
export interface ConfigEntry {
  readonly scope: string;
  readonly origin: string;
  readonly key: string;
  /** Null: a key without a value, which git reads as true. */
  readonly value: string | null;
}

export const LIST_CONFIG = ["config", "--list", "-z", "--show-scope", "--show-origin"] as const;

/** With -z: scope NUL origin NUL key LF value NUL. */
export function parseConfig(output: Buffer): ConfigEntry[] {
  const fields = output.toString("utf8").split("\0");
  const entries: ConfigEntry[] = [];
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const text = fields[at + 2] ?? "";
    const end = text.indexOf("\n");
    entries.push({
      scope: fields[at] ?? "",
      origin: fields[at + 1] ?? "",
      key: end === -1 ? text : text.slice(0, end),
      value: end === -1 ? null : text.slice(end + 1),
    });
  }
  return entries;
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
