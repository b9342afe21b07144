/** What a gateway says of itself, in words: those kinds of it that are said in one place only. Pure. */
import type { FoundInstance } from "./gateway-journal.ts";
import type { GatewayNotice, TurnLeft } from "./options.ts";

export const foundNotice = (found: FoundInstance): GatewayNotice => ({
  kind: "instance-found",
  level: "warning",
  session: null,
  text: `an earlier instance ended without saying so (cause: ${found.cause}): ${found.evidence.join("; ")}`,
  found,
});

export function openedNotice(
  conversations: readonly { readonly planned: { readonly kind: string } }[],
): GatewayNotice {
  const count = (kind: "resume" | "leave" | "waiting"): number =>
    conversations.filter(({ planned }) => planned.kind === kind).length;
  const [resumed, left, waiting] = [count("resume"), count("leave"), count("waiting")];
  const text = `recovery is done: interrupted turns that go on: ${resumed}, that are left: ${left}; conversations where something waits: ${waiting}`;
  return { kind: "opened", level: "info", session: null, text, resumed, left, waiting };
}

export function leftNotice(left: TurnLeft): GatewayNotice {
  const { session, why, cause, dirtyEnds, isSuspended, beginsAnew } = left;
  const next = beginsAnew
    ? "its next input begins a new session"
    : isSuspended
      ? "it is suspended until it is lifted"
      : "a lift goes on with it";
  const text = `an interrupted turn is left: ${why} (cause: ${cause}, dirty ends: ${dirtyEnds}); ${next}`;
  return { kind: "left", level: "warning", session, text, left };
}

export const cutOffNotice = (session: string, turn: string, graceMs: number): GatewayNotice => ({
  kind: "cut-off",
  level: "warning",
  session,
  text: `a turn that was asked to stop had not ended ${graceMs / 1_000} s later: it is cancelled, and what it still writes is refused`,
  turn,
});

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
