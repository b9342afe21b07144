/** The user's check while it runs and after: which run it is, what it says, what came of each. */
import type { AnswerLine } from "./api.ts";
import { shown, shownLine } from "./words.ts";

export interface CheckRunShown {
  readonly label: string;
  /** Null: it runs. */
  readonly outcome: "passed" | "failed" | "not-run" | null;
}

export interface WatchedCheck {
  readonly runs: readonly CheckRunShown[];
  /** The last lines of the run that is the last. */
  readonly output: string;
  readonly isCut: boolean;
}

export const unwatched: WatchedCheck = { runs: [], output: "", isCut: false };

/** Null: the line is of something else. Pure. */
export function watchedLine(now: WatchedCheck, line: AnswerLine): WatchedCheck | null {
  switch (line.kind) {
    case "check-step":
      return { runs: [...now.runs, { label: String(line.label), outcome: null }], output: "", isCut: false };
    case "check-output":
      return { ...now, output: String(line.text), isCut: line.is_cut === true };
    case "check-ran": {
      const outcome = line.outcome as NonNullable<CheckRunShown["outcome"]>;
      return {
        ...now,
        runs: now.runs.map((run, at) => (at === now.runs.length - 1 ? { ...run, outcome } : run)),
      };
    }
    default:
      return null;
  }
}

const OUTCOMES = { passed: "passed", failed: "failed", "not-run": "could not be run" } as const;

/** `nameOf`: of a group by its id, as its card is called. */
export function runWords(label: string, nameOf: (group: string) => string): string {
  const [, one] = /^HEAD with (\S+)$/.exec(label) ?? [];
  if (one !== undefined) return `your last commit with ${nameOf(one)}`;
  return label.replace(/^HEAD alone/, "your last commit alone").replace(/^HEAD/, "your last commit");
}

interface WatchedProps {
  readonly of: WatchedCheck;
  readonly nameOf: (group: string) => string;
}

export function WatchedCheckView({ of: { runs, output, isCut }, nameOf }: WatchedProps) {
  if (runs.length === 0) return null;
  return (
    <div class="watched">
      <div role="status">
        <ol class="watched-runs">
          {runs.map(({ label, outcome }, at) => (
            <li key={`${at} ${label}`} class={`watched-${outcome ?? "now"}`}>
              <span aria-hidden="true">
                {outcome === "passed" ? "✓" : outcome === null ? <span class="spinner" /> : "✕"}
              </span>{" "}
              {shownLine(runWords(label, nameOf))}{" "}
              <b>{outcome === null ? "is being checked" : OUTCOMES[outcome]}</b>
            </li>
          ))}
        </ol>
      </div>
      <section
        class="watched-output"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is scrolled by keys, too.
        tabIndex={0}
        aria-label="What the check says"
        ref={(box) => {
          if (box) box.scrollTop = box.scrollHeight;
        }}
      >
        <pre>
          {isCut ? "…\n" : ""}
          {output === "" ? "It has said nothing yet." : shown(output)}
        </pre>
      </section>
    </div>
  );
}
