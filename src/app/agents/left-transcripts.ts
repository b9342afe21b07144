/**
 * Transcripts that agents left of work in a workspace, whoever started them (S1): found where each agent keeps its own, told by what
 * they say inside. Reading only, and bounded: an agent's folder may hold years.
 */
import { realpathSync } from "node:fs";
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
import { errnoOf } from "../../platform/io-error.ts";
import { placeInside } from "../../platform/places.ts";
import { scopeOf } from "../place/scope.ts";

/** Work that nobody came back to for so long is history: `transcript check` and `rebuild` read it by its file. */
const WITHIN_MS = 14 * 24 * 60 * 60_000;

/** Of each agent the newest of one workspace. */
const OF_ONE_WORKSPACE = 5;

export interface LeftTranscript {
  readonly adapter: AgentAdapter;
  readonly path: string;
  readonly nativeId: string;
  /** As it says. */
  readonly cwd: string;
  /** The same folder below the workspace's top; empty: that itself. */
  readonly inside: string;
  readonly modifiedMs: number;
  /** When it began, by its own words; null: they do not say. */
  readonly beganMs: number | null;
  readonly bytes: number;
  readonly children: readonly ChildTranscript[];
}

/** A session that is heard of by its transcript, by its hooks, or by both. */
export interface LeftWork extends Omit<LeftTranscript, "path" | "bytes"> {
  /** Null: its agent left none; only its hooks tell of it. */
  readonly path: string | null;
}

/** Newest first of each agent. `root`: the workspace's top. */
export function leftTranscripts(
  env: NodeJS.ProcessEnv,
  root: string,
  nowMs: number,
): readonly LeftTranscript[] {
  const home = agentHome(env);
  return AGENTS.flatMap((adapter) => {
    const all = adapter.places.find(home, root);
    const young = all
      .filter(({ modifiedMs, child }) => child === undefined && nowMs - modifiedMs < WITHIN_MS)
      .slice(0, LOOKED_INTO);
    return young
      .flatMap((found) => ofWorkspace(adapter, found, root) ?? [])
      .slice(0, OF_ONE_WORKSPACE)
      .map((left) => ({ ...left, children: childrenOf(all, left.nativeId) }));
  });
}

function ofWorkspace(
  adapter: AgentAdapter,
  found: FoundTranscript,
  root: string,
): Omit<LeftTranscript, "children"> | null {
  const head = headOrNull(adapter, found);
  const cwd = head?.cwd ?? null;
  if (!head || cwd === null || !isAbsolute(cwd) || cwd.startsWith("/proc/")) return null;
  const inside = insideOf(cwd, root);
  if (inside === null) return null;
  const { path, modifiedMs, bytes } = found;
  return { adapter, path, nativeId: head.nativeId, cwd, inside, modifiedMs, beganMs: head.beganMs, bytes };
}

/** The folder itself, or one below it that is in no other work tree; through links, too. Null: neither. */
function insideOf(cwd: string, root: string): string | null {
  const real = realOrNull(cwd);
  if (real === null) return cwd === root ? "" : null;
  const inside = placeInside(root, real);
  return inside === "" || (inside !== null && scopeOf(real, "here").workspace === root) ? inside : null;
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
