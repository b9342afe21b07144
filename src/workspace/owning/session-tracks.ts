/** What the journals of a workspace's sessions say about its paths: captures and calls, in the form own.ts takes. */
import type { SessionId } from "../../model/ids.ts";
import { NOW } from "../../model/ids.ts";
import type { Json, JsonObject } from "../../model/json.ts";
import { CAPTURE_PAGE_ROWS, TRACKED_EDIT_CHARS } from "../../model/limits.ts";
import type { PathName } from "../../model/path-name.ts";
import { isWithin } from "../../model/path-name.ts";
import { stateKey } from "../../model/path-state.ts";
import { type BodyOf, bodyAs, type StoredRecord } from "../../model/record.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import type { Store } from "../../store/store.ts";
import { type LaidUpon, laidUpon } from "../sessions/imports.ts";
import type { ReadGap, Reading } from "../tree/reading.ts";
import { readingOf } from "../tree/reading.ts";
import { type AgentFolder, type CallDraft, type HearsayDraft, placedCall } from "./call-places.ts";
import { unpackEdits } from "./kept-edits.ts";
import { commandText, namedTexts } from "./named-paths.ts";
import { CLEAN, HEARD_BEGIN } from "./own.ts";
import type { SessionTrack, TrackedCapture } from "./track.ts";

/** Names with states in memory for one session's captures, a hundred megabytes; beyond them the oldest captures go. */
const MAX_TRACKED_PATHS = 400_000;

const KINDS = [
  "session.began",
  "call.started",
  "call.ended",
  "operation.began",
  "operation.ended",
  "capture.taken",
  "agent.heard",
] as const;

export async function loadTracks(
  store: Store,
  root: string,
  rows: readonly SessionRow[],
): Promise<SessionTrack[]> {
  const tracks: SessionTrack[] = [];
  const laid = await laidUpon(store);
  for (const { id } of rows) tracks.push(await loadTrack(store, root, id, laid(id)));
  return tracks;
}

interface TrackDraft {
  place: string;
  /** The workspace's top as the captures saw it: another folder when the session came in a bundle. */
  root: string;
  isSupervised: boolean;
  /** By the agents' own ids: a transcript is read in many pieces, from one folder. */
  readonly folders: Map<string, AgentFolder>;
  readonly calls: Map<string, CallDraft>;
  editChars: number;
  readonly open: Map<string, string>;
  captures: TrackedCapture[];
  paths: number;
}

async function loadTrack(
  store: Store,
  root: string,
  session: SessionId,
  isLaid: LaidUpon,
): Promise<SessionTrack> {
  const draft: TrackDraft = {
    place: root,
    root,
    isSupervised: false,
    folders: new Map(),
    calls: new Map(),
    editChars: 0,
    open: new Map(),
    captures: [],
    paths: 0,
  };
  for await (const record of store.journal(session, { kinds: KINDS, pageRows: CAPTURE_PAGE_ROWS }))
    if (!isLaid(record)) take(draft, root, record);
  const { isSupervised, captures } = draft;
  return {
    session,
    isSupervised,
    captures,
    calls: [...draft.calls.values()].map((one) => placedCall(draft, one)),
  };
}

function take(draft: TrackDraft, root: string, record: StoredRecord): void {
  const began = bodyAs(record, "session.began");
  if (began) {
    draft.place = began.workspace || root;
    draft.isSupervised = began.supervised === true;
    if (began.heard !== undefined) draft.captures.push(HEAD_AS_BEGIN);
  }
  const told = bodyAs(record, "agent.heard");
  if (told) {
    const { native_id: nativeId, cwd = null, inside = null } = told;
    draft.folders.set(nativeId, { nativeId, cwd, inside });
  }
  const operation = bodyAs(record, "operation.began");
  if (operation) draft.open.set(operation.operation, operation.label);
  const over = bodyAs(record, "operation.ended");
  if (over) draft.open.delete(over.operation);
  takeCall(draft, record);
  const capture = bodyAs(record, "capture.taken");
  // Taken in later than it was held: between which others it lies, nobody can tell (D3).
  if (!capture || capture.held_outside) return;
  draft.root = capture.workspace.path;
  const tracked = trackedCapture(
    {
      id: capture.capture,
      seq: record.seq,
      reason: capture.reason,
      atMs: record.atMs,
      ended: capture.ended ?? [],
    },
    readingOf(capture),
    new Map(capture.others.map(({ session, before, after }) => [session, { before, after }])),
  );
  draft.captures.push(tracked);
  draft.paths += tracked.changedPaths.length;
  // The first stays: what was so at the beginning is judged by it.
  while (draft.paths > MAX_TRACKED_PATHS && draft.captures.length > 2)
    draft.paths -= draft.captures.splice(1, 1)[0]?.changedPaths.length ?? 0;
}

function takeCall(draft: TrackDraft, record: StoredRecord): void {
  const started = bodyAs(record, "call.started");
  if (started)
    draft.calls.set(started.call, {
      call: {
        id: started.call,
        tool: started.tool,
        startedSeq: record.seq,
        endedSeq: null,
        settledSeq: null,
        mayWrite: started.effect !== "none",
        operations: [...draft.open.values()],
      },
      named: isChanging(started)
        ? [...namedTexts(started.input as Json | undefined), ...(started.paths ?? [])]
        : [],
      heard: started.heard ? hearsayOf(draft, started) : null,
    });
  const ended = bodyAs(record, "call.ended");
  const known = ended && draft.calls.get(ended.call);
  if (!ended || !known) return;
  const at = ended.synthetic ? { settledSeq: record.seq } : { endedSeq: record.seq };
  const heard = known.heard && {
    ...known.heard,
    isDone: !ended.synthetic && ended.status === "done",
    wrote: [...known.heard.wrote, ...(ended.wrote ?? [])],
    found: ended.found ?? [],
  };
  draft.calls.set(ended.call, { ...known, call: { ...known.call, ...at }, heard });
}

/** Texts are let go that nobody will repeat: what is left of such edits is that there were some. */
function hearsayOf(
  draft: TrackDraft,
  { input, wrote = [], edits = [] }: BodyOf<"call.started">,
): HearsayDraft {
  draft.editChars += edits.length === 0 ? 0 : JSON.stringify([edits, input]).length;
  const isTooMuch = draft.editChars > TRACKED_EDIT_CHARS;
  const kept = unpackEdits(edits as JsonObject[], input as Json | undefined);
  return {
    command: commandText(input),
    isDone: false,
    wrote,
    found: [],
    edits: isTooMuch ? kept.map(({ path }) => ({ kind: "unknown", path })) : kept,
  };
}

/** A heard call that only looks, runs or does what nobody knows names files it does not change. */
const isChanging = ({
  heard,
  does,
}: {
  readonly heard?: boolean | undefined;
  readonly does?: string | undefined;
}): boolean => heard !== true || does === undefined || does === "edit";

/** What a session that was only heard of found: nobody looked, so it is HEAD. */
const HEAD_AS_BEGIN: TrackedCapture = {
  ...{ id: "HEAD", seq: 0, reason: HEARD_BEGIN, atMs: 0, headId: null },
  keyAt: () => CLEAN,
  changedPaths: [],
  others: new Map(),
};

/** Also for the tree as it is now: then as the last of every session's captures. */
function trackedCapture(
  about: Pick<TrackedCapture, "id" | "seq" | "reason" | "atMs" | "ended">,
  reading: Reading,
  others: TrackedCapture["others"],
): TrackedCapture {
  const keys = new Map<PathName, string | null>(
    reading.entries.map(({ path, state }) => [
      path,
      state?.kind === "file" && state.hash === null ? null : stateKey(state),
    ]),
  );
  for (const gap of reading.gaps) if (!isStateKnown(gap, keys)) keys.set(gap.path, null);
  const gaps = reading.gaps.map(({ path }) => path);
  const keyAt = (path: PathName): string | null => {
    const key = keys.get(path);
    if (key !== undefined) return key;
    const isLookedAt = reading.how !== "paths" || reading.scopes.some((scope) => isWithin(path, scope));
    return isLookedAt && !gaps.some((gap) => isWithin(path, gap)) ? CLEAN : null;
  };
  const changedPaths = reading.entries.map(({ path }) => path);
  const unknown = gaps.filter((path) => keyAt(path) === null);
  return { ...about, headId: reading.head?.id ?? null, others, keyAt, changedPaths, gaps: unknown };
}

/**
 * A gap says what is not held, not always what is not known. Of a submodule that is at another commit than HEAD names the
 * commit is known, which is all that git compares; what lies inside it is another repository's.
 */
const isStateKnown = ({ path, reason }: ReadGap, keys: ReadonlyMap<PathName, unknown>): boolean =>
  reason === "not-held" || (reason === "submodule" && keys.has(path));

/** The tree as it is now as the last of every session's captures: what came since its last one is judged, too. */
export function withNow(
  tracks: readonly SessionTrack[],
  rows: readonly SessionRow[],
  now: { readonly reading: Reading; readonly unlisted?: ReadonlySet<PathName> },
  nowMs: number,
): SessionTrack[] {
  const heads = new Map(rows.map(({ id, head }) => [id as string, { before: head, after: head }]));
  // What status does not list is clean, as a capture by status would have it.
  const entries = now.reading.entries.filter(({ path }) => !now.unlisted?.has(path));
  const reading = { ...now.reading, entries };
  return tracks.map((track) => {
    const seq = (heads.get(track.session)?.after ?? 0) + 1;
    const last = trackedCapture({ id: NOW, seq, reason: "now", atMs: nowMs }, reading, heads);
    return { ...track, captures: [...track.captures, last] };
  });
}
