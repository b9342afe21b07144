/**
 * The inbox as it lies on disk: `inbox/*.hook` waits, `inbox/*.held` is what was held before a command, `inbox/torn/` is what had no end, `inbox/dropped` counts what there was no room for, a
 * byte each. Events of one boot have the order of the kernel's own count since boot, which their names carry; only boots among each other
 * are put in order by a clock, since nothing else is left of them (D3).
 */
import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { INBOX_BODY_BYTES, INBOX_HEAD_BYTES } from "../../model/limits.ts";
import { errnoOf } from "../../platform/io-error.ts";
import { INBOX_ENDING, idOfInboxName } from "./format.ts";
import { HELD_ENDING } from "./held-format.ts";

export const inboxOf = (home: string): string => join(home, "inbox");
export const tornOf = (home: string): string => join(home, "inbox", "torn");
export const droppedMarkOf = (home: string): string => join(home, "inbox", "dropped");

export interface InboxFile {
  readonly id: string;
  readonly path: string;
  readonly bytes: number;
  readonly modifiedMs: number;
}

export interface InboxListing {
  /** In the order they were written. */
  readonly waiting: readonly InboxFile[];
  readonly torn: readonly InboxFile[];
  /** What was held before commands, each beside its event, or without one where that was not written any more. */
  readonly held: readonly InboxFile[];
  /** Of those, what was torn. */
  readonly tornHeld: readonly InboxFile[];
  /** At least so many events were dropped since the inbox was full and nobody drained it. */
  readonly dropped: number;
}

/** An inbox that is not there is empty. */
export function listInbox(home: string): InboxListing {
  return {
    waiting: inOrder(filesIn(inboxOf(home))),
    torn: isOwnFolder(inboxOf(home)) ? filesIn(tornOf(home)) : [],
    held: filesIn(inboxOf(home), HELD_ENDING),
    tornHeld: isOwnFolder(inboxOf(home)) ? filesIn(tornOf(home), HELD_ENDING) : [],
    dropped: isOwnFolder(inboxOf(home)) ? sizeOf(droppedMarkOf(home)) : 0,
  };
}

/** Longer than anything the recorder writes. */
export const isOverlong = ({ bytes }: InboxFile): boolean => bytes > INBOX_BODY_BYTES + INBOX_HEAD_BYTES;

/** What was held under this name; null: it is not there. */
export function heldNamed(home: string, name: string): InboxFile | null {
  const path = join(inboxOf(home), `${name}${HELD_ENDING}`);
  const stat = isOwnFolder(inboxOf(home)) ? lstatSync(path, { throwIfNoEntry: false }) : undefined;
  return stat?.isFile() ? { id: name, path, bytes: stat.size, modifiedMs: stat.mtimeMs } : null;
}

function filesIn(folder: string, ending = INBOX_ENDING): readonly InboxFile[] {
  return namesIn(folder).flatMap((name) => {
    const id = idOfInboxName(name, ending);
    const path = join(folder, name);
    const stat = id === null ? undefined : lstatSync(path, { throwIfNoEntry: false });
    // A link or a folder with such a name is nobody's event, and following it would leave the inbox (W3).
    return id === null || !stat?.isFile() ? [] : [{ id, path, bytes: stat.size, modifiedMs: stat.mtimeMs }];
  });
}

/** A link in a folder's place leads out of the home: what is there is not ours to read, to move or to delete (W3). */
export const isOwnFolder = (folder: string): boolean =>
  lstatSync(folder, { throwIfNoEntry: false })?.isDirectory() === true;

function namesIn(folder: string): readonly string[] {
  if (!isOwnFolder(folder)) return [];
  try {
    return readdirSync(folder);
  } catch (thrown) {
    if (errnoOf(thrown) === "ENOENT" || errnoOf(thrown) === "ENOTDIR") return [];
    throw thrown;
  }
}

export const sizeOf = (path: string): number => lstatSync(path, { throwIfNoEntry: false })?.size ?? 0;

/** `BOOT-UPTIME-...`: the first part of the boot's id and hundredths of a second since it. */
const ORDER = /^([0-9a-f]{8})-(\d{10,16})-/u;

interface Placed {
  readonly file: InboxFile;
  readonly boot: string;
  readonly uptime: number;
}

/** Pure. */
export function inOrder(files: readonly InboxFile[]): readonly InboxFile[] {
  const placed = files.map((file): Placed => {
    const [, boot = "", uptime = "0"] = ORDER.exec(file.id) ?? [];
    return { file, boot, uptime: Number(uptime) };
  });
  const began = new Map<string, number>();
  for (const { file, boot } of placed) {
    began.set(boot, Math.min(began.get(boot) ?? Number.POSITIVE_INFINITY, file.modifiedMs));
  }
  const bootOf = ({ boot, file }: Placed): number =>
    boot === "" ? file.modifiedMs : (began.get(boot) ?? file.modifiedMs);
  return placed
    .toSorted(
      (a, b) =>
        bootOf(a) - bootOf(b) ||
        (a.boot === b.boot ? a.uptime - b.uptime : 0) ||
        a.file.modifiedMs - b.file.modifiedMs ||
        (a.file.id < b.file.id ? -1 : 1),
    )
    .map(({ file }) => file);
}
