/**
 * Whether the agent that writes a session lives: only by a mark it leaves while it does, whose process was started when the mark says (K2).
 * A mark without the start of its process proves nothing: the number may be somebody else's by now.
 */
import { type ProcessTable, systemProcesses } from "../platform/process-table.ts";
import type { AgentAdapter, AgentHome } from "./words/adapter.ts";

export function hasLiveOwner(
  { places }: Pick<AgentAdapter, "places">,
  where: AgentHome,
  nativeId: string,
  processes: ProcessTable = systemProcesses,
): boolean {
  return places.marks(where).some((mark) => {
    if (mark.nativeId !== nativeId || mark.pid === null || mark.processStart === null) return false;
    const found = processes.statusOf(mark.pid);
    return found !== null && !found.hasExited && found.started === mark.processStart;
  });
}
