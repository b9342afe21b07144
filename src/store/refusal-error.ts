/** A refusal of the store, as the error the caller sees. */
import { RefloatError } from "../model/errors.ts";
import type { SessionId } from "../model/ids.ts";
import type { Owner } from "../model/owner.ts";
import type { Refusal } from "./contract/driver.ts";

/** What was asked for, as far as a refusal speaks of it. */
export interface RefusalSubject {
  readonly session: SessionId;
  readonly attempt?: number | null;
  readonly expectHead?: number;
}

export function refusalError(
  { session, attempt, expectHead }: RefusalSubject,
  refusal: Refusal,
): RefloatError {
  switch (refusal.kind) {
    case "fenced":
      return new RefloatError("E_FENCED", { session, attempt: attempt ?? "?", current: refusal.current });
    case "no-session":
      return new RefloatError("E_NO_SESSION", { what: session });
    case "session-exists":
    case "claim-moved":
      return new RefloatError("E_HELD", { session, by: "another process", since: "just now" });
    case "head-moved":
      return new RefloatError("E_HEAD_MOVED", { session, expected: expectHead ?? "?", head: refusal.head });
    case "id-reused":
      return new RefloatError("E_ID_REUSED", { session, id: refusal.id });
    case "not-open":
      return new RefloatError("E_NOT_OPEN", { session, what: refusal.what, id: refusal.id });
    case "already-open":
      return new RefloatError("E_ALREADY_OPEN", { session, what: refusal.what, id: refusal.id });
    case "content-missing":
      return new RefloatError("E_NO_CONTENT", { hash: refusal.hash });
    case "sent":
      return new RefloatError("E_SENT", { session, where: "" });
    default:
      return refusal satisfies never;
  }
}

/** How an owner is named to a person; behind a name or a session stands no process of its own (K5). */
export function describeOwner(owner: Owner): string {
  if (owner.pid === 0) return owner.label ?? owner.instance;
  return `${owner.label ?? "a process"} (pid ${owner.pid} on ${owner.host.slice(0, 8)})`;
}
