/** What is left where nothing could be recorded (`op`, `decide`): the text marker on stdout, which the agent's own output keeps (DESIGN 10). */

/** One line whatever was typed: a marker counts only alone on its line. */
export const markerLine = (word: "BEGIN" | "END" | "ABORT" | "DECIDED", text: string): string =>
  `# ${word}: ${text.replace(/\s+/g, " ").trim()}`;

export const notRecorded = (): string =>
  process.env.REFLOAT_OFF === "1"
    ? "REFLOAT_OFF=1: nothing was recorded; only the marker above was left."
    : "The store cannot be written here: only the marker above was left.";
