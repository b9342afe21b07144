/**
 * What the session's row remembers of its journal: a shallow merge per record, so that both drivers apply it
 * without knowing any kind. Everything here can be computed again from the records.
 */
import { isJsonObject, type JsonObject } from "../model/json.ts";

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
    case "capture.taken":
      return capturedFacts(body, atMs);
    case "turn.began":
      return { turn: body.turn ?? null };
    case "turn.ended":
      return { turn: null, ...endedFacts(body) };
    default:
      return null;
  }
}

/** L1: an interrupted turn stays on the row until another one ends otherwise. L2: a completed one is progress. */
function endedFacts({ turn, outcome }: JsonObject): JsonObject {
  if (outcome === "interrupted") return { interrupted: turn ?? null };
  return outcome === "completed" ? { interrupted: null, dirty_ends: 0 } : { interrupted: null };
}

/** The newest capture in brief, so that finding it needs no body; the HEAD of the last one that looked everywhere. */
function capturedFacts({ capture, how, partial, head, workspace }: JsonObject, atMs: number): JsonObject {
  const id = isJsonObject(head) ? (head.id ?? null) : null;
  const { clone = null, root_commit = null } = isJsonObject(workspace) ? workspace : {};
  const brief = {
    id: capture ?? null,
    how: how ?? null,
    partial: partial ?? null,
    at_ms: atMs,
    clone,
    root_commit,
  };
  return { capture: brief, ...(how === "status" ? { captured_head: id } : {}) };
}
