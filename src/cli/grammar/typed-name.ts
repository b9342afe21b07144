/** A name as it was typed: its very bytes, also where they are no text. */
import { pathFromBytes } from "../../model/path-name.ts";
import { rawArguments } from "../../platform/own-process.ts";
import { usage } from "./options.ts";

/** What Node puts in place of bytes that are no text. */
const NO_TEXT = "\ufffd";

/** Two names that read the same are never taken for each other. */
export function typedName(text: string, typed: () => readonly Buffer[] = rawArguments): string {
  if (!text.includes(NO_TEXT)) return text;
  const meant = typed().filter((bytes) => bytes.toString("utf8") === text);
  const [name, ...others] = new Set(meant.map(pathFromBytes));
  if (others.length > 0) throw usage(`Several of the names read ${text}: give them one at a time.`);
  return name ?? text;
}
