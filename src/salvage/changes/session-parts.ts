/**
 * Of each change the bytes a commit would hold: the file as it is, or, where somebody had changed it before the session
 * began, the session's part with proof (salvage/changes/session-part.ts). Found out when asked, and once.
 */
import type { ContentHash, SessionId } from "../../model/ids.ts";
import type { PathName } from "../../model/path-name.ts";
import type { PresentState } from "../../model/path-state.ts";
import type { Store } from "../../store/store.ts";
import { firstCapture } from "../../workspace/captures/captures.ts";
import { contentFinder, type FindContent } from "../../workspace/compare/content-finder.ts";
import { type Change, pathsOf } from "../../workspace/compare/states.ts";
import type { Repository } from "../../workspace/git/repository.ts";
import type { Workspace } from "../../workspace/opening/workspace.ts";
import type { ReadEntry } from "../../workspace/tree/reading.ts";
import { readingOf } from "../../workspace/tree/reading.ts";
import { MAX_JUDGED_BYTES } from "./change-contents.ts";
import { type OwnedChanges, wasDirtyBefore } from "./owned-changes.ts";
import { type SessionPart, sessionPart } from "./session-part.ts";

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
