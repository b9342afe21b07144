/** Who holds a claim, and whether he lives, in the words of the screens (K2). */
import type { ClaimView } from "../../../app/sessions/claim-facts.ts";
import type { Liveness } from "../../../model/owner.ts";
import { agoText, oneLine } from "../../screen/words.ts";

/** `claude, pid 4123`: the label is the owner's own word and escaped. */
export function ownerText({ owner, heldBy }: Pick<ClaimView, "owner" | "heldBy">): string {
  const label = oneLine(owner?.label ?? "a process");
  return owner && heldBy === "process" ? `${label}, pid ${owner.pid}` : label;
}

/** Whether the owner lives, in a few words. */
export function livenessText(facts: ClaimView, nowMs: number): string {
  const { liveness } = facts;
  if (!liveness) return "nobody holds it";
  switch (liveness.kind) {
    case "alive":
      return "alive";
    case "dead":
      return DEATHS[liveness.because];
    case "unreachable":
      return liveness.because === "other-namespace" ? "unreachable: in another container" : "unreachable";
    case "elsewhere": {
      const beat = facts.heartbeat_at;
      const heard = beat === null ? "never heard of" : `heard of ${agoText(Date.parse(beat), nowMs)}`;
      return `${facts.held ? whereOf(facts.heldBy) : "lost"}, ${heard}`;
    }
    default:
      return liveness satisfies never;
  }
}

function whereOf(heldBy: ClaimView["heldBy"]): string {
  if (heldBy === "file") return "in the file";
  return heldBy === "word" ? "by its heartbeat" : "on another machine";
}

const DEATHS = {
  reboot: "dead: the machine was restarted",
  "no-such-process": "dead",
  "pid-reused": "dead: its pid is another's now",
} as const satisfies Record<Extract<Liveness, { kind: "dead" }>["because"], string>;
