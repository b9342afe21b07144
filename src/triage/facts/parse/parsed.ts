/** What a parser says of a text, and where in it. */
import type { SourceFacts } from "../known/file-facts.ts";

export type ParsedText =
  | { readonly kind: "sound"; readonly source: SourceFacts | null }
  | { readonly kind: "broken"; readonly line: number; readonly message: string }
  /** No parser, or one that gave up: neither evidence for nor against. */
  | { readonly kind: "unparsed"; readonly why: string; readonly isUnlooked?: true };

/** UTF-16 offsets. */
export interface SourceSpan {
  readonly start: number;
  readonly end: number;
}

/** Line numbers from 1, from UTF-16 offsets. */
export function lineOf(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", at + 1)) line++;
  return line;
}

/** For many offsets in one text. */
export function lineCounter(text: string): (offset: number) => number {
  const starts: number[] = [0];
  for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return (offset) => {
    let [low, high] = [0, starts.length - 1];
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] as number) <= offset) low = middle;
      else high = middle - 1;
    }
    return low + 1;
  };
}
