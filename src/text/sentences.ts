/** What a text says, sentence by sentence: a line is at least one, and marks of lists and headings are none of it. Pure. */
export const sentencesOf = (text: string): string[] =>
  text
    .split(/(?<=[.!?])\s+|\n+/)
    .map((one) => one.replace(/^[\s*_#>`-]+/, "").trim())
    .filter((one) => one !== "");
