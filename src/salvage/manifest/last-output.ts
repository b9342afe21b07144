/**
 * The last thing the agent said, without secrets (T4): whole lines, at most so many bytes. Usually the best clue to what
 * it was about.
 */
import { redactEnd } from "../../text/redact-part.ts";
import type { StoryMessage } from "../story/older-story.ts";

/** Enough to recognise the thought, few enough for one screen and any model (DESIGN 10). */
const LAST_OUTPUT_BYTES = 4096;

/** Null: it never said anything. A last line longer than the bound is cut at its beginning. */
export async function lastOutput(messages: readonly StoryMessage[]): Promise<string | null> {
  const text = messages.findLast((message) => message.text.trim() !== "")?.text.trimEnd();
  if (text === undefined) return null;
  const shown = await redactEnd({ text, chars: lastLines(text, LAST_OUTPUT_BYTES).length });
  // A marker can be longer than what it stands for.
  return lastLines(shown.text, LAST_OUTPUT_BYTES);
}

function lastLines(text: string, maxBytes: number): string {
  const lines = text.split("\n");
  const kept: string[] = [];
  let bytes = 0;
  for (const line of lines.reverse()) {
    const more = Buffer.byteLength(line) + (kept.length > 0 ? 1 : 0);
    if (bytes + more > maxBytes) break;
    kept.unshift(line);
    bytes += more;
  }
  return kept.length > 0 ? kept.join("\n") : endOf(lines[0] ?? "", maxBytes);
}

/** The longest end that fits, never half a character. */
function endOf(line: string, maxBytes: number): string {
  const characters = [...line.slice(-maxBytes)];
  let bytes = 0;
  let at = characters.length;
  while (at > 0 && bytes + Buffer.byteLength(characters[at - 1] ?? "") <= maxBytes) {
    at--;
    bytes += Buffer.byteLength(characters[at] ?? "");
  }
  return characters.slice(at).join("");
}
