/**
 * What a transfer leaves beside the store, under its id, on either machine (docs/decisions/0027):
 *   ID.held      received whole and on disk, not live: the session goes on where it was
 *   ID.decided   the seal that makes it live, or the word that it was called off. Made by link(2), so one of the two wins for good.
 *                At the sender of a file: that the file gets its name, or that it never does
 *   ID.open      at the sender: recorded as sent, and nobody has heard that it arrived. In it, how refloat is called there: not in the journal, which others may write (T2)
 * The truth of a session is its journal; these say what a transfer has still to do.
 */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { RefloatError } from "../../model/errors.ts";
import {
  createDurable,
  makePrivateDirectory,
  removeDurable,
  writeDurable,
} from "../../platform/durable-file.ts";

const REFUSED = "refused\n";
const NAMED = "named\n";
/** A transfer that was cut off is begun anew within a day; one that was called off is asked about again within a month. */
const INCOMING_MS = 24 * 60 * 60 * 1000;
const DECIDED_MS = 30 * INCOMING_MS;

export interface TransferFiles {
  readonly folder: string;
  incoming(name: string): string;
  held(transfer: string): string;
  decided(transfer: string): string;
  open(transfer: string): string;
}

export function transferFiles(home: string): TransferFiles {
  const folder = join(home, "transfers");
  makePrivateDirectory(folder);
  const at = (name: string): string => join(folder, name);
  return {
    folder,
    incoming: (name) => at(`${name}.incoming`),
    held: (transfer) => at(`${transfer}.held`),
    decided: (transfer) => at(`${transfer}.decided`),
    open: (transfer) => at(`${transfer}.open`),
  };
}

/** Null: nobody decided yet. */
export function decisionOf(files: TransferFiles, transfer: string): "sealed" | "refused" | null {
  const path = files.decided(transfer);
  const size = statSync(path, { throwIfNoEntry: false })?.size;
  if (size === undefined) return null;
  return size === REFUSED.length && readFileSync(path, "utf8") === REFUSED ? "refused" : "sealed";
}

/** Throws E_EXISTS where it was decided already. */
export const decideRefused = (files: TransferFiles, transfer: string): void =>
  createDurable(files.decided(transfer), REFUSED);

/** At the sender of a file, before it has its name: from then on it may be anywhere. False: it was called off. */
export function decideNamed(files: TransferFiles, transfer: string): boolean {
  if (decisionOf(files, transfer) === null) ifFirst(() => createDurable(files.decided(transfer), NAMED));
  return decisionOf(files, transfer) === "sealed";
}

/** At the sender of a file that has no name yet. False: it has, or is about to. */
export function decideNeverNamed(files: TransferFiles, transfer: string): boolean {
  if (decisionOf(files, transfer) === null) ifFirst(() => decideRefused(files, transfer));
  return decisionOf(files, transfer) === "refused";
}

/** By the user's word that nobody has it: whoever decided otherwise and has not named the file yet finds this instead. */
export const decideGone = (files: TransferFiles, transfer: string): void =>
  writeDurable(files.decided(transfer), REFUSED);

function ifFirst(decide: () => void): void {
  try {
    decide();
  } catch (thrown) {
    if (!(thrown instanceof RefloatError && thrown.code === "E_EXISTS")) throw thrown;
  }
}

export interface OpenTransfer {
  readonly session: string;
  readonly program: string;
}

export const markOpen = (files: TransferFiles, transfer: string, open: OpenTransfer): void => {
  if (!existsSync(files.open(transfer)))
    createDurable(files.open(transfer), `${open.session}\n${open.program}\n`);
};
/** Null: it is not under way, or nothing was said. */
export function programOf(files: TransferFiles, transfer: string): string | null {
  if (!isOpen(files, transfer)) return null;
  const [, ...program] = readFileSync(files.open(transfer), "utf8").trimEnd().split("\n");
  return program.join("\n") || null;
}
export const isOpen = (files: TransferFiles, transfer: string): boolean => existsSync(files.open(transfer));
export const dropOpen = (files: TransferFiles, transfer: string): void => removeDurable(files.open(transfer));

/** What is over: nobody asks for it any more. What was sealed stays until it is taken in. */
export function tidy(files: TransferFiles, nowMs: number): void {
  const { folder } = files;
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const isRefusal =
      name.endsWith(".decided") && decisionOf(files, name.slice(0, -".decided".length)) === "refused";
    const bound = isRefusal ? DECIDED_MS : /\.incoming$|^\.tmp-/.test(name) ? INCOMING_MS : Infinity;
    const age = nowMs - (statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? nowMs);
    if (age > bound) removeDurable(path);
  }
}
