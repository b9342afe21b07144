/**
 * The processes a dead attempt left running (S2): listed, never signalled. With each: why it is taken for ours and,
 * where `stop-leftovers` would leave it alone, why. Beside them what nobody can tell the owner of.
 */
import type { SessionId } from "../model/ids.ts";
import { bootId, selfOwner } from "../platform/identity.ts";
import { isListening } from "../platform/listening.ts";
import { unreadableBelow } from "../platform/open-files.ts";
import { placeInside } from "../platform/places.ts";
import { commandOf, folderOf, listProcesses, type ProcessRow, wordsOf } from "../platform/process-list.ts";
import { startedAtMs } from "../platform/process-table.ts";
import {
  findAbandoned,
  findLeftovers,
  type IsSharedServer,
  judgeLeftover,
  type LeftoverQuery,
  type ProcessFacts,
  type VerdictFacts,
} from "../session/leftovers.ts";
import { gatherProcesses, sharedByCommand } from "../session/process-facts.ts";
import { readSeenProcesses } from "../session/run-folder.ts";
import { agentOf, livenessOfHolder } from "../store/holder.ts";
import type { Store } from "../store/store.ts";
import type { AttemptStory } from "./attempt-story.ts";

export interface ListedProcess {
  readonly pid: number;
  readonly started: number;
  readonly command: string;
  readonly started_at: string | null;
  /**
   * `mark`: its exact mark; `descendant`: the supervisor saw it; `command`: it runs what a call of an agent that nobody supervised was to
   * run; `folder`: nobody's child, begun here while such an agent worked; `unreadable`: it works here and nobody can tell whose it is.
   */
  readonly evidence: "mark" | "descendant" | "command" | "folder" | "unreadable";
  /** Why it would not be stopped; null: it would. */
  readonly kept: string | null;
  /** Kept because it is another session's. */
  readonly isAnothers?: boolean;
}

export interface LeftoverSource {
  readonly session: string;
  readonly story: AttemptStory;
  /** Where run folders lie: the store's home. */
  readonly home: string;
  readonly liveOwners: VerdictFacts["liveOwners"];
  /** Left out: none is. */
  readonly isSharedServer?: IsSharedServer | undefined;
}

/** What a process of this attempt is known by; null: it was not supervised, so nothing carries its mark. */
export function leftoverQuery({
  session,
  story,
  home,
  isSharedServer,
}: Omit<LeftoverSource, "liveOwners">): LeftoverQuery | null {
  if (story.mark === null) return null;
  const seen = readSeenProcesses(home, session, { attempt: story.attempt, boot: bootId() });
  const isShared = sharedByCommand(isSharedServer);
  return { mark: story.mark, seen, self: selfOwner().pid, isShared };
}

/** Null: this system does not tell which processes there are. */
export function listLeftovers(source: LeftoverSource): ListedProcess[] | null {
  const query = leftoverQuery(source);
  if (!query) return [];
  const processes = gatherProcesses();
  if (processes === null) return null;
  const leftovers = findLeftovers(processes, query);
  const facts = { mark: query.mark, agent: null, leftovers, isListening, liveOwners: source.liveOwners };
  return leftovers.map((leftover) => {
    const verdict = judgeLeftover(leftover, facts);
    const one = listed(leftover.row, leftover.evidence, verdict.kind === "leave" ? verdict.because : null);
    return verdict.kind === "leave" && verdict.isAnothers ? { ...one, isAnothers: true } : one;
  });
}

/**
 * What an agent that nobody supervised may have left: it works below the folder, its starter is gone, and it began while the agent
 * worked. Nothing carries a mark, so it is named and never stopped (S2). Null: this system does not tell which processes there are.
 */
export function listAbandoned(
  root: string,
  {
    fromMs,
    toMs,
    isSharedServer,
  }: { readonly fromMs: number; readonly toMs: number; readonly isSharedServer: IsSharedServer },
): ListedProcess[] | null {
  const processes = gatherProcesses();
  if (processes === null) return null;
  const begun = new Map(processes.map((row) => [row.pid, startedAtMs(row.started)]));
  const isThen = ({ pid }: ProcessFacts): boolean => {
    const atMs = begun.get(pid) ?? null;
    return atMs !== null && atMs >= fromMs && atMs <= toMs;
  };
  const isShared = sharedByCommand(isSharedServer);
  const worksHere = (pid: number): boolean => isBelow(root, folderOf(pid)) && !isShared(pid);
  return findAbandoned(processes, { self: selfOwner().pid, worksHere })
    .filter(isThen)
    .map((row) =>
      listed(row, "folder", "it was started without refloat, and only its folder says whose it is"),
    );
}

const isBelow = (root: string, folder: string | null): boolean =>
  folder !== null && (folder === root || placeInside(root, folder) !== null);

/** What works in the workspace and cannot be told: it makes what it may write unknown. Null: nothing can be told at all. */
export function listUnreadable(root: string): ListedProcess[] | null {
  const found = unreadableBelow(root);
  return found?.map((row) => listed(row, "unreadable", "its environment cannot be read")) ?? null;
}

/**
 * What runs a command of a call that has no result, in the workspace, and what it has started: of an agent that nobody supervised, no
 * mark tells its tools (S2). Never stopped: only its words say whose it is.
 */
export function listCommands(root: string, commands: readonly string[]): ListedProcess[] {
  const wanted = commands.map((command) => command.trim()).filter((command) => command.length >= SHORTEST);
  const processes = wanted.length === 0 ? [] : (listProcesses() ?? []).filter(({ hasExited }) => !hasExited);
  const found = new Set<number>();
  for (const { pid } of processes) {
    const folder = pid === selfOwner().pid ? null : folderOf(pid);
    const words = folder !== null && placeInside(root, folder) !== null ? (wordsOf(pid) ?? []) : [];
    if (words.some((word) => wanted.some((command) => word.includes(command)))) found.add(pid);
  }
  for (const { pid, parent } of processes) if (found.has(parent)) found.add(pid);
  return processes
    .filter(({ pid }) => found.has(pid))
    .map((row) => listed(row, "command", "only its command says whose it is"));
}

/** A shorter command is a word that anybody may type. */
const SHORTEST = 8;

function listed(row: ProcessRow, evidence: ListedProcess["evidence"], kept: string | null): ListedProcess {
  const atMs = startedAtMs(row.started);
  const started_at = atMs === null ? null : new Date(atMs).toISOString();
  return { pid: row.pid, started: row.started, command: commandOf(row), started_at, evidence, kept };
}

/** Whoever holds a live session, and its agent: theirs is never stopped (S2). */
export async function liveOwnersIn(store: Store, except: SessionId): Promise<VerdictFacts["liveOwners"]> {
  const found: { pid: number; started: number | null }[] = [];
  for await (const row of store.everySession()) {
    if (!row.claim.owner || row.id === except) continue;
    const { liveness } = livenessOfHolder(row);
    if (liveness?.kind !== "alive") continue;
    found.push(row.claim.owner);
    const agent = agentOf(row.facts, row.claim.attempt);
    if (agent) found.push(agent);
  }
  return found.map(({ pid, started }) => ({ pid, started }));
}
