/** The scripted agent of the fleet's sweep, and what it notes of itself on its machine's disk: what was acknowledged to it, and nothing else. */
import { existsSync, readFileSync } from "node:fs";

/**
 * First it takes away the locks of a git that was killed with the attempt before, as an agent does that reads git's message. In each step: a line in a tracked file, a file of its own, in every odd step a commit; then a capture, whose answer is the acknowledgement. What it
 * finds it does not do again. Its ledger is one line for each, in one write.
 */
export const AGENT = `item="{prompt}"
mark=\${REFLOAT_SESSION%.*}; attempt=\${mark##*.}; session=\${mark%.*}
note() { printf '%s\\n' "$*" >> "$LEDGER"; }
note begin "$session" "$attempt" "$item"
for lock in index.lock HEAD.lock "$(git symbolic-ref HEAD).lock"; do rm -f "$(git rev-parse --git-path "$lock")"; done
n=1
while [ "$n" -le "$STEPS" ]; do
  if [ ! -e "step-$n.txt" ]; then
    grep -qx "$item $n" lines.txt || echo "$item $n" >> lines.txt
    echo "$item $n $attempt $MACHINE" > .step && mv .step "step-$n.txt"
  fi
  if [ $((n % 2)) = 1 ] && ! git cat-file -e "HEAD:step-$n.txt" 2> /dev/null; then
    { git add "step-$n.txt" && git commit -qm "$item $n"; } 2>> "$LEDGER.git" || exit 1
  fi
  sleep "$PAUSE"
  if said=$($REFLOAT capture --json 2> /dev/null); then note captured "$session" "$attempt" "$item" "$n" "$(cat "step-$n.txt" | tr ' ' /)" "$said"; fi
  n=$((n + 1))
done
note end "$session" "$attempt" "$item"`;

export interface AgentRun {
  readonly kind: "begin" | "end";
  readonly machine: string;
  readonly session: string;
  readonly attempt: number;
  readonly item: string;
}

/** An edit that was finished: a capture of it was acknowledged. */
export interface FinishedEdit {
  readonly kind: "captured";
  readonly machine: string;
  readonly session: string;
  readonly attempt: number;
  readonly item: string;
  readonly step: number;
  /** What the step's file held, without its newline. */
  readonly text: string;
  readonly capture: string;
  /** The session it was acknowledged in: of one that was fenced off it is another. */
  readonly capturedIn: string;
  readonly head: string;
}

export type Note = AgentRun | FinishedEdit;

export function notesOf(machine: string, ledger: string): Note[] {
  if (!existsSync(ledger)) return [];
  return readFileSync(ledger, "utf8")
    .split("\n")
    .slice(0, -1)
    .map((line) => noteIn(machine, line));
}

function noteIn(machine: string, line: string): Note {
  const [kind, session = "", attempt, item = "", step, text = "", ...said] = line.split(" ");
  const about = { machine, session, attempt: Number(attempt), item };
  if (kind === "begin" || kind === "end") return { kind, ...about };
  const { capture, session: capturedIn, head } = JSON.parse(said.join(" "));
  return {
    ...{ kind: "captured", ...about, step: Number(step), text: text.replaceAll("/", " ") },
    ...{ capture, capturedIn, head: head.id },
  };
}
