/** Looking into a change: a function of names and bytes alone, so any thread may do it. */

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
