/**
 * Of each change the bytes a commit would hold: the file as it is, or, where somebody had changed it before the session
 * began, the session's part with proof (below). Found out when asked, and once.
 */
import type { ContentHash, SessionId } from "../../model/ids.ts";
import type { PathName } from "../../model/path-name.ts";
import type { PresentState } from "../../model/path-state.ts";
import type { Store } from "../../store/store.ts";
import { changeSameLines, mergeLines, wholeLines } from "../../text/merge-lines.ts";
import { firstCapture } from "../../workspace/captures/captures.ts";
import { contentFinder, type FindContent } from "../../workspace/compare/content-finder.ts";
import { type Change, pathsOf } from "../../workspace/compare/states.ts";
import type { Repository } from "../../workspace/git/repository.ts";
import type { Workspace } from "../../workspace/opening/workspace.ts";
import { type ReadEntry, readingOf } from "../../workspace/tree/reading.ts";
import { MAX_JUDGED_BYTES } from "./change-contents.ts";
import { type OwnedChanges, wasDirtyBefore } from "./owned-changes.ts";

/** `whole`: it was clean when the session began, so all of it is the session's. */
export type CommittablePart = SessionPart | { readonly kind: "whole" };
export type PartOf = (change: Change) => Promise<CommittablePart>;

export interface PartsOptions {
  readonly store: Store | null;
  readonly repository: Repository | null;
  readonly workspace: Workspace;
  readonly owned: OwnedChanges;
}

export function sessionParts(options: PartsOptions): PartOf {
  const known = new Map<Change, Promise<CommittablePart>>();
  let begin: Promise<ReadonlyMap<PathName, ReadEntry>> | null = null;
  const entriesAtBegin = (): Promise<ReadonlyMap<PathName, ReadEntry>> => {
    begin ??= firstEntries(options);
    return begin;
  };
  return (change) => {
    const part = known.get(change) ?? partOf(change, options, entriesAtBegin);
    known.set(change, part);
    return part;
  };
}

async function partOf(
  change: Change,
  { store, repository, workspace, owned }: PartsOptions,
  entriesAtBegin: () => Promise<ReadonlyMap<PathName, ReadEntry>>,
): Promise<CommittablePart> {
  if (!pathsOf(change).some((path) => wasDirtyBefore(path, owned.track))) return { kind: "whole" };
  const why = "it was changed already when the session began";
  const { from, to, path } = change;
  if (change.kind !== "modified" || !isFile(from) || !isFile(to)) return { kind: "none", why };
  const state = (await entriesAtBegin()).get(path)?.state ?? null;
  if (!isFile(state)) return { kind: "none", why };
  const find = contentFinder({
    store,
    repository,
    root: workspace.root,
    commits: [owned.now.headId],
    maxBytes: MAX_JUDGED_BYTES,
  });
  const [head, begin, end] = [
    await bytes(find, path, from),
    await bytes(find, path, state),
    await bytes(find, path, to),
  ];
  return head && begin && end
    ? sessionPart({ head, begin, end })
    : { kind: "none", why: `${why}, and its bytes are not held` };
}

type FileState = PresentState & { readonly hash: ContentHash };

const isFile = (state: Change["from"]): state is FileState => state?.kind === "file" && state.hash !== null;

const bytes = (find: FindContent, path: PathName, { hash, size }: FileState): Promise<Buffer | null> =>
  find(path, hash, size);

/** What the session's first capture holds. */
async function firstEntries({ store, owned }: PartsOptions): Promise<ReadonlyMap<PathName, ReadEntry>> {
  const first = store && owned.track ? await firstCapture(store, owned.track.session as SessionId) : null;
  return new Map(first && readingOf(first.capture).entries.map((entry) => [entry.path, entry]));
}

/**
 * The session's part of a file that somebody had changed before it began, with proof (DESIGN 7). Pure.
 *
 *  C = merge(base begin, ours HEAD, theirs end) must be clean, and
 *  merge(base HEAD, ours begin, theirs C) must give `end` back, byte for byte.
 *
 * A clean three-way alone is wrong in some of a hundred cases on repetitive code (it takes a line out of another
 * function that looks the same); the way back shows it. Without proof there is no part: the group can be parked or left.
 */
type SessionPart =
  | { readonly kind: "part"; readonly bytes: Buffer }
  | { readonly kind: "none"; readonly why: string };

interface ThreeStates {
  readonly head: Uint8Array;
  readonly begin: Uint8Array;
  readonly end: Uint8Array;
}

/** Longer files are not merged: the search for differences is bounded, and a wrong part is worse than none. */
const MAX_LINES = 50_000;

export function sessionPart({ head, begin, end }: ThreeStates): SessionPart {
  const texts = [head, begin, end].map((bytes) => Buffer.from(bytes).toString("latin1"));
  if (texts.some((text) => text.includes("\0"))) return none("it is binary");
  if (new Set(texts.flatMap(lineEnds)).size > 1) return none("its line endings are mixed");
  const [headLines, beginLines, endLines] = texts.map(wholeLines) as [string[], string[], string[]];
  if (Math.max(headLines.length, beginLines.length, endLines.length) > MAX_LINES)
    return none("it is too long");
  const part = mergeLines(beginLines, headLines, endLines);
  if (!part)
    return none(
      changeSameLines(beginLines, headLines, endLines)
        ? "the session changed lines that were changed before it began and are not committed yet"
        : "its lines stand next to lines that were changed before it began and are not committed yet",
    );
  const back = mergeLines(headLines, beginLines, part);
  if (!back || back.join("") !== texts[2]) return none("its part cannot be told from what was there before");
  return { kind: "part", bytes: Buffer.from(part.join(""), "latin1") };
}

const none = (why: string): SessionPart => ({ kind: "none", why });

function lineEnds(text: string): string[] {
  const all = text.split("\n").length - 1;
  const crlf = text.split("\r\n").length - 1;
  return [...(crlf > 0 ? ["crlf"] : []), ...(all > crlf ? ["lf"] : [])];
}
