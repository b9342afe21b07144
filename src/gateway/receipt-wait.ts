/** What the turn of an input waits for, as its receipt says (T1): pure, first row that fits. */
import type { WaitsFor } from "./options.ts";

export interface WaitFacts {
  readonly phase: "starting" | "failed" | "open" | "draining" | "closed";
  /** The conversation is suspended, with this reason; null: it is not. */
  readonly suspended: string | null;
  readonly isAttended: boolean;
  /** Another process that may be alive has the conversation, in words; null: nobody, or this one. */
  readonly heldBy: string | null;
}

export function waitOf(facts: WaitFacts): { readonly waitsFor: WaitsFor; readonly because: string | null } {
  switch (facts.phase) {
    case "draining":
    case "closed":
      return { waitsFor: "restart", because: "this process is ending; the next start answers it" };
    case "failed":
      return { waitsFor: "restart", because: "recovery failed here; the next start answers it" };
    case "starting":
    case "open":
      break;
    default:
      return facts.phase satisfies never;
  }
  if (facts.suspended !== null && !facts.isAttended)
    return {
      waitsFor: "lift",
      because: `the conversation is suspended (${facts.suspended}) until it is lifted`,
    };
  if (facts.phase === "starting") return { waitsFor: "start", because: "recovery is not done yet" };
  if (facts.heldBy !== null)
    return { waitsFor: "holder", because: `the conversation is held by ${facts.heldBy}, which answers it` };
  return { waitsFor: "nothing", because: null };
}
