/** A transcript's status, calls and damage on a screen. Ids and tools are the agent's own words (T3). */
import type { CheckedTranscript } from "../../../app/agents/check-transcript.ts";
import type { Style } from "../../screen/style.ts";
import { oneLine } from "../../screen/words.ts";

/** Damaged places and open calls shown; JSON has them all. */
const MAX_SHOWN = 20;

export function statusWords(status: CheckedTranscript["status"]): string {
  switch (status) {
    case "live":
      return "live";
    case "ended-clean":
      return "ended, and said so";
    case "dirty-in-tool":
      return "cut off while a tool ran";
    case "dirty-in-stream":
      return "cut off before the model had answered";
    case "dirty-idle":
      return "its last turn is over; it never said that it ended";
    case "cancelled-by-user":
      return "cancelled by its user";
    case "lost":
      return "nothing of it is left";
  }
}

/** Those whose effect is not known: what is over is over. */
export function callLines({ yellow, dim }: Style, calls: CheckedTranscript["calls"]): string[] {
  const open = calls.filter(({ status }) => !["done", "failed", "cancelled"].includes(status));
  const more = open.length - MAX_SHOWN;
  return [
    ...open
      .slice(-MAX_SHOWN)
      .map(({ id, tool, status }) => yellow(`  ${status}  ${oneLine(tool)} ${oneLine(id)}`)),
    ...(more > 0 ? [dim(`  and ${more} older ones (--json lists them)`)] : []),
  ];
}

export function damageLines(damage: CheckedTranscript["damage"], leftOut: number): string[] {
  const more = damage.length - MAX_SHOWN + leftOut;
  return [
    ...damage.slice(0, MAX_SHOWN).map(({ kind, at }) => `  ${kind}  line ${at.line}, byte ${at.byte}`),
    ...(more > 0 ? [`  and ${more} more${leftOut < more ? " (--json lists them)" : ""}`] : []),
  ];
}
