/** What is found out about one file, or between two: a function of names and bytes alone, so any thread may do it. */
import type { Delta, FileFacts } from "./file-facts.ts";

/** With the text that is kept of it (analysis-cache.ts). */
export interface Made<T> {
  readonly value: T;
  readonly text: string;
}

export interface Analysis {
  /** How many files to ask about at once: more would only wait, with their bytes. */
  readonly width: number;
  file(path: string, bytes: Uint8Array): Promise<Made<FileFacts>>;
  delta(path: string, before: Uint8Array | null, after: Uint8Array): Promise<Made<Delta | null>>;
}
