/**
 * What a kill in the middle of a write left beside a state file: a temporary name with bytes that were never acknowledged. The next
 * change of the file clears it away, where it is proved to be ours (W1): by its name, its owner, and bytes that the store or a
 * copy beside the file knows; and to be nobody's at work: nobody has it open, and it is older than any write takes. Whatever
 * lacks one of these stays, and `doctor` names it.
 */
import { existsSync, lstatSync, readdirSync, readFileSync, type Stats } from "node:fs";
import { basename, dirname, join } from "node:path";
import { RefloatError } from "../model/errors.ts";
import { removeDurable } from "../platform/durable-file.ts";
import { errnoOf } from "../platform/io-error.ts";
import { isOpenHere, pidsWithOpen } from "../platform/open-files.ts";
import { isSameButBeats, MAX_STATE_BYTES } from "./state-files-on-disk.ts";
import { BACKUP_SUFFIXES, handoffOf } from "./state-paths.ts";

/** As platform/durable-file.ts names what it has not renamed yet. */
const TEMPORARY = /^\.tmp-[0-9a-hjkmnp-tv-z]{20}$/;
/** Between the last byte and the rename there are two system calls: who needs a minute for them is not there any more. */
const SURELY_OVER_MS = 60_000;
/** A shorter beginning could be that of anything. */
const MIN_PROOF_BYTES = 64;

/** `texts`: what the store knows to have been written, or begun, as state or companion. The caller holds the file's claim. */
export function clearStrayWrites(file: string, texts: () => readonly string[], nowMs: number): void {
  const folder = dirname(file);
  const strays = readdirSync(folder)
    .filter((name) => TEMPORARY.test(name))
    .map((name) => join(folder, name))
    .filter((path) => isLeft(path, nowMs));
  if (strays.length === 0) return;
  const known = [...texts(), ...textsBeside(file)];
  for (const path of strays) clear(path, known);
}

function clear(path: string, known: readonly string[]): void {
  try {
    if (isOneOf(readFileSync(path, "utf8"), known)) removeDurable(path);
  } catch (thrown) {
    // The change it came with is on disk and stands, whatever becomes of this one: `doctor` names it.
    if (!(thrown instanceof RefloatError) && errnoOf(thrown) === null) throw thrown;
  }
}

function isLeft(path: string, nowMs: number): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat?.isFile() || !isOwn(stat)) return false;
  const isOver = nowMs - Math.max(stat.mtimeMs, stat.ctimeMs) >= SURELY_OVER_MS;
  // Null: this system does not tell who has a file open; then it stays.
  return isOver && !isOpenHere(stat) && pidsWithOpen(path)?.length === 0;
}

const isOwn = ({ uid, nlink, size }: Stats): boolean =>
  uid === process.getuid?.() && nlink === 1 && size >= MIN_PROOF_BYTES && size <= MAX_STATE_BYTES;

/** All of a text, or its beginning: a kill may cut a write off between two pages. */
const isOneOf = (text: string, known: readonly string[]): boolean =>
  known.some((one) => one.startsWith(text) || isSameButBeats(one, text));

/** The files themselves, the ring, and what was put aside. */
function textsBeside(file: string): string[] {
  const folder = dirname(file);
  const [name, companion] = [basename(file), basename(handoffOf(file))];
  const aside = readdirSync(folder).filter(
    (one) => one.startsWith(`${name}.corrupt`) || one.startsWith(`${companion}.before-`),
  );
  return [name, companion, ...BACKUP_SUFFIXES.map((suffix) => name + suffix), ...aside]
    .map((one) => join(folder, one))
    .filter((path) => existsSync(path) && lstatSync(path).isFile() && lstatSync(path).size <= MAX_STATE_BYTES)
    .map((path) => readFileSync(path, "utf8"));
}
