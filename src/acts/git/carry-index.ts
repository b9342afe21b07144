/**
 * What the user's index has at a path after a commit that did not come from it (W7). Pure, but for asking for blobs.
 *
 * A commit made beside the index and a branch moved under it would leave the reversal of the commit staged. So each entry
 * is carried along: the three-way of (old HEAD, index, commit). What the user had staged stays staged, as his difference
 * from the new commit; where the three do not fit together, the path is not committed at all.
 */
import { mergeLines, wholeLines } from "../../text/merge-lines.ts";
import type { StagedEntry } from "../../workspace/git/index-file.ts";
import type { GitObject } from "../../workspace/git/status.ts";
import { isRegular } from "../../workspace/git/status.ts";

export type CarriedEntry =
  /** What the index is to have; null: nothing. */
  | { readonly kind: "entry"; readonly put: GitObject | null }
  /** The same with bytes that are no object yet. */
  | { readonly kind: "merged"; readonly mode: number; readonly bytes: Buffer }
  | { readonly kind: "conflict"; readonly why: string };

export interface CarryFacts {
  /** What HEAD has there before the commit, and what the commit has. */
  readonly old: GitObject | null;
  readonly commit: GitObject | null;
  readonly index: readonly StagedEntry[];
  /** Staged by the session itself, as far as its captures tell: then the commit takes its place. */
  readonly isSessions: boolean;
  readonly readBlob: (id: string) => Promise<Uint8Array | null>;
}

export async function carryIndex(facts: CarryFacts): Promise<CarriedEntry> {
  const { old, commit, index, isSessions } = facts;
  const [mine = null, ...more] = index;
  if (more.length > 0 || (mine && mine.stage !== 0)) return conflict("it is unmerged");
  if (mine?.flags?.includes("intent-to-add")) return conflict("git was told of it with add --intent-to-add");
  if (isSame(mine, old)) return { kind: "entry", put: commit };
  if (isSame(mine, commit) || isSame(old, commit)) return { kind: "entry", put: mine };
  const merged = await mergeEntries(facts, mine);
  if (merged) return merged;
  if (isSessions) return { kind: "entry", put: commit };
  return conflict("something else is staged there, and the two do not fit together");
}

const conflict = (why: string): CarriedEntry => ({ kind: "conflict", why });

export function isSame(a: GitObject | null, b: GitObject | null): boolean {
  return a === null || b === null ? a === b : a.mode === b.mode && a.id === b.id;
}

async function mergeEntries(
  { old, commit, readBlob }: CarryFacts,
  mine: StagedEntry | null,
): Promise<CarriedEntry | null> {
  if (!old || !mine || !commit) return null;
  if (![old, mine, commit].every(isRegular)) return null;
  const mode = mine.mode === old.mode ? commit.mode : mine.mode;
  if (mine.id === old.id || mine.id === commit.id) return { kind: "entry", put: { mode, id: commit.id } };
  if (commit.id === old.id) return { kind: "entry", put: { mode, id: mine.id } };
  const blobs = await Promise.all([old, mine, commit].map(({ id }) => readBlob(id)));
  if (blobs.some((blob) => blob === null || blob.includes(0))) return null;
  const [base, ours, theirs] = blobs.map((blob) =>
    wholeLines(Buffer.from(blob as Uint8Array).toString("latin1")),
  );
  const lines = mergeLines(base as string[], ours as string[], theirs as string[]);
  return lines && { kind: "merged", mode, bytes: Buffer.from(lines.join(""), "latin1") };
}
