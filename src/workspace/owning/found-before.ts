/**
 * How a session that nobody supervised found a file (W5): no capture saw its beginning, but the first call that touched it says what was
 * there. Where that is not what HEAD has, somebody's work was in it already, and the file is not the session's alone. Pure.
 */
import { isWithin, type PathName } from "../../model/path-name.ts";
import { HEARD_BEGIN } from "./own.ts";
import type { FoundState, SessionTrack, TrackedCall } from "./track.ts";

export interface FoundBefore {
  readonly call: TrackedCall;
  readonly found: FoundState;
}

/** What HEAD has at the path; null: nothing. */
export interface HeadFile {
  readonly hash: string;
  /** As `FoundState` has it where the ends of lines are lost. */
  readonly plainHash: () => Promise<string | null>;
}

/**
 * Null: it was as HEAD has it, or nobody can tell: a call that says nothing of what it found may have changed it before. After a commit of
 * the session's own HEAD has what a later call of it found, or left.
 */
export async function foundOtherwise(
  path: PathName,
  head: HeadFile | null,
  { captures, calls }: SessionTrack,
): Promise<FoundBefore | null> {
  if (captures[0]?.reason !== HEARD_BEGIN) return null;
  const touching = calls.filter(
    ({ mayWrite, paths, heard }) =>
      mayWrite && heard && (paths.some((named) => isWithin(path, named)) || heard.mentions(path)),
  );
  const [call] = touching;
  const found = call?.heard?.found.get(path);
  if (!call || !found) return null;
  for (const { heard } of touching) {
    if (head !== null && heard?.wrote.get(path) === head.hash) return null;
    const seen = heard?.found.get(path);
    if (seen && (await isHead(seen, head))) return null;
  }
  return { call, found };
}

async function isHead({ hash, areLineEndsLost }: FoundState, head: HeadFile | null): Promise<boolean> {
  if (head === null || hash === null) return head === null && hash === null;
  if (hash === head.hash) return true;
  if (!areLineEndsLost) return false;
  const plain = await head.plainHash();
  // What HEAD has cannot be read: nothing is said of it.
  return plain === null || plain === hash;
}
