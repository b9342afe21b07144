/** One session's transcript among all that an agent keeps, and those of its subagents. */
import { RefloatError } from "../../model/errors.ts";
import { errnoOf } from "../../platform/io-error.ts";
import type { AgentAdapter, FoundTranscript } from "../words/adapter.ts";
import { agentHome } from "../words/agent-files.ts";
import { headOf } from "./head-of-transcript.ts";

/** A subagent's own transcript: part of the session that began it. */
export interface ChildTranscript {
  readonly path: string;
  readonly nativeId: string;
}

/** The transcript of one session of the agent's, which may have been anywhere; null: there is none. Its name says whose it is, or its beginning. */
export function transcriptNamed(
  adapter: AgentAdapter,
  nativeId: string,
  env: Readonly<Record<string, string | undefined>>,
  folder: string,
): FoundTranscript | null {
  const found = adapter.places.find(agentHome(env), folder).filter(({ child }) => child === undefined);
  const isIts = (one: FoundTranscript): boolean => headOrNull(adapter, one)?.nativeId === nativeId;
  const unnamed = found.filter((one) => one.nativeId === null).slice(0, LOOKED_INTO);
  return found.find((one) => one.nativeId === nativeId) ?? unnamed.find(isIts) ?? null;
}

/** A session with more of them is a fleet; its own transcript tells what each was to do. */
const MAX_CHILDREN = 50;

export const childrenOf = (all: readonly FoundTranscript[], parent: string): readonly ChildTranscript[] =>
  all
    .flatMap(({ path, nativeId, child }) =>
      child?.parent === parent && nativeId !== null ? [{ path, nativeId }] : [],
    )
    .slice(0, MAX_CHILDREN);

/** One file that cannot be read (gone meanwhile, another user's) hides nothing else. */
export function headOrNull(adapter: AgentAdapter, found: FoundTranscript): ReturnType<typeof headOf> {
  try {
    return headOf(adapter, found);
  } catch (thrown) {
    if (thrown instanceof RefloatError || errnoOf(thrown) !== null) return null;
    throw thrown;
  }
}

/** Of each agent the newest files that are opened to see whose they are. */
export const LOOKED_INTO = 40;
