import type { FoldedCall } from "../../conversation/fold.ts";
import type { ChildTool } from "../../handoff/brief-facts.ts";
import type { SessionRow } from "../../store/contract/driver.ts";

/** How the agent's model goes on with a subagent; null: it cannot, or nobody knows the agent. */
export async function childToolOf(
  row: SessionRow | null,
  calls: readonly FoldedCall[],
): Promise<ChildTool | null> {
  // Agents are loaded only where there is one to ask (P9).
  if (!calls.some(({ heard }) => heard && (heard.child !== null || heard.does === "delegate"))) return null;
  const { agentNamed } = await import("../../agents/registry.ts");
  return agentNamed(String(row?.facts.agent ?? ""))?.launch?.resumesChild ?? null;
}
