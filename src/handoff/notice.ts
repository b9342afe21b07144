/**
 * What an agent is told at its start when somebody else's work lies half done in the same place (DESIGN 9): a notice, not
 * a brief. At most eight lines; once; only while the work is unsettled, on the same branch, and younger than 72 hours.
 * What came from others stands in code marks, on its own line, bounded (T3); it is redacted before it comes here (T4).
 * That it was shown is a record in the workspace's own journal.
 */
import { actsSessionOf } from "../acts/plans/acts-session.ts";
import type { RecordId, SessionId } from "../model/ids.ts";
import { newRecord } from "../session/new-record.ts";
import type { Store } from "../store/store.ts";
import { count } from "../text/counting.ts";
import { shellWord } from "../text/escape.ts";
import { inlineText } from "../text/fence.ts";
import type { Workspace } from "../workspace/opening/workspace.ts";
import { ensureSession } from "../workspace/sessions/capture-session.ts";

/** Older work is found by `refloat`; nobody who starts an agent today is still in the middle of it. */
export const NOTICE_AGE_MS = 72 * 60 * 60_000;
export const NOTICE_LINES = 8;

export interface NoticeFacts {
  readonly id: string;
  readonly agent: string | null;
  readonly state: string;
  readonly unsettled: boolean;
  /** When it was last heard of. */
  readonly lastAtMs: number | null;
  /** The branch it worked on, and the one that is checked out now. */
  readonly branch: string | null;
  readonly branchNow: string | null;
  readonly verdicts: { readonly safe: number; readonly risky: number; readonly unknown: number };
  readonly openCalls: readonly { readonly tool: string }[];
  /** Other sessions that left work here. */
  readonly others: number;
  /** The attempt the last notice was about; null: there was none. */
  readonly shownForAttempt: number | null;
  readonly attempt: number;
}

/** What tells whether anything is to be said, before the work itself is looked at. */
export type DueFacts = Pick<
  NoticeFacts,
  "state" | "unsettled" | "lastAtMs" | "branch" | "branchNow" | "shownForAttempt" | "attempt"
>;

/** Null: nothing is to be said. */
export function noticeOf(facts: NoticeFacts, nowMs: number): string | null {
  if (!isNoticeDue(facts, nowMs)) return null;
  const { id, agent, verdicts, openCalls } = facts;
  const groups = verdicts.safe + verdicts.risky + verdicts.unknown;
  const whose = agent === null ? "An earlier session" : `An earlier session of ${inlineText(agent, 40)}`;
  const ended = facts.state === "finished" ? "ended here and left changes" : "was cut off here";
  const lines = [
    `${whose} ${ended} ${agoWords(nowMs - (facts.lastAtMs ?? nowMs))}.`,
    `${count(groups, "group")} of changes: ${verdicts.safe} safe, ${verdicts.risky} risky, ${verdicts.unknown} unknown.`,
    ...(openCalls.length === 0
      ? []
      : [`${count(openCalls.length, "call")} may have happened: ${toolsOf(openCalls)}.`]),
    ...(facts.others > 0 ? [`${count(facts.others, "other session")} left work here, too: refloat`] : []),
    `Read it with: refloat handoff ${shellWord(id)}`,
    "If your work has nothing to do with it, leave those changes alone and go on.",
  ];
  return `${lines.slice(0, NOTICE_LINES).join("\n")}\n`;
}

export function isNoticeDue(facts: DueFacts, nowMs: number): boolean {
  const { state, unsettled, lastAtMs, branch, branchNow, shownForAttempt, attempt } = facts;
  if (!unsettled || state === "live" || shownForAttempt === attempt) return false;
  if (lastAtMs === null || nowMs - lastAtMs >= NOTICE_AGE_MS) return false;
  return branch === branchNow;
}

const MAX_TOOLS = 3;

function toolsOf(calls: NoticeFacts["openCalls"]): string {
  const named = calls.slice(0, MAX_TOOLS).map(({ tool }) => inlineText(tool, 40));
  return calls.length > MAX_TOOLS ? `${named.join(", ")}, ...` : named.join(", ");
}

function agoWords(ms: number): string {
  const minutes = Math.floor(Math.max(0, ms) / 60_000);
  if (minutes < 1) return "just now";
  return minutes < 60 ? `${minutes} min ago` : `${Math.floor(minutes / 60)} h ago`;
}

/** Whether somebody was told of an interruption already: a record in the workspace's own journal, one per session and try. */
export interface InterruptedAttempt {
  readonly session: string;
  readonly attempt: number;
}

const idOf = ({ session, attempt }: InterruptedAttempt): RecordId =>
  `notice:${session}:${attempt}` as RecordId;

export async function wasNoticed(
  store: Store,
  workspace: Workspace,
  about: InterruptedAttempt,
): Promise<boolean> {
  const journal = actsSessionOf(workspace);
  if (!(await store.session(journal))) return false;
  return (await store.recordById(journal, idOf(about))) !== null;
}

/** After it was shown, never before: a kill in between shows it twice, which costs nothing (T1). */
export async function recordNotice(
  store: Store,
  workspace: Workspace,
  about: InterruptedAttempt,
  to: SessionId,
): Promise<void> {
  if (await wasNoticed(store, workspace, about)) return;
  const journal = actsSessionOf(workspace);
  const name = `acts in ${workspace.root}`;
  await ensureSession(store, journal, { agent: "refloat", workspace: "", goal: null, name });
  const body = { ...about, to };
  await store.append(journal, "anyone", [newRecord(store.clock, "notice.shown", body, idOf(about))]);
}
