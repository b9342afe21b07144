/**
 * Which branch a session goes on with in another clone. Pure. A branch's tip moves only to a descendant, and never under somebody who has it
 * checked out (W2); where that is not so, the session gets a branch of its own, and it is said why.
 */
export interface SeenBranch {
  readonly name: string;
  /** Null: there is no such branch. */
  readonly tip: string | null;
  /** The session's commit is a descendant of the tip, or the tip itself. */
  readonly isBehind: boolean;
  /** Another work tree that has it checked out. */
  readonly elsewhere: string | null;
}

export interface BranchChoice {
  /** Null: detached. */
  readonly branch: string | null;
  /** The tip it is moved on from; null: it is made there, or is there already. */
  readonly from: string | null;
  /** Why it is not the session's own. */
  readonly instead: { readonly of: string; readonly why: string } | null;
}

/** `own`: the session's; null: it was on none. `spare`: a name that nobody else uses. */
export function chooseBranch(head: string, own: SeenBranch | null, spare: SeenBranch): BranchChoice {
  if (own === null) return { branch: null, from: null, instead: null };
  if (isFree(own)) return { ...taken(head, own), instead: null };
  const why =
    own.elsewhere === null ? "it went on to other commits here" : `it is checked out at ${own.elsewhere}`;
  const instead = { of: own.name, why };
  return isFree(spare) ? { ...taken(head, spare), instead } : { branch: null, from: null, instead };
}

const isFree = ({ tip, isBehind, elsewhere }: SeenBranch): boolean =>
  elsewhere === null && (tip === null || isBehind);

const taken = (head: string, { name, tip }: SeenBranch): Pick<BranchChoice, "branch" | "from"> => ({
  branch: name,
  from: tip === head ? null : tip,
});
