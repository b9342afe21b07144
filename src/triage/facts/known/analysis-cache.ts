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
