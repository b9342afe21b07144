/**
 * Which interruption is to be told at an agent's start in a workspace (DESIGN 9): the newest that is unsettled, younger than 72 h, on the branch that is
 * checked out, not taken up by another session, and that nobody was told of. `run` tells it, and the recorder of hooks (notice-ahead.ts): the same one (S7).
 */
import { lastHeardAt } from "../../handoff/journal-facts.ts";
import {
  type DueFacts,
  type InterruptedAttempt,
  isNoticeDue,
  noticeOf,
  wasNoticed,
} from "../../handoff/notice.ts";
import type { SessionSummary } from "../../session/describe.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import { usersSessions } from "../../workflow/own-journal.ts";
import { newestCaptures } from "../../workspace/captures/captures.ts";
import { readHead } from "../../workspace/git/head.ts";
import type { Workspace } from "../../workspace/opening/workspace.ts";
import { SEEN_ONCE, sessionsOf } from "../../workspace/sessions/workspace-sessions.ts";
import type { RefloatStore } from "../store/open-store.ts";
import type { BriefSurroundings } from "./session-brief.ts";

/** Where the agent is about to start. */
export interface NoticePlace extends BriefSurroundings {
  readonly workspace: Workspace;
}

export interface LeftSession {
  readonly row: SessionRow;
  readonly summary: SessionSummary;
}

export interface DueNotice extends LeftSession {
  readonly about: InterruptedAttempt;
  readonly facts: DueFacts;
  /** Other sessions that left work here. */
  readonly others: number;
}

/** Newest first. Work that another session took up is that session's: an old interruption is not told again. */
export async function leftHere(
  store: RefloatStore,
  { workspace, stands }: Pick<NoticePlace, "workspace" | "stands">,
): Promise<readonly LeftSession[]> {
  const rows = usersSessions(await sessionsOf(store.raw, [workspace.root, stands], SEEN_ONCE));
  const continued = new Set(rows.map(({ facts }) => facts.continues));
  const byId = new Map(rows.map((row) => [row.id as string, row]));
  return (await store.describe(rows)).flatMap((summary) => {
    const row = byId.get(summary.id);
    return row && summary.unsettled && summary.state !== "live" && !continued.has(summary.id)
      ? [{ row, summary }]
      : [];
  });
}

/** Those of `left` that are due, newest first, before anything is judged. */
export async function* dueOf(
  store: RefloatStore,
  here: NoticePlace,
  left: readonly LeftSession[],
): AsyncGenerator<DueNotice> {
  if (left.length === 0) return;
  const branchNow = await branchOf(here.workspace);
  for (const { row, summary } of left) {
    const { id: session, attempt, state, unsettled } = summary;
    const about = { session, attempt };
    const heardAt = summary.ended_at ?? (await lastHeardAt(store.raw, row));
    const [taken] = await newestCaptures(store.raw, [row], 1);
    const facts: DueFacts = {
      ...{ state, unsettled, attempt, branchNow },
      lastAtMs: heardAt === null ? null : Date.parse(heardAt),
      branch: taken?.capture.head?.branch ?? null,
      shownForAttempt: (await wasNoticed(store.raw, here.workspace, about)) ? attempt : null,
    };
    if (isNoticeDue(facts, here.clock.nowMs())) yield { row, summary, about, facts, others: left.length - 1 };
  }
}

/** Its words; judging takes a while, and its room is loaded only here. Null: there is nothing to say of it. */
export async function noticeText(
  store: RefloatStore,
  { row, facts, about, others }: DueNotice,
  here: NoticePlace,
): Promise<string | null> {
  const { gatherBrief } = await import("./session-brief.ts");
  const brief = (await gatherBrief({ kind: "session", store, row }, here))?.facts;
  if (!brief) return null;
  const count = (wanted: string): number => brief.groups.filter(({ verdict }) => verdict === wanted).length;
  const verdicts = { safe: count("safe"), risky: count("risky"), unknown: count("unknown") };
  const words = { id: about.session, agent: brief.session.agent, verdicts, openCalls: brief.calls };
  return noticeOf({ ...facts, ...words, others }, here.clock.nowMs());
}

async function branchOf(workspace: Workspace): Promise<string | null> {
  return workspace.kind === "folder" ? null : (await readHead(await workspace.repository())).branch;
}
