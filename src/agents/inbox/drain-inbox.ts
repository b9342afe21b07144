/**
 * Taking in what hooks left (DESIGN 5). What is on disk after each step, and what a kill there leaves to the next reader:
 *  1. read, nothing taken        the file waits as before
 *  2. its records are durable    the file is there still: taken again, its name makes the same records, which changes nothing (D4)
 *  3. the file is gone           done
 * Two readers at once may both come to 2. That is why what is taken may depend on nothing but the file: its id, its event.
 *
 * What was held before a command lies beside its event and goes after it. Where its event was not written any more, it is taken by itself:
 * the command may have run.
 */
import { lstatSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { type ErrorCode, RefloatError } from "../../model/errors.ts";
import { HELD_FILE_BYTES, HELD_TORN_KEPT, INBOX_TORN_AFTER_MS, INBOX_TORN_KEPT } from "../../model/limits.ts";
import { crashPoint } from "../../platform/crash-point.ts";
import { makePrivateDirectory, moveFile, syncDirectory } from "../../platform/durable-file.ts";
import { errnoOf, ioError } from "../../platform/io-error.ts";
import { removeTemporary } from "../../platform/private-file.ts";
import type { Store } from "../../store/store.ts";
import { type InboxEvent, parseInboxFile } from "./format.ts";
import { type HeldFile, parseHeldFile } from "./held-format.ts";
import {
  droppedMarkOf,
  heldNamed,
  type InboxFile,
  inboxOf,
  isOverlong,
  isOwnFolder,
  listInbox,
  tornOf,
} from "./inbox-folder.ts";
import { dropOldMarks } from "./open-marks.ts";

export interface WaitingEvent {
  /** The file's name, and so the id of what is recorded of it: whoever makes several records of one event adds to this one. */
  readonly id: string;
  readonly event: InboxEvent;
  /** When it was written, for people. */
  readonly atMs: number;
  /** What was held before it; `lost`: it says that something was, and that is torn or not there. */
  readonly held: WaitingHeld | "lost" | null;
}

/** `name`: of its file, and by that of the captures that are made of it. */
export interface WaitingHeld {
  readonly name: string;
  readonly held: HeldFile;
  readonly atMs: number;
}

/**
 * `taken`: what it says is durable in the store, or nothing of it is to be kept; the file goes. `later`: it stays where it is (the store may
 * not be written, its session is another's right now). Throwing leaves the file, too, and ends the draining; only an error that says that
 * no record can be made of this file costs this file alone: it is quarantined.
 */
export type TakeEvent = (waiting: WaitingEvent) => Promise<"taken" | "later">;
/** The same for what was held and has no event. */
export type TakeAlone = (waiting: WaitingHeld) => Promise<"taken" | "later">;

export interface DrainedInbox {
  readonly taken: number;
  readonly later: number;
  /** Put into quarantine by this look. */
  readonly torn: readonly string[];
  /** At least so many events were dropped while the inbox was full, since somebody drained it last. */
  readonly dropped: number;
}

/** Everything that waits now, in its order. What comes meanwhile is the next reader's. */
export async function drainInbox(
  store: Pick<Store, "clock">,
  home: string,
  take: TakeEvent,
  takeAlone: TakeAlone = async () => "later",
): Promise<DrainedInbox> {
  const { waiting, held, dropped } = listInbox(home);
  const torn: string[] = [];
  let [taken, later] = [0, 0];
  try {
    for (const file of waiting) {
      const read = readWaiting(home, file, store.clock.nowMs());
      if (read === "gone" || read === "not-yet") continue;
      if (read === "torn") {
        if (quarantine(home, file)) torn.push(file.id);
        continue;
      }
      const outcome = await takeOrRefuse(take, read);
      if (outcome === "later") {
        later += 1;
        continue;
      }
      if (outcome === "refused") {
        if (quarantine(home, file)) torn.push(file.id);
        continue;
      }
      crashPoint("inbox.after-record");
      removeTemporary(file.path);
      crashPoint("inbox.after-remove");
      removeHeld(home, read.event.held);
      taken += 1;
    }
    const names = new Set(waiting.map(({ id }) => id.replace(/-L$/u, "")));
    for (const file of held.filter(({ id }) => !names.has(id))) {
      const outcome = await takeUnnamed(takeAlone, file, store.clock.nowMs());
      if (outcome === "torn" && quarantine(home, file)) torn.push(file.id);
      if (outcome === "taken") removeTemporary(file.path);
      taken += outcome === "taken" ? 1 : 0;
    }
  } finally {
    // One sync for all: a name that comes back after a power cut is taken again, and changes nothing.
    if (taken + torn.length > 0) syncDirectory(inboxOf(home));
  }
  if (torn.length > 0) boundQuarantine(home);
  if (taken > 0) dropOldMarks(home, store.clock.nowMs());
  return { taken, later, torn, dropped: dropped > 0 ? takeDropped(home) : 0 };
}

/** What it says cannot be a record, today or ever: one file of that kind must not keep what waits behind it from being taken in (D6). */
const NO_RECORD: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  ...(["E_BAD_RECORD", "E_BAD_ID", "E_TOO_LARGE", "E_NOT_JSON", "E_TOO_DEEP"] as const),
]);

async function takeOrRefuse(take: TakeEvent, waiting: WaitingEvent): Promise<"taken" | "later" | "refused"> {
  try {
    return await take(waiting);
  } catch (thrown) {
    if (thrown instanceof RefloatError && NO_RECORD.has(thrown.code)) return "refused";
    throw thrown;
  }
}

/** Its event may be about to be written: it is left for a while, as a torn one is. */
async function takeUnnamed(
  take: TakeAlone,
  file: InboxFile,
  nowMs: number,
): Promise<"taken" | "later" | "torn"> {
  if (Math.abs(nowMs - file.modifiedMs) < INBOX_TORN_AFTER_MS) return "later";
  const found = readHeld(file);
  if (found === null) return "torn";
  try {
    return await take(found);
  } catch (thrown) {
    if (thrown instanceof RefloatError && NO_RECORD.has(thrown.code)) return "torn";
    throw thrown;
  }
}

/** Null: it is torn, gone, or none of ours. */
function readHeld({ id, path, bytes, modifiedMs }: InboxFile): WaitingHeld | null {
  const file = bytes > HELD_FILE_BYTES ? "unreadable" : bytesOf(path);
  const parsed = typeof file === "string" ? null : parseHeldFile(file);
  return parsed?.kind === "held" ? { name: id, held: parsed.held, atMs: Math.floor(modifiedMs) } : null;
}

function heldOf(home: string, name: string | null): WaitingEvent["held"] {
  if (name === null) return null;
  const file = heldNamed(home, name);
  return (file && readHeld(file)) ?? "lost";
}

function removeHeld(home: string, name: string | null): void {
  const file = name === null ? null : heldNamed(home, name);
  if (file) removeTemporary(file.path);
}

type ReadWaiting = WaitingEvent | "torn" | "not-yet" | "gone";

function readWaiting(home: string, file: InboxFile, nowMs: number): ReadWaiting {
  if (isOverlong(file)) return "torn";
  const bytes = bytesOf(file.path);
  if (bytes === "gone") return "gone";
  if (bytes === "unreadable") return "torn";
  const parsed = parseInboxFile(bytes);
  switch (parsed.kind) {
    case "event": {
      const { event } = parsed;
      return { id: file.id, event, atMs: event.atMs ?? file.modifiedMs, held: heldOf(home, event.held) };
    }
    case "unknown":
      return "torn";
    case "torn":
      return Math.abs(nowMs - file.modifiedMs) < INBOX_TORN_AFTER_MS ? "not-yet" : "torn";
  }
}

/** `gone`: another reader was faster. `unreadable`: somebody's file, or its permissions were taken away. */
function bytesOf(path: string): Buffer | "gone" | "unreadable" {
  try {
    return readFileSync(path);
  } catch (thrown) {
    const errno = errnoOf(thrown);
    if (errno === "ENOENT") return "gone";
    if (errno === "EACCES" || errno === "EPERM") return "unreadable";
    throw ioError(thrown, path);
  }
}

/** Kept under its name, to be looked at: `doctor` names it. */
function quarantine(home: string, { path }: InboxFile): boolean {
  return hasQuarantine(home) && moveFile(path, join(tornOf(home), basename(path)));
}

/** False: something else has its name, a link perhaps; then everything stays where it is (W3). */
function hasQuarantine(home: string): boolean {
  const folder = tornOf(home);
  if (lstatSync(folder, { throwIfNoEntry: false }) === undefined) makePrivateDirectory(folder);
  return isOwnFolder(folder);
}

/** The newest stay (T5). */
function boundQuarantine(home: string): void {
  const { torn, tornHeld } = listInbox(home);
  for (const [files, kept] of [
    [torn, INBOX_TORN_KEPT],
    [tornHeld, HELD_TORN_KEPT],
  ] as const) {
    const newestFirst = files.toSorted((a, b) => b.modifiedMs - a.modifiedMs);
    for (const { path } of newestFirst.slice(kept)) removeTemporary(path);
  }
}

/**
 * There is room again. Moved away before it is read, so that no drop is counted twice; a recorder that opened it just before may still add
 * one, hence "at least". It stays beside the torn ones until the next time, for `doctor`.
 */
function takeDropped(home: string): number {
  if (!hasQuarantine(home)) return 0;
  const kept = keptDropsOf(home);
  return moveFile(droppedMarkOf(home), kept) ? (lstatSync(kept, { throwIfNoEntry: false })?.size ?? 0) : 0;
}

/** What the last full inbox dropped, after somebody drained it. */
export const keptDropsOf = (home: string): string => join(tornOf(home), "dropped");
