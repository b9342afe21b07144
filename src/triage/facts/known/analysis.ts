/**
 * Looking into a change: a function of names and bytes alone, so any thread may do it; and what was found out, kept by the hashes of
 * what was looked at.
 */

/** The file on one side, or the difference between both. */
export type AnalysisPart = "before" | "after" | "delta";

export interface AnalysisOrder {
  readonly path: string;
  /** What it was called before. */
  readonly fromPath: string;
  /** Null: there is no file, or nothing asked is about it. */
  readonly before: Uint8Array | null;
  readonly after: Uint8Array | null;
  readonly asked: readonly AnalysisPart[];
}

export interface Analysis {
  /** How many changes to ask about at once: more would only wait, with their bytes. */
  readonly width: number;
  /** Facts as they are kept (file-facts.ts), one text for each part that is asked, in that order. */
  look(order: AnalysisOrder): Promise<string[]>;
}

/**
 * What was found out about contents, by their hashes: plain text, so that whoever calls can keep it between
 * processes. Keys name ANALYSIS_VERSION: what an older refloat kept is never believed.
 */
export interface AnalysisCache {
  get(key: string): string | undefined;
  set(key: string, value: string): void;
}

/** Entries kept in memory by default: two sides and a delta of a few thousand files. */
const MAX_ENTRIES = 50_000;

export function createMemoryCache(): AnalysisCache {
  const entries = new Map<string, string>();
  return {
    get: (key) => entries.get(key),
    set(key, value) {
      if (entries.size >= MAX_ENTRIES) entries.clear();
      entries.set(key, value);
    },
  };
}
