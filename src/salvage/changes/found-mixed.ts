/**
 * Files in which somebody's work was already when a session that nobody supervised first touched them (W5): its calls say how they found
 * them, and that is not what HEAD has. Such a file is nobody's alone: it is unknown, and the evidence says why.
 */
import { createHash } from "node:crypto";
import type { PathName } from "../../model/path-name.ts";
import type { ChangeFact } from "../../triage/facts/known/triage-facts.ts";
import { readBlobs } from "../../workspace/git/objects.ts";
import type { Repository } from "../../workspace/git/repository.ts";
import type { GitObject } from "../../workspace/git/status.ts";
import { type FoundBefore, foundOtherwise, type HeadFile } from "../../workspace/owning/found-before.ts";
import type { OwnerEvidence } from "../../workspace/owning/own.ts";
import type { SessionTrack } from "../../workspace/owning/track.ts";

interface MixedOptions {
  readonly tracks: readonly SessionTrack[];
  /** This session's. */
  readonly track: SessionTrack | null;
  readonly repository: Repository;
  readonly objects: ReadonlyMap<PathName, GitObject | null>;
}

export async function foundMixed(
  changes: readonly ChangeFact[],
  options: MixedOptions,
): Promise<readonly ChangeFact[]> {
  const looked: ChangeFact[] = [];
  for (const fact of changes) {
    const found = await mixedIn(fact, options);
    looked.push(found ? { ...fact, owner: { ...mixedOwner(found, fact) } } : fact);
  }
  return looked;
}

async function mixedIn(
  { change: { path, from, fromPath }, owner: { owner, ownerSession } }: ChangeFact,
  { track, tracks, repository, objects }: MixedOptions,
): Promise<FoundBefore | null> {
  if (owner !== "session" && owner !== "other") return null;
  const owning = owner === "session" ? track : tracks.find(({ session }) => session === ownerSession);
  if (!owning || fromPath !== undefined) return null;
  if (from !== null && (from.kind !== "file" || from.hash === null)) return null;
  return foundOtherwise(path, headFile(path, from?.hash ?? null, repository, objects), owning);
}

function headFile(
  path: PathName,
  hash: string | null,
  repository: Repository,
  objects: MixedOptions["objects"],
): HeadFile | null {
  if (hash === null) return null;
  const plainHash = async (): Promise<string | null> => {
    const object = objects.get(path);
    const [bytes] = object ? await readBlobs(repository, [{ path, id: object.id }]) : [];
    return bytes ? plainHashOf(bytes) : null;
  };
  return { hash, plainHash };
}

/** As a source hashes it that makes LF of every line's end. */
function plainHashOf(bytes: Buffer): string {
  const text = bytes
    .toString("utf8")
    .replace(/^\uFEFF/, "")
    .replaceAll("\r\n", "\n");
  return createHash("sha256").update(text).digest("hex");
}

function mixedOwner({ call, found }: FoundBefore, { owner, change }: ChangeFact): ChangeFact["owner"] {
  const was =
    found.hash === null
      ? "was not there"
      : change.from === null
        ? "was there already, and HEAD does not have it"
        : "was not as HEAD has it";
  const evidence: OwnerEvidence = {
    kind: "differed-at-begin",
    message: `it ${was} when the call ${call.tool} first touched it: not all of it is the session's`,
    call: call.id,
  };
  return { owner: "unknown", ownerSession: null, evidence: [evidence, ...owner.evidence] };
}
