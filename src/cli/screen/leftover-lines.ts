/** Processes that a dead session left, as lines of a screen: what refloat leaves alone with the reason, and what to type about it (S2). */
import { leftoverRemedyWords } from "../../text/remedy-words.ts";
import { truncateToWidth } from "../../text/width.ts";
import { hanging } from "./hanging.ts";
import { oneLine } from "./words.ts";

export interface ShownLeftover {
  readonly pid: number;
  readonly command: string;
  readonly kept?: string | null | undefined;
  readonly remedy?: string | null | undefined;
}

export function leftoverLines(leftovers: readonly ShownLeftover[], columns: number): string[] {
  return leftovers.flatMap(({ pid, command, kept, remedy }) => {
    const line = truncateToWidth(`  ${pid}  ${oneLine(command)}`, columns);
    if (kept === null || kept === undefined) return [line];
    const why = hanging(`      refloat leaves it running: ${oneLine(kept)}.`, "      ", columns);
    return [line, ...why, ...(remedy ? [`      ${leftoverRemedyWords(remedy)}: ${remedy}`] : [])];
  });
}
