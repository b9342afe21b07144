/**
 * How an instance of a gateway ended that is proved dead (DESIGN 9): pure, one row of a table per answer. A cause is said
 * only with evidence, and the evidence is said with it; else it is `unknown`.
 */
import type { Cause } from "../model/causes.ts";
import type { ExitNote } from "../platform/exit-note.ts";
import { escapeForTerminal } from "../text/escape.ts";

export interface InstanceEnd {
  readonly cause: Cause;
  readonly evidence: readonly string[];
}

export interface InstanceFacts {
  readonly death: "reboot" | "no-such-process" | "pid-reused";
  /** It had been told to end, and its drain was not over. */
  readonly wasDraining: boolean;
  /** What it left beside the store; null: nothing was left there, or it cannot be read. */
  readonly note: ExitNote | null;
  /** The kernel's own words that it killed it for memory; null: none. */
  readonly oomRecord: string | null;
}

export function nameInstanceEnd({ death, wasDraining, note, oomRecord }: InstanceFacts): InstanceEnd {
  if (death === "reboot") return end("reboot", "the machine has been started again since");
  const how = note === null ? [] : [howItWent(note)];
  if (oomRecord !== null) return end("oom", `the kernel says: ${oomRecord}`);
  if (wasDraining) return end("signal", "it had been told to end, and its drain was not over", ...how);
  switch (note?.kind) {
    case "alive":
      return end("crash", ...how);
    case "exited":
      return end(note.error !== null || note.code !== 0 ? "crash" : "unknown", ...how);
    case undefined:
      return end("unknown", "nobody saw its end");
    default:
      return note satisfies never;
  }
}

function howItWent(note: ExitNote): string {
  if (note.kind === "alive") return "it was killed by a signal: it could not write down how it ended";
  if (note.error !== null) return `an error that nobody caught ended it: ${note.error}`;
  return `its program ended by itself with exit code ${note.code ?? "unknown"}, and had not closed the gateway`;
}

const end = (cause: Cause, ...evidence: string[]): InstanceEnd => ({ cause, evidence });

// What a dead process noted of its end, fit to be told: the words of an error that nobody caught may come from anybody. They
// become evidence in journals and a line of a log, so they are without secrets (T4) and one line that moves no cursor (T3).

/** What is said of an error. */
const MAX_ERROR_CHARS = 300;

export async function harmlessNote(note: ExitNote | null): Promise<ExitNote | null> {
  if (note?.kind !== "exited" || note.error === null) return note;
  const { redactBeginnings } = await import("../text/redact-part.ts"); // its rules are many, and seldom needed here
  const [redacted] = await redactBeginnings([{ text: note.error, chars: MAX_ERROR_CHARS }]);
  const line = (redacted?.text ?? "").replace(/\s+/g, " ").trim();
  return { ...note, error: escapeForTerminal(line, { newlines: "show" }) };
}
