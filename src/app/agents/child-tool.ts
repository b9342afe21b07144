/** How an agent's model goes on with a subagent. Agents are loaded only where there is one to ask about (P9). */
import type { FoldedCall } from "../../conversation/fold.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import type { ChildTool } from "../../text/child-resume-words.ts";

/** Null: it cannot, it has none, or nobody knows the agent. */
export async function childToolOf(
  row: SessionRow | null,
  calls: readonly FoldedCall[],
): Promise<ChildTool | null> {
  if (!calls.some(({ heard }) => heard && (heard.child !== null || heard.does === "delegate"))) return null;
  const { agentNamed } = await import("../../agents/registry.ts");
  return agentNamed(String(row?.facts.agent ?? ""))?.launch?.resumesChild ?? null;
}
