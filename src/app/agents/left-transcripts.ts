/**
 * Transcripts that agents left of work in a workspace, whoever started them (S1): found where each agent keeps its own, told by what
 * they say inside. Reading only, and bounded: an agent's folder may hold years.
 */
import { realpathSync, statSync } from "node:fs";
import { isAbsolute } from "node:path";
import { AGENTS } from "../../agents/registry.ts";
import {
  type ChildTranscript,
  childrenOf,
  headOrNull,
  LOOKED_INTO,
} from "../../agents/transcript/find-transcript.ts";
import type { AgentAdapter, FoundTranscript } from "../../agents/words/adapter.ts";
import { agentHome } from "../../agents/words/agent-files.ts";
import type { SessionId } from "../../model/ids.ts";
import { errnoOf } from "../../platform/io-error.ts";
import { placeInside } from "../../platform/places.ts";
import { scopeOf } from "../place/scope.ts";

/** Work that nobody came back to for so long is history: `transcript check` and `rebuild` read it by its file. */
const WITHIN_MS = 14 * 24 * 60 * 60_000;

/** Of each agent the newest of one workspace. */
const OF_ONE_WORKSPACE = 5;

/** One whose folder is no more: deleted, or moved. */
export interface GoneTranscript {
  readonly adapter: AgentAdapter;
  readonly path: string;
  readonly nativeId: string;
  /** As it says. */
  readonly cwd: string;
  readonly modifiedMs: number;
  /** When it began, by its own words; null: they do not say. */
  readonly beganMs: number | null;
  readonly bytes: number;
  readonly children: readonly ChildTranscript[];
}

export interface LeftTranscript extends GoneTranscript {
  /** The same folder below the workspace's top; empty: that itself. */
  readonly inside: string;
  /** What the workspace's top was called when it was begun, where that was moved since; left out: it was not. */
  readonly movedFrom?: string;
  /** The session it has, where that was begun at another place; left out: told by the agent's id and this workspace. */
  readonly session?: SessionId;
}

/** A session that is heard of by its transcript, by its hooks, or by both. */
export interface LeftWork extends Omit<LeftTranscript, "path" | "bytes"> {
  /** Null: its agent left none; only its hooks tell of it. */
  readonly path: string | null;
}

export interface TranscriptsFound {
  /** Of this workspace, newest first of each agent. */
  readonly left: readonly LeftTranscript[];
  /** Of folders that are gone. */
  readonly gone: readonly GoneTranscript[];
}

/** `root`: the workspace's top. */
export function leftTranscripts(env: NodeJS.ProcessEnv, root: string, nowMs: number): TranscriptsFound {
  const home = agentHome(env);
  const found = AGENTS.map((adapter) => {
    const all = adapter.places.find(home, root);
    const young = all
      .filter(({ modifiedMs, child }) => child === undefined && nowMs - modifiedMs < WITHIN_MS)
      .slice(0, LOOKED_INTO);
    const placed = newestOfId(young.flatMap((one) => withFolder(adapter, one, all) ?? []));
    const gone = placed.filter(({ cwd }) => cwd !== root && isGone(cwd));
    return { left: placed.flatMap((one) => ofWorkspace(one, root) ?? []).slice(0, OF_ONE_WORKSPACE), gone };
  });
  return { left: found.flatMap(({ left }) => left), gone: found.flatMap(({ gone }) => gone) };
}

/** Gemini CLI begins a second file of one id where it goes on in a copy, and leaves it: what is written to is the newest. */
const newestOfId = (found: readonly GoneTranscript[]): readonly GoneTranscript[] =>
  found.filter((one, at) => found.findIndex(({ nativeId }) => nativeId === one.nativeId) === at);

function withFolder(
  adapter: AgentAdapter,
  found: FoundTranscript,
  all: readonly FoundTranscript[],
): GoneTranscript | null {
  const head = headOrNull(adapter, found);
  const cwd = head?.cwd ?? null;
  if (!head || cwd === null || !isAbsolute(cwd) || cwd.startsWith("/proc/")) return null;
  const { path, modifiedMs, bytes } = found;
  const { nativeId, beganMs } = head;
  return { adapter, path, nativeId, cwd, modifiedMs, beganMs, bytes, children: childrenOf(all, nativeId) };
}

function ofWorkspace(one: GoneTranscript, root: string): LeftTranscript | null {
  const inside = insideOf(one.cwd, root);
  return inside === null ? null : { ...one, inside };
}

/** The folder itself, or one below it that is in no other work tree; through links, too. Null: neither. */
function insideOf(cwd: string, root: string): string | null {
  const real = realOrNull(cwd);
  if (real === null) return cwd === root ? "" : null;
  const inside = placeInside(root, real);
  return inside === "" || (inside !== null && scopeOf(real, "here").workspace === root) ? inside : null;
}

/** Not there: who may not look does not know. */
export function isGone(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) === undefined;
  } catch (thrown) {
    if (errnoOf(thrown) === null) throw thrown;
    return false;
  }
}

/** Null: it is not there, or nobody may look. */
export function realOrNull(path: string): string | null {
  try {
    return realpathSync(path);
  } catch (thrown) {
    if (errnoOf(thrown) === null) throw thrown;
    return null;
  }
}
