/**
 * What an agent that `run` starts is told of work that lies half done in the same place (DESIGN 9): on stderr for whoever
 * watches, and in REFLOAT_NOTICE for the agent. Once for an interruption. `resume` and `loop` give the brief instead.
 */

import { lastHeardAt } from "../../handoff/journal-facts.ts";
import {
  type InterruptedAttempt,
  isNoticeDue,
  noticeOf,
  recordNotice,
  wasNoticed,
} from "../../handoff/notice.ts";
import { ensureError } from "../../model/errors.ts";
import type { SessionId } from "../../model/ids.ts";
import type { SessionSummary } from "../../session/describe.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import type { Store } from "../../store/store.ts";
import { usersSessions } from "../../workflow/own-journal.ts";
import { newestCaptures } from "../../workspace/captures/captures.ts";
import { readHead } from "../../workspace/git/head.ts";
import type { Workspace } from "../../workspace/opening/workspace.ts";
import { sessionsOf } from "../../workspace/sessions/workspace-sessions.ts";
import { type BriefSurroundings, gatherBrief } from "../handoff/session-brief.ts";
import type { RefloatStore } from "../store/open-store.ts";

export const NOTICE_VARIABLE = "REFLOAT_NOTICE";

export interface StartNotice {
  readonly about: InterruptedAttempt;
  /** At most eight lines, each with its line break. */
  readonly text: string;
}

/** Where the agent is about to start. */
export interface NoticePlace extends BriefSurroundings {
  readonly workspace: Workspace;
}

/** Null: nothing is to be said. A notice that cannot be made keeps no agent from starting: that is said instead. */
export async function startNotice(
  store: RefloatStore,
  here: NoticePlace,
  onFailed: (error: Error) => void,
): Promise<StartNotice | null> {
  try {
    return await newestDue(store, here);
  } catch (thrown) {
    onFailed(ensureError(thrown));
    return null;
  }
}

export async function showNotice(
  store: Store,
  workspace: Workspace,
  { about, text }: StartNotice,
  { to, say }: { readonly to: SessionId; readonly say: (line: string) => void },
): Promise<void> {
  for (const line of text.trimEnd().split("\n")) say(line);
  await recordNotice(store, workspace, about, to);
}

interface NoticeCandidate {
  readonly row: SessionRow;
  readonly summary: SessionSummary;
}

async function newestDue(store: RefloatStore, here: NoticePlace): Promise<StartNotice | null> {
  const left = await leftHere(store, here);
  const branchNow = await branchOf(here.workspace);
  const nowMs = here.clock.nowMs();
  for (const { row, summary } of left) {
    const { id: session, attempt, state, unsettled } = summary;
    const about = { session, attempt };
    const heardAt = summary.ended_at ?? (await lastHeardAt(store.raw, row));
    const [taken] = await newestCaptures(store.raw, [row], 1);
    const facts = {
      ...{ state, unsettled, attempt, branchNow },
      lastAtMs: heardAt === null ? null : Date.parse(heardAt),
      branch: taken?.capture.head?.branch ?? null,
      shownForAttempt: (await wasNoticed(store.raw, here.workspace, about)) ? attempt : null,
    };
    // Asked before the groups are judged, which takes a while.
    if (!isNoticeDue(facts, nowMs)) continue;
    const brief = (await gatherBrief({ kind: "session", store, row }, here))?.facts;
    if (!brief) continue;
    const count = (wanted: string): number => brief.groups.filter(({ verdict }) => verdict === wanted).length;
    const verdicts = { safe: count("safe"), risky: count("risky"), unknown: count("unknown") };
    const words = { id: session, agent: brief.session.agent, verdicts, openCalls: brief.calls };
    const text = noticeOf({ ...facts, ...words, others: left.length - 1 }, nowMs);
    if (text !== null) return { about, text };
  }
  return null;
}

/** Newest first. Work that another session took up is that session's: an old interruption is not told again. */
async function leftHere(store: RefloatStore, { workspace, stands }: NoticePlace): Promise<NoticeCandidate[]> {
  const rows = usersSessions(await sessionsOf(store.raw, [workspace.root, stands]));
  const continued = new Set(rows.map(({ facts }) => facts.continues));
  const byId = new Map(rows.map((row) => [row.id as string, row]));
  return (await store.describe(rows)).flatMap((summary) => {
    const row = byId.get(summary.id);
    return row && summary.unsettled && summary.state !== "live" && !continued.has(summary.id)
      ? [{ row, summary }]
      : [];
  });
}

async function branchOf(workspace: Workspace): Promise<string | null> {
  return workspace.kind === "folder" ? null : (await readHead(await workspace.repository())).branch;
}
