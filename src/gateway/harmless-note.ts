/**
 * What a dead process noted of its end, fit to be told: the words of an error that nobody caught may come from anybody. They
 * become evidence in journals and a line of a log, so they are without secrets (T4) and one line that moves no cursor (T3).
 */
import type { ExitNote } from "../platform/exit-note.ts";
import { escapeForTerminal } from "../text/escape.ts";

/** What is said of an error. */
const MAX_ERROR_CHARS = 300;

export async function harmlessNote(note: ExitNote | null): Promise<ExitNote | null> {
  if (note?.kind !== "exited" || note.error === null) return note;
  const { redactBeginnings } = await import("../text/redact-part.ts"); // its rules are many, and seldom needed here
  const [redacted] = await redactBeginnings([{ text: note.error, chars: MAX_ERROR_CHARS }]);
  const line = (redacted?.text ?? "").replace(/\s+/g, " ").trim();
  return { ...note, error: escapeForTerminal(line, { newlines: "show" }) };
}
