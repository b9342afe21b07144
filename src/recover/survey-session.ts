/**
 * What can be told of one session without writing anything: its life, how its last attempt ended, what is open and
 * which processes it left. Recovery acts on this; reading commands show it (W1: they never signal a process).
 * `asFound`: rows with the ends that nobody has recorded yet told as a recovery would tell them.
 */

import { findDirtyEnd, readDirtyEnd } from "../conversation/dirty-end.ts";
import { openThings } from "../conversation/open-things.ts";
import type { Liveness } from "../model/owner.ts";
import { oomRecordOf } from "../platform/out-of-memory.ts";
import { decideClaim } from "../session/decide-claim.ts";
import type { SessionSummary } from "../session/describe.ts";
import { lifeOf, nameOf, type SessionLife, type SessionState } from "../session/state.ts";
import type { OpenRow, SessionRow } from "../store/contract/driver.ts";
import { type AskLiveness, livenessOfHolder } from "../store/holder.ts";
import type { Store } from "../store/store.ts";
import { type AttemptStory, storyIn, storyRecords } from "./attempt-story.ts";
import { type DeathFacts, finishCause, type NamedEnd, nameEnd } from "./name-end.ts";

export interface SurveyOptions {
  readonly liveness?: AskLiveness;
  readonly oomRecord?: typeof oomRecordOf;
}

export interface SurveyedSession {
  readonly row: SessionRow;
  readonly open: readonly OpenRow[];
  readonly life: SessionLife;
  readonly state: SessionState;
  readonly supervised: boolean;
  /** How its last attempt ended, where that is not on record yet; null: it lives, or nothing of it was cut off. */
  readonly end: NamedEnd | null;
  readonly story: AttemptStory;
}

export async function surveySession(
  store: Store,
  row: SessionRow,
  options: SurveyOptions = {},
): Promise<SurveyedSession> {
  const [open, readRecords] = await Promise.all([store.open(row.id), storyRecords(store, row)]);
  const { liveness, isAgentAlone } = livenessOfHolder(row, options.liveness);
  const life = lifeOf({ row, open, liveness, nowMs: store.clock.nowMs() });
  const story = storyIn(readRecords, row, open.find(({ what }) => what === "turn")?.seq ?? null);
  const isOver = !life.isHeld && life.isOpen;
  return {
    row,
    open,
    life,
    state: nameOf(life),
    supervised: life.isHeld && !isAgentAlone,
    end: isOver ? nameEnd(deathFacts(store, row, liveness, story, options)) : null,
    story,
  };
}

function deathFacts(
  store: Store,
  row: SessionRow,
  liveness: Liveness | null,
  story: AttemptStory,
  { oomRecord = oomRecordOf }: SurveyOptions,
): DeathFacts {
  const decision = decideClaim(row.claim, liveness, store.clock.nowMs());
  const isLost = decision.kind === "take" && decision.why === "lost";
  // A gateway gives a conversation back whose serving failed in the middle, too: that is not its word for an end.
  const isGivenBack = story.isGivenBack === true && typeof row.facts.gateway !== "string";
  const released = isGivenBack ? "given-back" : "released";
  const death = isLost ? "lost" : liveness?.kind === "dead" ? liveness.because : released;
  const processes = [story.agent, row.claim.owner].flatMap((one) => (one ? [one] : []));
  // The ring buffer is this boot's: of an earlier one it says nothing.
  const mayTell = death === "no-such-process" || death === "pid-reused";
  const said = mayTell ? processes.map((one) => oomRecord(one)).find((words) => words !== null) : null;
  return { death, story, heartbeatAtMs: row.claim.heartbeatAtMs, oomRecord: said ?? null };
}

/** Sessions as they are, with the ends that nobody has recorded yet told as a recovery would tell them. Reads only (W1). */
export async function asFound(
  store: Store,
  rows: readonly SessionRow[],
  summaries: readonly SessionSummary[],
): Promise<SessionSummary[]> {
  const byId = new Map(rows.map((row) => [row.id as string, row]));
  const told = await Promise.all(
    summaries.filter(mayBeUntold).map(async (summary) => {
      const row = byId.get(summary.id);
      return row ? found(store, row, summary) : summary;
    }),
  );
  let next = 0;
  return summaries.map((summary) => (mayBeUntold(summary) ? (told[next++] ?? summary) : summary));
}

/** Settled ones have the cause on their row; live, idle and finished ones have nothing to be found. */
const mayBeUntold = ({ state }: SessionSummary): boolean => state === "interrupted" || state === "suspended";

async function found(store: Store, row: SessionRow, summary: SessionSummary): Promise<SessionSummary> {
  const { end, open } = await surveySession(store, row);
  if (!end) return summary;
  const [things, read] = await Promise.all([
    openThings(store, row.id, { open }),
    readDirtyEnd(store, row, open),
  ]);
  const { count } = await findDirtyEnd(store, row, things, end.cause, { ...end, read });
  return {
    ...summary,
    state: end.isFinished && summary.state === "interrupted" ? "finished" : summary.state,
    cause: end.isFinished ? finishCause(end) : end.cause,
    dirty_ends: count,
  };
}
