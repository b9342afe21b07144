/** The text marker of a command of a moment (`op`, `decide`), where nothing can be recorded: the agent's own output keeps it (DESIGN 10). */

/** One line whatever was typed: a marker counts only alone on its line. */
export const markerLine = (word: "BEGIN" | "END" | "ABORT" | "DECIDED", text: string): string =>
  `# ${word}: ${text.replace(/\s+/g, " ").trim()}`;

export const notRecorded = (): string =>
  process.env.REFLOAT_OFF === "1"
    ? "REFLOAT_OFF=1: nothing was recorded; only the marker above was left."
    : "The store cannot be written here: only the marker above was left.";
