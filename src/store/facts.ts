/**
 * What the session's row remembers of its journal: a shallow merge per record, so that both drivers apply it
 * without knowing any kind. Everything here can be computed again from the records.
 */
import type { JsonObject } from "../model/json.ts";

/** The patch a record makes on its session's facts, or null. */
export function factsOf(kind: string, body: JsonObject, atMs: number): JsonObject | null {
  switch (kind) {
    case "session.began":
      return {
        agent: body.agent ?? null,
        workspace: body.workspace ?? null,
        goal: body.goal ?? null,
        name: body.name ?? null,
        started_at_ms: atMs,
        ended_at_ms: null,
        cause: null,
        suspended: null,
        dirty_ends: 0,
      };
    case "claim.taken":
      // A new attempt: the session is no longer finished. What recovery then finds comes as `recovered`.
      return { ended_at_ms: null, cause: null };
    case "session.finished":
      return { ended_at_ms: atMs, cause: body.cause ?? "clean" };
    case "session.suspended":
      return { suspended: body.reason ?? "" };
    case "session.lifted":
      return { suspended: null, dirty_ends: 0 };
    case "recovered":
      return { cause: body.cause ?? "unknown", dirty_ends: body.dirty_ends ?? 0 };
    case "turn.ended":
      // L2: a completed turn is progress.
      return body.outcome === "completed" ? { dirty_ends: 0 } : null;
    default:
      return null;
  }
}
