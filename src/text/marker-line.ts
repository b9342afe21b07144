/** What is left where nothing could be recorded (`op`, `decide`): the text marker, which the agent's own output keeps (DESIGN 10). */

/** One line whatever was typed: a marker counts only alone on its line. */
export const markerLine = (word: "BEGIN" | "END" | "ABORT" | "DECIDED", text: string): string =>
  `# ${word}: ${text.replace(/\s+/g, " ").trim()}`;
