/**
 * The one way to change a state file. File and companion change both or neither:
 *
 *  1. The file's claim in the store is taken: one command at a time, on however many machines share the store (K1).
 *  2. A change whose command died is finished or given up (below).
 *  3. The file is read. Bytes the store does not know are somebody's edit: taken in as a version, never overwritten unseen.
 *  4. The new version, both texts, is appended to the journal: durable before any file is touched.
 *  5. Ring, state file and companion are written (state-files-on-disk.ts); then the journal hears that they are.
 *
 * A kill before 4 leaves everything as it was; after 4 the next command finds a version that is not settled. If the
 * file still is what that version replaces, or already what it says, both files are written; if somebody edited it
 * since, the version is given up: it was never acknowledged, and an edit is never overwritten blindly (T1).
 */
import { dirname } from "node:path";
import { RefloatError } from "../model/errors.ts";
import { isJsonObject, type JsonObject } from "../model/json.ts";
import { LOCK_WAIT_MS } from "../model/limits.ts";
import type { NewRecord } from "../model/record.ts";
import { crashPoint } from "../platform/crash-point.ts";
import { selfOwner } from "../platform/identity.ts";
import { jitterMs } from "../platform/random.ts";
import { Held, takeClaim } from "../session/claims.ts";
import { newRecord } from "../session/new-record.ts";
import type { Store } from "../store/store.ts";
import { redact } from "../text/redact.ts";
import { identityOf, type StateIdentity, WORKFLOW_AGENT } from "./claim-ids.ts";
import { handoffFor } from "./handoff-text.ts";
import { type KnownLog, logNotes, withKeptLog } from "./kept-log.ts";
import { leftOf, noState } from "./lost-state.ts";
import { createShapeReader } from "./read-config.ts";
import { salvagedFrom } from "./repair.ts";
import { freshJson, rewriteJson } from "./rewrite-json.ts";
import type { SubjectSurroundings } from "./rule.ts";
import { listOf, own } from "./state-doc.ts";
import {
  clearStrayWrites,
  hashOf,
  isSameButBeats,
  readStateFile,
  writeBeat,
  writeFiles,
} from "./state-files-on-disk.ts";
import {
  hasSpoken,
  type KeptVersion,
  keptVersions,
  knownLog,
  settledRecord,
  versionRecord,
} from "./state-journal.ts";
import { createFolderNames, handoffOf } from "./state-paths.ts";
import type { WorkflowShape } from "./step-list.ts";
import { stateKeyRank } from "./template.ts";
import { parseState, validateText, validateValue } from "./validate.ts";
import { surroundingsOf } from "./validate-files.ts";

/** Another command holds the file for a few syncs; waiting processes spread out. */
const POLL_MS = { min: 5, max: 40 } as const;

export interface OpenedState {
  readonly store: Store;
  readonly identity: StateIdentity;
  readonly shape: WorkflowShape;
  readonly nowMs: number;
  readonly around: SubjectSurroundings;
  /** Null: there is no file. */
  readonly text: string | null;
  /** The store's versions, newest first. */
  readonly versions: readonly KeptVersion[];
  /** The decision log as the store knew it before the file was read; null: there is nothing to compare the file's with. */
  readonly known: KnownLog | null;
}

export interface StateChange<T> {
  /** Null: nothing is to be written. */
  readonly doc: JsonObject | null;
  readonly what: string;
  readonly step?: string | null;
  /** Appended with the version, in the same transaction: decisions. */
  readonly records?: readonly NewRecord[];
  /** The attempt of the step's claim that goes back once both files are written. */
  readonly release?: number;
  readonly keepsRing?: boolean;
  /** Only heartbeats are another: no version of it is kept, however many there are (T5), and the ring stays. */
  readonly isBeat?: boolean;
  /** Written as it is: an import or a repair whose text does not come from the file. */
  readonly isFresh?: boolean;
  readonly result: T;
}

export function changeState<T>(
  store: Store,
  file: string,
  work: (opened: OpenedState) => Promise<StateChange<T>>,
): Promise<T> {
  return inFilesClaim(store, file, async (attempt, identity) => {
    await finishLast(store, identity, attempt);
    const opened = await open(store, identity, attempt);
    const change = await work(opened);
    if (change.doc !== null && change.isBeat === true) beatOnDisk(opened, change.doc);
    else if (change.doc !== null) await write(opened, attempt, change, change.doc);
    return change.result;
  });
}

/** One at a time, on however many machines share the store (K1). */
export async function inFilesClaim<T>(
  store: Store,
  file: string,
  work: (attempt: number, identity: StateIdentity) => Promise<T>,
): Promise<T> {
  const identity = identityOf(file);
  const attempt = await takeFile(store, identity);
  try {
    return await work(attempt, identity);
  } finally {
    await store.release(identity.session, attempt, [newRecord(store.clock, "claim.released", { attempt })]);
  }
}

async function takeFile(store: Store, { session, path }: StateIdentity): Promise<number> {
  const owner = selfOwner("state file");
  const untilMs = store.clock.monotonicMs() + LOCK_WAIT_MS;
  for (;;) {
    try {
      const { attempt } = await takeClaim(store, {
        session,
        owner,
        records: (seen) => (seen.row ? [] : [beganRecord(store, path, `state:${path}`)]),
      });
      return attempt;
    } catch (thrown) {
      if (!(thrown instanceof Held) || store.clock.monotonicMs() > untilMs) throw thrown;
    }
    await store.clock.sleep(jitterMs(POLL_MS.min, POLL_MS.max));
  }
}

export function beganRecord(store: Store, path: string, name: string): NewRecord {
  return newRecord(store.clock, "session.began", {
    agent: WORKFLOW_AGENT,
    workspace: path,
    goal: null,
    name,
  });
}

/** A change whose command died, finished or given up, for who may write and has nothing else to change. Costs a look where there is none. */
export async function finishChange(store: Store, file: string): Promise<void> {
  const [last] = await keptVersions(store, identityOf(file).session, 1);
  if (last && !last.isSettled)
    await inFilesClaim(store, file, (attempt, identity) => finishLast(store, identity, attempt));
}

async function finishLast(store: Store, identity: StateIdentity, attempt: number): Promise<void> {
  const [last] = await keptVersions(store, identity.session, 1);
  if (!last || last.isSettled) return;
  const text = readStateFile(identity.path);
  const isUntouched = (text === null ? null : hashOf(text)) === last.before || text === last.file;
  if (isUntouched)
    writeFiles({
      path: identity.path,
      before: text,
      file: last.file,
      handoff: last.handoff,
      keepsRing: false,
    });
  await giveBack(store, identity, last);
  const outcome = isUntouched ? "written" : "given-up";
  await store.append(identity.session, { attempt }, [settledRecord(store.clock, last.id, outcome)]);
}

async function open(store: Store, identity: StateIdentity, attempt: number): Promise<OpenedState> {
  const names = createFolderNames();
  const shape = createShapeReader()(identity.path);
  const nowMs = store.clock.nowMs();
  const around = surroundingsOf(identity.path, names, { shape, nowMs, claims: null });
  const text = readStateFile(identity.path);
  const handoff = readStateFile(handoffOf(identity.path)) ?? "";
  const versions = await keptVersions(store, identity.session);
  const newest = versions.find(({ isGivenUp }) => !isGivenUp);
  const isOurs = newest !== undefined && text !== null && isSameButBeats(newest.file, text);
  // An edit of the companion alone counts, too: the next change writes that file anew.
  const isKnown = text === null || (isOurs && (handoff === "" || newest.handoff === handoff));
  // A file that is but for its heartbeats what a command wrote, and spoke of, holds nothing to compare: nearly every one.
  const isAsWritten = isOurs && hasSpoken(newest);
  const known = text === null || isAsWritten ? null : knownLog(versions);
  if (isKnown || validateText("", text, around).doc === null)
    return { store, identity, shape, nowMs, around, text, versions, known };
  const what = versions.length === 0 ? "taken in" : "edited elsewhere";
  const record = versionRecord(store.clock, {
    what,
    step: null,
    before: hashOf(text),
    file: text,
    handoff,
    release: null,
  });
  await store.append(identity.session, { attempt }, [
    record,
    settledRecord(store.clock, record.id, "written"),
  ]);
  const taken: KeptVersion = {
    ...(record.body as unknown as KeptVersion),
    id: record.id,
    isSettled: true,
    isGivenUp: false,
  };
  return { store, identity, shape, nowMs, around, text, versions: [taken, ...versions], known };
}

function beatOnDisk({ identity, text }: OpenedState, doc: JsonObject): void {
  if (text === null) return;
  const file = rewriteJson(text, doc, stateKeyRank);
  // Whoever else it would change is not a heartbeat, and is no business of one.
  if (isSameButBeats(file, text)) writeBeat(identity.path, text, file);
}

async function write<T>(
  opened: OpenedState,
  attempt: number,
  change: StateChange<T>,
  given: JsonObject,
): Promise<void> {
  const { store, identity, shape, around, text } = opened;
  const { path, session } = identity;
  const doc = withKeptLog(given, opened.known, opened.nowMs);
  assertSound(path, text, doc, around);
  const file =
    text === null || change.isFresh ? freshJson(doc, stateKeyRank) : rewriteJson(text, doc, stateKeyRank);
  const { text: handoff } = await redact(handoffFor(doc, shape, readStateFile(handoffOf(path))));
  const version = versionRecord(store.clock, {
    what: change.what,
    step: change.step ?? null,
    before: text === null ? null : hashOf(text),
    file,
    handoff,
    release: change.release ?? null,
  });
  crashPoint("state.before-journal");
  await store.append(session, { attempt }, [...(change.records ?? []), version]);
  crashPoint("state.after-journal");
  try {
    writeFiles({ path, before: text, file, handoff, keepsRing: change.keepsRing ?? false });
  } catch (thrown) {
    const isEdited = thrown instanceof RefloatError && thrown.code === "E_STATE_EDITED";
    if (isEdited)
      await store.append(session, { attempt }, [settledRecord(store.clock, version.id, "given-up")]);
    throw thrown;
  }
  await giveBack(store, identity, { step: change.step ?? null, release: change.release ?? null });
  await store.append(session, { attempt }, [settledRecord(store.clock, version.id, "written")]);
  crashPoint("state.after-settled");
  const known = [{ file, handoff }, ...opened.versions];
  clearStrayWrites(path, () => known.flatMap((one) => [one.file, one.handoff]), opened.nowMs);
}

/** The step's claim goes back with the change that ended it; who took it over since keeps it. */
async function giveBack(
  store: Store,
  identity: StateIdentity,
  { step, release }: Pick<KeptVersion, "step" | "release">,
): Promise<void> {
  if (step === null || release === null) return;
  try {
    await store.release(identity.stepSession(step), release, [
      newRecord(store.clock, "claim.released", { attempt: release }),
    ]);
  } catch (thrown) {
    const isOver =
      thrown instanceof RefloatError && (thrown.code === "E_FENCED" || thrown.code === "E_NO_SESSION");
    if (!isOver) throw thrown;
  }
}

/** A command leaves no error in the file that was not there before it. */
function assertSound(
  path: string,
  before: string | null,
  doc: JsonObject,
  around: SubjectSurroundings,
): void {
  const errors = (findings: readonly { severity: string; rule: string; path: string; message: string }[]) =>
    findings.filter(({ severity }) => severity === "error");
  const old = new Set(
    errors(before === null ? [] : validateText("", before, around).findings).map(({ path: at }) => at),
  );
  const fresh = errors(validateValue("", doc, around).findings).find(({ path: at }) => !old.has(at));
  if (fresh) throw new RefloatError("E_STATE_INVALID", { path, why: fresh.message });
}

/** There is no file: said with what is left of it, and how it comes back. */
function gone({ identity, versions }: OpenedState): RefloatError {
  const left = leftOf(identity.path, versions);
  return noState(dirname(identity.path), left === null ? null : { file: identity.path, left });
}

/** The document of an opened file that a command can work on; its log with all that the store knows (kept-log.ts). */
export function usableDoc(opened: OpenedState): JsonObject {
  const { text, around, identity, known, nowMs } = opened;
  const { path } = identity;
  if (text === null) throw gone(opened);
  const { findings, doc } = validateText(path, text, around);
  const error = findings.find(({ severity }) => severity === "error");
  if (error || !doc || !isJsonObject(doc.value))
    throw new RefloatError("E_STATE_DAMAGED", { path, why: error?.message ?? "it is not a state file." });
  return withKeptLog(doc.value, known, nowMs);
}

/** What was done to the log by hand since the store last saw it: every command that takes the file as it is says so (T1). */
export function notesOn({ text, known }: OpenedState): readonly string[] {
  if (text === null || known === null) return [];
  const parsed = parseState(text);
  return parsed.kind === "parsed"
    ? logNotes(known, listOf(own(parsed.value, "decision_log")))
    : logNotes(known, listOf(own(salvagedFrom(text), "decision_log")), "cut");
}
