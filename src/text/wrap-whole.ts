/** Wraps a sentence between its words; a command in marks is one word, however wide: broken over two lines nobody can type it (T6). */
import { displayWidth, wrapToWidth } from "./width.ts";

/** Stands for a space inside a command while the rest is wrapped; no text has it. */
const KEPT_SPACE = "\u{F0000}";

export function wrapWhole(text: string, columns: number): string[] {
  return text.split("\n").flatMap((line) => wrapLine(line, columns));
}

function wrapLine(text: string, columns: number): string[] {
  const words = text
    .replace(/`[a-z][\w.-]* [^`]*`/g, (command) => command.replaceAll(" ", KEPT_SPACE))
    .split(" ");
  const lines: string[] = [];
  let line = "";
  for (const word of words) {
    const longer = line === "" ? word : `${line} ${word}`;
    if (line === "" || displayWidth(longer) <= columns) line = longer;
    else {
      lines.push(line);
      line = word;
    }
  }
  return [...lines, line].flatMap((one) =>
    one.includes(KEPT_SPACE) ? [one.replaceAll(KEPT_SPACE, " ")] : wrapToWidth(one, columns),
  );
}
