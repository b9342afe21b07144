/** The text marker that `op`, `decide` and `step` leave where nothing can be recorded: read again in what the agent's own output keeps (DESIGN 10). */

export type MarkerWord = "BEGIN" | "END" | "ABORT" | "DECIDED" | "STEP" | "STATE";

/** One line whatever was typed: a marker counts only alone on its line. */
export const markerLine = (word: MarkerWord, text: string): string =>
  `# ${word}: ${text.replace(/\s+/g, " ").trim()}`;

export const decidedText = (key: string, value: string, reason: string | null): string =>
  `${key} = ${value}${reason === null ? "" : ` (${reason})`}`;

export interface StepWords {
  readonly does: string;
  readonly step: string;
  /** Of `sub`: the part that is finished. */
  readonly part: string | null;
  readonly reason: string | null;
}

export const stepMarker = ({ does, step, part, reason }: StepWords): string =>
  markerLine(
    "STEP",
    `${does} ${step}${part === null ? "" : ` ${part}`}${reason === null ? "" : ` (${reason})`}`,
  );

/** Names the state file that a step or a decision is of. */
export const stateMarker = (file: string): string => markerLine("STATE", file);
