/** Files that are to the byte what the session's finished edits make of HEAD: their end was seen (S3). Reads what HEAD has, bounded. */
import { REPLAYED_CHARS, REPLAYED_FILES } from "../../model/limits.ts";
import type { PathName } from "../../model/path-name.ts";
import type { ChangeFact } from "../../triage/facts/known/triage-facts.ts";
import { blobBatches, readBlobs } from "../../workspace/git/objects.ts";
import type { Repository } from "../../workspace/git/repository.ts";
import type { GitObject } from "../../workspace/git/status.ts";
import { editingCalls, type HeadText, isReplayed } from "../../workspace/owning/replayed-end.ts";
import type { SessionTrack } from "../../workspace/owning/track.ts";

interface ReplayOptions {
  readonly track: SessionTrack | null;
  readonly repository: Repository;
  readonly objects: ReadonlyMap<PathName, GitObject | null>;
}

export async function withReplayedEnds(
  changes: readonly ChangeFact[],
  { track, repository, objects }: ReplayOptions,
): Promise<readonly ChangeFact[]> {
  const calls = track?.calls.filter(({ heard }) => heard !== undefined && heard.edits.size > 0) ?? [];
  if (calls.length === 0) return changes;
  const looked = changes
    .filter((fact) => isFile(fact) && editingCalls(fact.change.path, calls).length > 0)
    .slice(0, REPLAYED_FILES);
  const heads = await headTexts(looked, repository, objects);
  const proven = new Set(
    looked.filter(({ change: { path, to } }) => {
      const hash = to?.kind === "file" ? to.hash : null;
      return hash !== null && isReplayed({ path, hash }, heads.get(path), calls);
    }),
  );
  return changes.map((fact) => (proven.has(fact) ? { ...fact, isAsWritten: true } : fact));
}

function isFile({ change: { from, to, fromPath }, owner: { owner } }: ChangeFact): boolean {
  if (owner !== "session" || fromPath !== undefined || to?.kind !== "file" || to.hash === null) return false;
  return to.size <= MAX_BYTES && (from === null || (from.kind === "file" && from.size <= MAX_BYTES));
}

/** A character has up to four bytes. */
const MAX_BYTES = REPLAYED_CHARS;

async function headTexts(
  facts: readonly ChangeFact[],
  repository: Repository,
  objects: ReadonlyMap<PathName, GitObject | null>,
): Promise<ReadonlyMap<PathName, HeadText>> {
  const texts = new Map<PathName, HeadText>();
  const wanted = facts.flatMap(({ change: { path, from } }) => {
    if (from === null) texts.set(path, null);
    const id = from === null ? undefined : objects.get(path)?.id;
    return from?.kind === "file" && id !== undefined ? [{ path, id, size: from.size }] : [];
  });
  for (const batch of blobBatches(wanted, ({ size }) => size)) {
    const read = await readBlobs(repository, batch);
    for (const [at, { path }] of batch.entries()) texts.set(path, textOf(read[at]));
  }
  return texts;
}

/** Undefined: its bytes are none of UTF-8's, or could not be read. */
function textOf(bytes: Buffer | null | undefined): HeadText {
  const text = bytes?.toString("utf8");
  return text !== undefined && bytes?.equals(Buffer.from(text)) ? text : undefined;
}
