/**
 * `# BEGIN: LABEL` and `# END: LABEL`, alone on a line: operations of agents that have no better way to say it (the
 * first seed's wish). They count in the agent's own messages and in lines the session appended to journal-like
 * files, never in a tool's result, and END closes only what the same channel opened (DESIGN 8). A claim (T2).
 */
import type { OperationFact, SaidFact } from "../known/triage-facts.ts";

export interface TextMarker {
  readonly kind: "begin" | "end";
  readonly label: string;
}

const MARKER = /^[ \t]*# (BEGIN|END): (\S.*?)[ \t]*\r?$/;
/** A label is a few words; more is prose that happens to begin so. */
const MAX_LABEL_CHARS = 200;
/** A session marks dozens of operations; a text with more quotes something. */
const MAX_MARKERS = 1000;

export function markersIn(text: string): TextMarker[] {
  const found: TextMarker[] = [];
  for (const line of text.split("\n")) {
    const match = MARKER.exec(line);
    const label = match?.[2];
    if (label === undefined || label.length > MAX_LABEL_CHARS || found.length >= MAX_MARKERS) continue;
    found.push({ kind: match?.[1] === "BEGIN" ? "begin" : "end", label });
  }
  return found;
}

/** Those lines of a text alone, as they stand in it. */
export const markerLines = (text: string): string =>
  text
    .split("\n")
    .filter((line) => MARKER.test(line))
    .join("\n");

/** The last line below the last BEGIN of a label that says anything; null: none. */
export function textBelow(text: string, label: string): string | null {
  const lines = text.split("\n");
  const isBegin = (line: string): boolean => {
    const match = MARKER.exec(line);
    return match?.[1] === "BEGIN" && match[2] === label;
  };
  const below = lines.slice(lines.findLastIndex(isBegin) + 1);
  return below.findLast((line) => line.trim() !== "" && !MARKER.test(line))?.trim() ?? null;
}

export interface MarkedText {
  readonly channel: string;
  readonly seq: number;
  readonly markers: readonly TextMarker[];
}

/** What was said, in the form operationsOf takes. */
export const markedTexts = (said: readonly SaidFact[]): MarkedText[] =>
  said.map(({ channel, seq, text }) => ({ channel, seq, markers: markersIn(text) }));

/** Where what an agent says stands between its calls, in the order in which it was said; everything else is read in passing. */
const IN_ORDER = "messages";

/** Each BEGIN opens one; an END closes the newest open one of its label in its channel. */
export function operationsOf(texts: readonly MarkedText[]): OperationFact[] {
  const operations: OperationFact[] = [];
  const open = new Map<string, number[]>();
  for (const { channel, seq, markers } of texts.toSorted((a, b) => a.seq - b.seq)) {
    for (const { kind, label } of markers) {
      const key = JSON.stringify([channel, label]);
      if (kind === "begin") {
        open.set(key, [...(open.get(key) ?? []), operations.length]);
        const id = `text:${channel}:${operations.length + 1}`;
        operations.push({
          id,
          label,
          state: "open",
          paths: null,
          beganSeq: seq,
          endedSeq: null,
          source: "text",
          channel,
          ...(channel === IN_ORDER ? {} : { isSeenInPassing: true }),
        });
        continue;
      }
      const at = open.get(key)?.pop();
      const begun = at === undefined ? undefined : operations[at];
      if (at !== undefined && begun) operations[at] = { ...begun, state: "ended", endedSeq: seq };
    }
  }
  return operations;
}
