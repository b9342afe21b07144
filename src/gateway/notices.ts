/** What a gateway says of itself, in words: those kinds of it that are said in one place only. Pure. */
import type { FoundInstance } from "./gateway-journal.ts";
import type { GatewayNotice } from "./options.ts";
import type { PlannedConversation } from "./recover.ts";

export const foundNotice = (found: FoundInstance): GatewayNotice => ({
  kind: "instance-found",
  level: "warning",
  session: null,
  text: `an earlier instance ended without saying so (cause: ${found.cause}): ${found.evidence.join("; ")}`,
  found,
});

export function openedNotice(conversations: readonly PlannedConversation[]): GatewayNotice {
  const count = (kind: PlannedConversation["planned"]["kind"]): number =>
    conversations.filter(({ planned }) => planned.kind === kind).length;
  const [resumed, left, waiting] = [count("resume"), count("leave"), count("waiting")];
  const text = `recovery is done: ${resumed} interrupted turns go on, ${left} are left, ${waiting} conversations have something waiting`;
  return { kind: "opened", level: "info", session: null, text, resumed, left, waiting };
}

export const drainBeganNotice = (turns: number, reason: string): GatewayNotice => ({
  kind: "drain-began",
  level: "info",
  session: null,
  text: `told to end (${reason}): ${turns} turns are running`,
  turns,
});

export const drainEndedNotice = (interrupted: readonly string[]): GatewayNotice => ({
  kind: "drain-ended",
  level: interrupted.length > 0 ? "warning" : "info",
  session: null,
  text:
    interrupted.length > 0
      ? `ended; ${interrupted.length} turns were cut off, and the next start finds them`
      : "ended; no turn was cut off",
  interrupted,
});

export const withoutNote = (error: Error): GatewayNotice => ({
  kind: "no-exit-note",
  level: "info",
  session: null,
  text: `should this process die, nobody will know how: ${error.message}`,
  error,
});
