/** Reads a list of paths within the bounds of a capture; what a bound leaves out is named, or at least counted (T5). */
import { CAPTURE_READ_TRIES } from "../../model/limits.ts";
import { openDescriptorWalk } from "../../platform/descriptor-walk.ts";
import { type ReadOutcome, readPath } from "../files/read-path.ts";
import type { CandidatePath, ReachedLimit, ReadEntry, ReadGap, ReadingOptions } from "./reading.ts";

/** After so long without a pause everybody else on this thread has a turn. */
const YIELD_MS = 20;
/** Between two tries of a path that moves. */
const PAUSE_MS = 15;
/** Paths between two reports of progress. */
const PROGRESS_STEP = 250;

export interface CandidatesRead {
  readonly entries: ReadEntry[];
  readonly gaps: ReadGap[];
  readonly limits: ReachedLimit[];
}

export async function readCandidates(
  root: string,
  all: readonly CandidatePath[],
  options: ReadingOptions,
): Promise<CandidatesRead> {
  const { clock, limits, sink } = options;
  const entries: ReadEntry[] = [];
  const gaps: ReadGap[] = [];
  const reached: ReachedLimit[] = [];
  const candidates = all.slice(0, limits.paths);
  if (all.length > candidates.length)
    reached.push({ limit: "paths", value: limits.paths, leftOut: all.length - candidates.length });
  const startedMs = clock.monotonicMs();
  let yieldedMs = startedMs;
  let bytes = 0;
  let overTime = 0;
  const walk = openDescriptorWalk(root);
  try {
    for (const [i, candidate] of candidates.entries()) {
      const nowMs = clock.monotonicMs();
      if (nowMs - startedMs > limits.budgetMs) {
        overTime++;
        gaps.push({ path: candidate.path, reason: "over-budget", detail: "the time of this capture was up" });
        continue;
      }
      const outcome = await readOne(candidate, {
        walk,
        sink,
        maxBytes: Math.min(limits.fileBytes, limits.totalBytes - bytes),
        tries: CAPTURE_READ_TRIES,
        pause: () => clock.sleep(PAUSE_MS),
      });
      if (outcome.kind === "held") bytes += outcome.bytes;
      else gaps.push({ path: candidate.path, reason: outcome.reason, detail: outcome.detail });
      if (outcome.kind === "held" || outcome.state !== null) entries.push(entryOf(candidate, outcome));
      if (i % PROGRESS_STEP === 0) options.onProgress?.(i, candidates.length);
      if (nowMs - yieldedMs > YIELD_MS) {
        await clock.sleep(0);
        yieldedMs = clock.monotonicMs();
      }
    }
    await sink.settle();
  } finally {
    walk.close();
  }
  if (overTime > 0) reached.push({ limit: "budget_ms", value: limits.budgetMs, leftOut: overTime });
  for (const { path, state } of entries) {
    if (state?.hash && !sink.isHeld(state.hash))
      gaps.push({ path, reason: "not-held", detail: "the store is at its cap: only the hash is kept" });
  }
  return { entries, gaps, limits: reached };
}

async function readOne(
  candidate: CandidatePath,
  options: Parameters<typeof readPath>[1],
): Promise<ReadOutcome> {
  if (candidate.state === undefined) return readPath(candidate.path, options);
  return { kind: "held", state: candidate.state, bytes: 0, hasHardLinks: false };
}

function entryOf({ path, head, staged, flags }: CandidatePath, outcome: ReadOutcome): ReadEntry {
  const isLinked = outcome.kind === "held" && outcome.hasHardLinks;
  return {
    path,
    state: outcome.state,
    ...(head === undefined ? {} : { head }),
    ...(staged === undefined ? {} : { staged }),
    flags: isLinked ? [...flags, "hard-links"] : flags,
  };
}
