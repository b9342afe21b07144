/**
 * Stops what an attempt that is over has left running (S2), for the commands that may: found, judged, held, looked
 * at again, killed. Looks until two looks in a row find nothing to stop: a process that was about to fork when it
 * was found may have left another.
 */
import type { Clock } from "../platform/clock.ts";
import { isListening } from "../platform/listening.ts";
import { commandOf, environmentOf, isInOurNamespace } from "../platform/process-list.ts";
import { isSame, type StopProcessOutcome, stopForGood } from "../platform/stop-process.ts";
import {
  findLeftovers,
  judgeLeftover,
  type Leftover,
  type LeftoverQuery,
  MARK_VARIABLE,
  type ProcessFacts,
  type VerdictFacts,
} from "./leftovers.ts";
import { gatherProcesses } from "./process-facts.ts";

/** A tree that still grows after so many looks is fighting back; what is left is named. */
const MAX_LOOKS = 50;
/** Between two looks: long enough for a killed process to be gone from the list. */
const LOOK_AGAIN_MS = 20;

export interface LeftoverEnd {
  readonly pid: number;
  readonly started: number;
  readonly command: string;
  readonly evidence: Leftover["evidence"];
  readonly outcome: "stopped" | "left";
  readonly because: string | null;
}

export interface StopLeftoversOptions {
  readonly clock: Clock;
  readonly liveOwners: VerdictFacts["liveOwners"];
  /** Told before the first signal: S2 says it first. */
  readonly onFound?: (leftovers: readonly { readonly pid: number; readonly command: string }[]) => void;
}

/** Null: this system does not tell which processes there are. */
export async function stopLeftovers(
  query: LeftoverQuery,
  options: StopLeftoversOptions,
): Promise<LeftoverEnd[] | null> {
  const ends = new Map<string, LeftoverEnd>();
  let quietLooks = 0;
  for (let look = 0; look < MAX_LOOKS && quietLooks < 2; look += 1) {
    const processes = gatherProcesses();
    if (processes === null) return null;
    const found = judged(processes, query, options.liveOwners);
    for (const one of found)
      if (one.verdict.kind === "leave") noteEnd(ends, one, "left", one.verdict.because);
    const doomed = found.filter(({ verdict }) => verdict.kind === "stop");
    const isNews = doomed.filter(({ row }) => !ends.has(nameOf(row)));
    if (isNews.length > 0)
      options.onFound?.(isNews.map(({ row }) => ({ pid: row.pid, command: commandOf(row) })));
    for (const one of doomed) stopOne(ends, one, query);
    quietLooks = doomed.length === 0 ? quietLooks + 1 : 0;
    if (quietLooks < 2) await options.clock.sleep(LOOK_AGAIN_MS);
  }
  // One that ended by itself while it was looked at is nobody's leftover any more.
  return [...ends.values()].filter(
    ({ outcome, pid, started }) => outcome === "stopped" || isSame(pid, started),
  );
}

interface JudgedLeftover extends Leftover {
  readonly verdict: ReturnType<typeof judgeLeftover>;
}

function judged(
  processes: readonly ProcessFacts[],
  query: LeftoverQuery,
  liveOwners: VerdictFacts["liveOwners"],
): JudgedLeftover[] {
  const leftovers = findLeftovers(processes, query);
  const facts = { mark: query.mark, agent: null, leftovers, isListening, liveOwners };
  return leftovers.map((leftover) => ({ ...leftover, verdict: judgeLeftover(leftover, facts) }));
}

function stopOne(ends: Map<string, LeftoverEnd>, leftover: JudgedLeftover, query: LeftoverQuery): void {
  const command = commandOf(leftover.row);
  const outcome = stopForGood(leftover.row, () => isStillOurs(leftover, query));
  const because = whyLeft(outcome);
  if (outcome !== "gone") noteEnd(ends, leftover, because === null ? "stopped" : "left", because, command);
}

/** Asked while it stands still. A program it became in between (exec) may have another environment. */
function isStillOurs({ row, evidence }: Leftover, { mark, isShared }: LeftoverQuery): boolean {
  if (isShared(row.pid)) return false;
  const now = environmentOf(row.pid, MARK_VARIABLE);
  if (now.kind === "is" && now.value !== mark) return false;
  if (evidence === "descendant") return true;
  return now.kind === "is" && isInOurNamespace(row.pid);
}

function whyLeft(outcome: StopProcessOutcome): string | null {
  switch (outcome) {
    case "stopped":
    case "gone":
      return null;
    case "not-ours":
      return "it became another session's";
    case "not-allowed":
      return "it runs as another user";
    default:
      return outcome satisfies never;
  }
}

function noteEnd(
  ends: Map<string, LeftoverEnd>,
  { row, evidence }: Leftover,
  outcome: LeftoverEnd["outcome"],
  because: string | null,
  command = commandOf(row),
): void {
  const { pid, started } = row;
  const known = ends.get(nameOf(row));
  // A killed process is named once; one that is still on the list at the next look keeps its first command line.
  ends.set(nameOf(row), { pid, started, command: known?.command ?? command, evidence, outcome, because });
}

const nameOf = ({ pid, started }: ProcessFacts): string => `${pid}:${started}`;
