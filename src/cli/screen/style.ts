/** Colours, or none of them: every function gives its text back unchanged when colours are off. */
import type { Environment } from "../../platform/places.ts";

export type ColorWhen = "auto" | "always" | "never";
type Paint = (text: string) => string;

export interface Style {
  readonly bold: Paint;
  readonly dim: Paint;
  readonly red: Paint;
  readonly green: Paint;
  readonly yellow: Paint;
  readonly cyan: Paint;
}

/** What was typed beats NO_COLOR, which beats FORCE_COLOR, which beats what the stream is. */
export function wantsColor(when: ColorWhen, env: Environment, isTerminal: boolean): boolean {
  if (when !== "auto") return when === "always";
  if (env.NO_COLOR) return false;
  if (env.FORCE_COLOR) return env.FORCE_COLOR !== "0";
  return isTerminal && env.TERM !== "dumb";
}

export function styleFor(isColored: boolean): Style {
  const paint =
    (on: number, off: number): Paint =>
    (text) =>
      isColored && text !== "" ? `\x1b[${on}m${text}\x1b[${off}m` : text;
  return {
    bold: paint(1, 22),
    dim: paint(2, 22),
    red: paint(31, 39),
    green: paint(32, 39),
    yellow: paint(33, 39),
    cyan: paint(36, 39),
  };
}
