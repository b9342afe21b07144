/** The text marker that `op` and `decide` leave where nothing can be recorded: read again in what the agent's own output keeps (DESIGN 10). */

/** One line whatever was typed: a marker counts only alone on its line. */
export const markerLine = (word: "BEGIN" | "END" | "ABORT" | "DECIDED", text: string): string =>
  `# ${word}: ${text.replace(/\s+/g, " ").trim()}`;

export const decidedText = (key: string, value: string, reason: string | null): string =>
  `${key} = ${value}${reason === null ? "" : ` (${reason})`}`;
