/**
 * Places where a test can make a process die as by a power cut: SIGKILL, synchronously, no instruction more.
 * Nothing happens unless REFLOAT_CRASH_AT names a point when this module loads: "name" dies at its first
 * hit, "name#3" at its third. With REFLOAT_CRASH_LOG every hit adds a line with its name to that file, so that a sweep
 * knows how many there are to die at. Hits are counted per thread; a worker thread's hit kills the whole process.
 */
import { appendFileSync } from "node:fs";
import { RefloatError } from "../model/errors.ts";

export const CRASH_POINTS = {
  "append.before-begin": "A change is ready; its transaction has not begun.",
  "append.in-transaction": "Some rows of a change are written, others not.",
  "append.before-commit": "All rows of a commit group are written, none is committed.",
  "append.after-commit": "The commit group is on disk; nobody has been told.",
  "append.before-ack": "The outcome is known to the caller's side; its promise has not resolved.",
  "take.before-commit": "A claim is about to change hands.",
  "take.after-commit": "The claim has changed hands; the new owner does not know yet.",
  "content.after-chunk": "A chunk of a content is on disk, the content that needs it is not named yet.",
  "content.before-row": "All chunks of a content are on disk, its own row is not.",
  "stream.before-flush": "Streamed text is waiting; it has not been written.",
  "stream.after-flush": "Streamed text is on disk; the message is still open.",
  "call.before-started": "A call is about to be recorded; its tool has not run.",
  "call.after-started": "A call is recorded as started; its tool is about to run.",
  "call.before-ended": "A tool has run; its result is not recorded.",
  "queue.before-take": "An input is in the queue and about to be taken.",
  "queue.after-take": "An input has been taken into the conversation; nobody has acted on it.",
  "create.before-link": "A new file is complete under a temporary name.",
  "create.after-link": "A new file has its name; its directory is not synced.",
  "checkpoint.before": "The store's log is about to be copied into its database.",
  "checkpoint.after": "The store's log has been copied into its database.",
  "import.between-changes": "One change of an import is on disk, the next is not.",
  "forget.after-order": "What is to be erased is written down; nothing of it is erased.",
  "forget.before-commit": "Bodies are erased in a transaction that is not committed.",
  "forget.after-names": "Bodies are erased; contents that only they named are still there.",
  "forget.after-drop": "Some of the contents that erased records had named are gone.",
  "forget.after-page": "A part of what was ordered gone is erased, with its record; the rest is not.",
  "forget.before-clear": "All of it is erased; old copies may still be in the store's files.",
} as const satisfies Record<string, string>;

/** Those of the workflow's state file: another program passes them, so another sweep kills there. */
export const STATE_CRASH_POINTS = {
  "state.before-journal": "A change of the state file is decided; nothing of it is durable.",
  "state.after-journal": "The change is in the journal; no file is written.",
  "state.in-ring": "One of the older versions has moved on, the newer ones not yet.",
  "state.after-backup": "The older versions have moved on; the state file is as before.",
  "state.after-file": "The state file is new, its companion old.",
  "state.after-handoff": "Both files are new; the journal does not know yet.",
  "state.after-settled": "The journal knows; the claim on the file is not given back.",
  "step.after-claim": "A step is claimed in the store; the file does not say so.",
} as const satisfies Record<string, string>;

/** Those of an act on the user's tree (docs/acts.md goes through them). */
export const ACT_CRASH_POINTS = {
  "act.before-plan": "The safety capture is taken; there is no plan.",
  "act.after-plan": "The plan is durable; nothing is changed.",
  "act.folder-made": "A folder that was missing is there, still empty.",
  "act.new-written": "A new file is whole under a name of ours; the old one is in its place.",
  "act.aside": "What was at the path is aside; nothing has its name.",
  "act.swapped": "The new file has its name; what it replaced is aside and not compared yet.",
  "act.group-swapped": "Every path of a group is new; what was there is still aside.",
  "act.aside-dropped": "What one path had before is gone from the tree, of others it is still aside.",
  "act.folder-removed": "A folder that was left empty is gone.",
  "act.putting-back": "One path of a group in conflict is back, others are still new.",
  "act.tree-done": "The tree is new and on disk; the journal does not know.",
  "act.after-tree": "The journal knows that the tree is new; the index is old.",
  "act.index-built": "A new index is whole under a name of ours; the user's is as it was.",
  "act.index-locked": "The lock of the user's index is ours; the index is as it was.",
  "act.index-published": "The index is new; the journal does not know.",
  "act.after-index": "The journal knows that the index is new; the refs are old.",
  "act.after-refs": "The refs are new; the journal does not know.",
  "act.before-settled": "Everything is done; the journal does not know.",
  "act.after-settled": "The plan is settled; nobody has been told.",
} as const satisfies Record<string, string>;

/** Those of a recovery, which its own tests pass and kill at. */
const RECOVER_CRASH_POINTS = {
  "recover.after-settle":
    "A dead session is settled and claimed by its recovery; its workspace is not captured.",
  "recover.after-capture": "The end capture is taken; the claim is not given back.",
} as const satisfies Record<string, string>;

/** Those of a supervisor: its own sweep kills there, with an agent running. */
export const RUN_CRASH_POINTS = {
  "run.before-mark": "The first capture is taken; nothing says yet that the agent begins.",
  "run.before-start": "The mark is recorded; the agent is not started.",
  "run.after-start": "The agent runs; nobody has recorded its pid.",
  "run.after-started": "The agent runs and is recorded.",
  "run.after-drain-mark": "The drain is marked; no signal has been sent.",
  "run.after-exit": "The agent is over; nobody has recorded how.",
  "run.before-end-capture": "Exit and last output are recorded; the tree is not captured.",
  "run.before-release": "The tree is captured; the session has not ended.",
} as const satisfies Record<string, string>;

/** Those of bringing a removed work tree back; its files come by an act, with an act's own points. */
export const RECREATE_CRASH_POINTS = {
  "recreate.after-record": "It is recorded that a work tree is brought back; nothing is changed.",
  "recreate.after-register": "Git knows the work tree again; its place is empty.",
  "recreate.after-fill": "Its tree is whole under a name of ours; its place is empty.",
  "recreate.after-place": "It has its place, as its commit has it; the captured files are not back.",
  "recreate.before-settled": "Everything is back; the journal does not know.",
} as const satisfies Record<string, string>;

/** Those of taking in what hooks left. */
export const INBOX_CRASH_POINTS = {
  "inbox.after-record": "What an event says is durable; its file is there still.",
  "inbox.after-remove": "The event's file is gone; its folder is not synced.",
} as const satisfies Record<string, string>;

/** Those of `init` and `uninstall`, whose own sweep kills there. */
export const INSTALL_CRASH_POINTS = {
  "install.after-recorder": "The recorder has its place; no file of an agent calls it.",
  "install.after-ledger": "What one file was and is to be is on disk; the file is as it was.",
  "install.before-swap": "A file's new bytes are written under another name; it is as it was.",
  "install.after-swap": "One file is changed, others are not yet.",
  "install.before-forgotten": "A file is as it was before us; the ledger still names it.",
} as const satisfies Record<string, string>;

/** Those of a session's way into another store, on both machines: its own sweep kills there (docs/decisions/0027). */
export const SEND_CRASH_POINTS = {
  "send.after-capture": "The tree is captured as it is; nothing was offered.",
  "send.after-offer": "All of it is there, or in the file, and not live; here nothing is recorded.",
  "send.after-fence": "It is recorded here that it was sent; there it is not live yet.",
  "send.before-confirmed": "It is live there, or the file has its name; here nobody knows.",
  "receive.after-held": "What was offered is on disk; nobody has been told.",
  "receive.after-decided": "The seal is on disk; the journal does not have the session yet.",
  "receive.after-commit": "The session is live here; the files of the transfer are still there.",
} as const satisfies Record<string, string>;

const TABLES = [
  CRASH_POINTS,
  STATE_CRASH_POINTS,
  ACT_CRASH_POINTS,
  RECOVER_CRASH_POINTS,
  RUN_CRASH_POINTS,
  RECREATE_CRASH_POINTS,
  INBOX_CRASH_POINTS,
  INSTALL_CRASH_POINTS,
  SEND_CRASH_POINTS,
] as const;

export type CrashPoint =
  | keyof typeof CRASH_POINTS
  | keyof typeof STATE_CRASH_POINTS
  | keyof typeof ACT_CRASH_POINTS
  | keyof typeof RECOVER_CRASH_POINTS
  | keyof typeof RUN_CRASH_POINTS
  | keyof typeof RECREATE_CRASH_POINTS
  | keyof typeof INBOX_CRASH_POINTS
  | keyof typeof INSTALL_CRASH_POINTS
  | keyof typeof SEND_CRASH_POINTS;

const target = parseTarget(process.env.REFLOAT_CRASH_AT);
const logPath = process.env.REFLOAT_CRASH_LOG || null;
let hitsOfTarget = 0;

export function crashPoint(name: CrashPoint): void {
  if (target === null && logPath === null) return;
  if (logPath !== null) appendFileSync(logPath, `${name}\n`);
  if (target?.name !== name) return;
  hitsOfTarget += 1;
  if (hitsOfTarget === target.hit) die();
}

/** A misspelt point must not make a sweep pass because nothing ever died. */
function parseTarget(text: string | undefined): { readonly name: CrashPoint; readonly hit: number } | null {
  if (text === undefined || text === "") return null;
  const [, name, hit] = /^([^#]+)(?:#([1-9][0-9]{0,8}))?$/.exec(text) ?? [];
  if (name === undefined || !TABLES.some((table) => Object.hasOwn(table, name))) {
    throw new RefloatError("E_USAGE", { why: `REFLOAT_CRASH_AT names no crash point: ${text}` });
  }
  return { name: name as CrashPoint, hit: Number(hit ?? 1) };
}

/** The signal may reach another thread first: this one waits for its end without going on. */
function die(): never {
  process.kill(process.pid, "SIGKILL");
  const never = new Int32Array(new SharedArrayBuffer(4));
  for (;;) Atomics.wait(never, 0, 0);
}
