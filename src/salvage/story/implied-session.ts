/** The session of a tree that somebody changed where none was recorded (S1): its id is the tree's, so two looks name the same one. Pure. */
import { createHash } from "node:crypto";
import type { SessionSummary } from "../../session/describe.ts";

/** Nobody began it: what is known is only that somebody changed the tree. */
export function impliedSession(root: string): SessionSummary {
  return {
    id: `implied-${createHash("sha256").update(root).digest("hex").slice(0, 16)}`,
    name: null,
    agent: null,
    workspace: root,
    state: "idle",
    unsettled: false,
    supervised: false,
    cause: "unknown",
    attempt: 0,
    last_attempt: 0,
    dirty_ends: 0,
    started_at: null,
    ended_at: null,
  };
}
