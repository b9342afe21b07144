/** One row of the errors catalogue (errors.ts), and how its words are filled in. */
import { shellLineWord } from "./shell-word.ts";

export interface ErrorEntry {
  readonly message: string;
  readonly hint: string;
  readonly exit: 1 | 3 | 4 | 5 | 64 | 75 | 125 | 126 | 127;
}

export const entry = (exit: ErrorEntry["exit"], message: string, hint: string): ErrorEntry => ({
  message,
  hint,
  exit,
});

type Filled = Readonly<Record<string, string | number | null | undefined>>;

export const fill = (template: string, data: Filled, isTyped = false): string =>
  template.replace(/\{(\w+)\}/g, (whole, key: string) => {
    const value = data[key];
    if (value === undefined || value === null) return whole;
    return isTyped && key !== "word" ? shellLineWord(String(value)) : String(value);
  });

/** A command in it can be typed as it stands (T6); what is called `word` is one word of a shell already. */
export const fillHint = (template: string, data: Filled): string =>
  template
    .split(/(`(?:refloat|git) [^`]*`)/)
    .map((part, at) => fill(part, data, at % 2 === 1))
    .join("");
