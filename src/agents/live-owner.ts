/**
 * Whether the agent that writes a session lives, as far as the marks say that it leaves while it does: the one place of that answer. Only a
 * process that was started when its mark says proves life, and only one that is gone, or another by its start, a death (K2). A mark without
 * a start proves life by a process of that agent's program, and else nothing: the number may be somebody else's by now.
 */
import { pidNamespace } from "../platform/identity.ts";
import { wordsOf } from "../platform/process-list.ts";
import { type ProcessTable, systemProcesses } from "../platform/process-table.ts";
import type { AgentAdapter, AgentHome, LivenessMark } from "./words/adapter.ts";

export type MarkedLife =
  | { readonly kind: "alive"; readonly pid: number }
  | { readonly kind: "dead" }
  /** No mark is there, or none of them proves anything. */
  | { readonly kind: "untold" };

/** What the system tells of a process. */
export interface AskProcess extends ProcessTable {
  wordsOf(pid: number): readonly string[] | null;
  /** The namespace our own pids count in. */
  namespace(): string;
}

const system: AskProcess = { ...systemProcesses, wordsOf, namespace: pidNamespace };

type Marking = Pick<AgentAdapter, "places" | "launch">;

export function lifeByMarks(
  { places, launch }: Marking,
  where: AgentHome,
  nativeId: string,
  ask: AskProcess = system,
): MarkedLife {
  const lives = places
    .marks(where)
    .filter((mark) => mark.nativeId === nativeId)
    .map((mark) => lifeBehind(mark, launch, ask));
  const alive = lives.find(({ kind }) => kind === "alive");
  const isDead = lives.length > 0 && lives.every(({ kind }) => kind === "dead");
  return alive ?? { kind: isDead ? "dead" : "untold" };
}

export const hasLiveOwner = (
  agent: Marking,
  where: AgentHome,
  nativeId: string,
  ask: AskProcess = system,
): boolean => lifeByMarks(agent, where, nativeId, ask).kind === "alive";

function lifeBehind(
  { pid, processStart, pidNamespace: namespace }: LivenessMark,
  launch: AgentAdapter["launch"],
  ask: AskProcess,
): MarkedLife {
  // A lock that nobody holds: whoever held it is gone.
  if (pid === null) return { kind: "dead" };
  if (namespace !== undefined && namespace !== ask.namespace()) return { kind: "untold" };
  const found = ask.statusOf(pid);
  if (found === null) return { kind: ask.exists(pid) === false ? "dead" : "untold" };
  if (found.hasExited) return { kind: "dead" };
  if (processStart !== null)
    return found.started === processStart ? { kind: "alive", pid } : { kind: "dead" };
  return launch?.recognizes(ask.wordsOf(pid) ?? []) === true ? { kind: "alive", pid } : { kind: "untold" };
}
