/** A key of a configuration that means nothing here, and how it is told: apart from the reading, which every command would load with it. */
export interface UnknownKey {
  /** How the file is called. */
  readonly file: string;
  /** From the top: `commit.att`. Untrusted text (T3). */
  readonly key: string;
  readonly line: number;
  readonly column: number;
  /** The known key that was most likely meant, from the top. */
  readonly nearest: string | null;
}

/** One plain sentence, or two. */
export function unknownKeyText({ file, key, line, column, nearest }: UnknownKey): string {
  const guess = nearest === null ? "" : ` Did you mean ${nearest}?`;
  return `${file}, line ${line}, column ${column}: ${key} is no key of ours, so it does nothing.${guess}`;
}
