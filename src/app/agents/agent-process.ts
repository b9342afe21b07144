/**
 * Whether the agent of a session lives (K2): by its own mark, else by the process its hooks were called by, else by a process of its
 * program that works in this folder.
 */
import { lifeByMarks } from "../../agents/live-owner.ts";
import type { AgentAdapter } from "../../agents/words/adapter.ts";
import { agentHome } from "../../agents/words/agent-files.ts";
import type { Owner } from "../../model/owner.ts";
import { processIdentity, selfPid } from "../../platform/identity.ts";
import { placeInside } from "../../platform/places.ts";
import { folderOf, listProcesses, wordsOf } from "../../platform/process-list.ts";
import { type HookedProcess, lifeByHooks } from "../inbox/hook-process.ts";
import type { LeftTranscript } from "./left-transcripts.ts";

export type AgentLiveness =
  | { readonly kind: "alive"; readonly owner: Owner }
  /** No process of this agent is there, or its mark is of one that is gone; `ended`: it said itself that it ended. */
  | { readonly kind: "dead"; readonly because: "gone" | "reboot" | "ended" }
  /** This system does not tell. */
  | { readonly kind: "unknown" };

/** What its hooks told of it. */
export interface HookedLife {
  readonly facts: HookedProcess;
  /** The last they told is that its program ended. */
  readonly hasEnded: boolean;
}

export function livenessOfAgent(
  left: Pick<LeftTranscript, "adapter" | "nativeId" | "cwd"> & {
    /** The same folder as it is called here: a process is where it is by that name. */
    readonly folder: string;
  },
  env: NodeJS.ProcessEnv,
  hooked: HookedLife,
): AgentLiveness {
  const { adapter, nativeId, cwd, folder } = left;
  // Also where its process goes on with another conversation.
  if (hooked.hasEnded) return { kind: "dead", because: "ended" };
  const marked = lifeByMarks(adapter, agentHome(env), nativeId);
  if (marked.kind === "alive") return { kind: "alive", owner: ownerOf(adapter, marked.pid) };
  const called = lifeByHooks(hooked.facts, adapter);
  if (called.kind === "alive" || called.kind === "dead") return called;
  if (marked.kind === "dead") return { kind: "dead", because: "gone" };
  if (called.kind === "unreachable") return { kind: "unknown" };
  const processes = listProcesses();
  if (processes === null) return { kind: "unknown" };
  const at = processes.find(({ pid, hasExited }) => !hasExited && isAgentAt(adapter, pid, [cwd, folder]));
  return at ? { kind: "alive", owner: ownerOf(adapter, at.pid) } : { kind: "dead", because: "gone" };
}

function isAgentAt({ launch }: AgentAdapter, pid: number, places: readonly string[]): boolean {
  const folder = pid === selfPid() ? null : folderOf(pid);
  if (folder === null || !places.some((place) => placeInside(place, folder) !== null)) return false;
  const words = wordsOf(pid) ?? [];
  // A server that all of the user's sessions share was started in one folder and works in all of them.
  return launch?.recognizes(words) === true && launch.serves?.(words) !== true;
}

const ownerOf = ({ name }: AgentAdapter, pid: number): Owner => ({
  ...processIdentity(pid),
  instance: `${name} ${pid}`,
  label: name,
});
