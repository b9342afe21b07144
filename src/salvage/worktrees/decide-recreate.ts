/**
 * Whether a removed work tree may be brought back with what its session's last capture holds. Pure. What could go wrong:
 * somebody's files at the place are written over; a branch is checked out twice; the captured files are laid over a
 * commit they were not made on, which would take somebody's work back. In each of these cases it is left to a person.
 */
import { type ErrorCode, RefloatError } from "../../model/errors.ts";

export interface RecreateFacts {
  readonly session: string;
  readonly path: string;
  /** `there`: it is the very work tree, nothing is missing. `begun`: git's own file and nothing else, from an earlier start. */
  readonly place: "free" | "begun" | "there" | "taken";
  readonly capture: string;
  /** Where the captured HEAD was. Null: detached. */
  readonly branch: string | null;
  readonly head: string;
  /** The branch now; null: there is no such branch. */
  readonly tip: string | null;
  /** Another work tree that has the branch checked out. */
  readonly elsewhere: string | null;
  /** What git still keeps of the removed one; null: nothing, or only the beginning of it. */
  readonly kept: { readonly branch: string | null; readonly head: string | null } | null;
}

/** `keep`: git's folder of it is used as it is, with its index; `register`: git is told of it anew. */
export type RecreateDecision =
  | { readonly kind: "nothing" }
  | { readonly kind: "go"; readonly how: "keep" | "register" }
  | { readonly kind: "refused"; readonly error: RefloatError };

export function decideRecreate(facts: RecreateFacts): RecreateDecision {
  const { session, path, place, capture, branch, head, elsewhere, kept } = facts;
  const refused = (code: ErrorCode, more: Record<string, unknown>): RecreateDecision => ({
    kind: "refused",
    error: new RefloatError(code, { session, path, capture, branch: branch ?? head, ...more }),
  });
  if (place === "there") return { kind: "nothing" };
  if (place === "taken") return refused("E_RECREATE_TAKEN", {});
  if (elsewhere !== null) return refused("E_RECREATE_ELSEWHERE", { where: elsewhere });
  const moved = movedFrom(facts);
  if (moved) return refused("E_RECREATE_MOVED", moved);
  return { kind: "go", how: kept === null ? "register" : "keep" };
}

/** A branch that is gone is made again at the captured commit; one that is elsewhere is nobody's to move (W2). */
function movedFrom({ branch, head, tip, kept }: RecreateFacts): Record<string, unknown> | null {
  if (kept !== null && kept.branch !== branch)
    return { what: "its HEAD", was: branch ?? head, is: kept.branch ?? kept.head };
  if (branch !== null && tip !== null && tip !== head) return { what: branch, was: head, is: tip };
  if (kept !== null && branch === null && kept.head !== head)
    return { what: "its HEAD", was: head, is: kept.head };
  return null;
}
