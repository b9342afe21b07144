/** Whether the agent that writes a transcript lives (K2): by its own mark, else by a process of its program that works in this folder. */
import { lifeByMarks } from "../../agents/live-owner.ts";
import type { AgentAdapter } from "../../agents/words/adapter.ts";
import { agentHome } from "../../agents/words/agent-files.ts";
import type { Owner } from "../../model/owner.ts";
import { processIdentity, selfPid } from "../../platform/identity.ts";
import { placeInside } from "../../platform/places.ts";
import { folderOf, listProcesses, wordsOf } from "../../platform/process-list.ts";
import type { LeftTranscript } from "./left-transcripts.ts";

export type AgentLiveness =
  | { readonly kind: "alive"; readonly owner: Owner }
  /** No process of this agent is there, or its mark is of one that is gone. */
  | { readonly kind: "dead" }
  /** This system does not tell. */
  | { readonly kind: "unknown" };

export function livenessOfAgent(left: LeftTranscript, env: NodeJS.ProcessEnv): AgentLiveness {
  const { adapter, nativeId, cwd } = left;
  const marked = lifeByMarks(adapter, agentHome(env), nativeId);
  if (marked.kind === "alive") return { kind: "alive", owner: ownerOf(adapter, marked.pid) };
  if (marked.kind === "dead") return { kind: "dead" };
  const processes = listProcesses();
  if (processes === null) return { kind: "unknown" };
  const at = processes.find(({ pid, hasExited }) => !hasExited && isAgentAt(adapter, pid, cwd));
  return at ? { kind: "alive", owner: ownerOf(adapter, at.pid) } : { kind: "dead" };
}

function isAgentAt({ launch }: AgentAdapter, pid: number, cwd: string): boolean {
  const folder = pid === selfPid() ? null : folderOf(pid);
  if (folder === null || !(folder === cwd || placeInside(cwd, folder) !== null)) return false;
  const words = wordsOf(pid) ?? [];
  // A server that all of the user's sessions share was started in one folder and works in all of them.
  return launch?.recognizes(words) === true && launch.serves?.(words) !== true;
}

const ownerOf = ({ name }: AgentAdapter, pid: number): Owner => ({
  ...processIdentity(pid),
  instance: `${name} ${pid}`,
  label: name,
});
