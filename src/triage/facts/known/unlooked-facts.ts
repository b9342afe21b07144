/** Facts of files that could not be looked into. */
import type { FileFacts } from "./file-facts.ts";

/** Null: it was looked into. */
export const unlookedWhy = (facts: FileFacts | null): string | null =>
  facts?.parse.kind === "unparsed" && facts.parse.isUnlooked === true ? facts.parse.why : null;

/** Inside of a text of the file its quotes would be escaped. */
const PASSING = '"isPassing":true';

/** Facts that say of themselves that another look may tell more: they are used once and not kept. */
export const isPassing = (text: string): boolean => text.includes(PASSING);
