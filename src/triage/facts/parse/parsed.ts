/** What a parser says of a text. */
import type { SourceFacts } from "../known/file-facts.ts";

export type ParsedText =
  | { readonly kind: "sound"; readonly source: SourceFacts | null }
  | { readonly kind: "broken"; readonly line: number; readonly message: string }
  /** No parser, or one that gave up: neither evidence for nor against. */
  | { readonly kind: "unparsed"; readonly why: string; readonly isUnlooked?: true };
