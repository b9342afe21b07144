/**
 * What the judge keeps for its next look (P10): one table of texts by key, in memory or beside the store. A key names everything
 * that its value is a function of, and the version of what values mean, so that what an older refloat kept is never believed; that
 * another build's are not, sees whoever holds the texts. A value that a verdict comes out of is read by its shape: what is
 * not of it was not kept (T1).
 */
import { nameOfPath } from "../manifests/manifest-kinds.ts";
import { ANALYSIS_VERSION } from "./file-facts.ts";

/** Whoever keeps the texts: memory, or a file beside the store. */
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

/** The folders that decide, beside the name, what a file is. */
const TELLING_FOLDER = /(?:^|\/)(?:\.github\/(?:workflows|actions)|\.vscode|requirements)\//;

/** A row of the table: what is kept, and all that it is a function of. */
export type KeptOf =
  /** What is known of a file: its name decides the language and which manifest it is. */
  | { readonly kind: "file"; readonly path: string; readonly hash: string }
  /** The difference between two states of it. */
  | { readonly kind: "delta"; readonly path: string; readonly from: string; readonly to: string }
  /** A judging, by a hash of all its facts. */
  | { readonly kind: "groups"; readonly facts: string }
  /** The last run of the user's check; of what content, its value says. */
  | { readonly kind: "check"; readonly session: string };

export function keptKey(of: KeptOf): string {
  switch (of.kind) {
    case "file":
      return `${ANALYSIS_VERSION} file ${TELLING_FOLDER.exec(of.path)?.[0] ?? ""}${nameOfPath(of.path)} ${of.hash}`;
    case "delta":
      return `${ANALYSIS_VERSION} delta ${nameOfPath(of.path)} ${of.from} ${of.to}`;
    case "groups":
      return `${ANALYSIS_VERSION} groups ${of.facts}`;
    case "check":
      return `check of ${of.session}`;
    default:
      return of satisfies never;
  }
}

/** How a value is read: a schema. */
interface KeptShape<T> {
  safeParse(
    value: unknown,
  ): { readonly success: true; readonly data: T } | { readonly success: false; readonly data?: never };
}

/** Null: nothing is kept, or not of this shape. */
export function keptValue<T>(
  cache: Pick<AnalysisCache, "get"> | null,
  key: string,
  shape: KeptShape<T>,
): T | null {
  const text = cache?.get(key);
  const read = text === undefined ? null : shape.safeParse(JSON.parse(text));
  return read?.success ? read.data : null;
}
