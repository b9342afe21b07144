/**
 * The errors catalogue: a stable code, what happened, what to do next, and the exit code of the command
 * that ends with it. docs/errors.md is generated from this table. `{name}` is filled from the error's data.
 */
import { ACT_ERRORS, SETTLE_ERRORS } from "./act-errors.ts";
import { AGENT_ERRORS } from "./agent-errors.ts";
import { BUCKET_ERRORS } from "./bucket-errors.ts";
import { type ErrorEntry, entry, fill, fillHint } from "./error-entry.ts";
import { FLEET_ERRORS } from "./fleet-errors.ts";
import { LIBRARY_ERRORS } from "./library-errors.ts";
import { PAGE_ERRORS } from "./page-errors.ts";
import { RESUME_ERRORS, RUN_ERRORS } from "./run-errors.ts";
import { SEND_ERRORS } from "./send-errors.ts";
import { STATE_ERRORS } from "./state-errors.ts";

export const ERRORS = {
  ...AGENT_ERRORS,
  ...PAGE_ERRORS,
  ...FLEET_ERRORS,
  E_USAGE: entry(64, "{why}", "See `refloat COMMAND --help`."),
  E_OFF: entry(
    1,
    "REFLOAT_OFF=1: refloat is off, and `{what}` has not been done.",
    "Unset REFLOAT_OFF and ask again.",
  ),
  E_LEFT_ALONE: entry(
    1,
    "{path} is left alone, as {by} says with `ignore`: {what}.",
    "Take it out of `ignore` there, and it is recorded again.",
  ),
  E_NO_SESSION: entry(1, "There is no session {what}.", "`refloat sessions` lists them."),
  E_WORKSPACE_GONE: entry(
    1,
    "The workspace of session {session} is gone: {path}.",
    "Its work is held: in a clone of its repository `refloat inspect {session}` shows it, `refloat resume {session} --recreate` goes on there and `refloat restore {session}` only puts it there. A linked work tree comes back by `refloat resume {session} --recreate`. Copied out: `refloat restore {session} --to DIR`.",
  ),
  E_HELD_ELSEWHERE: entry(
    1,
    "The work of session {session}, done in {path}, is held, but no commit it was done on (the last is {commit}) is here.",
    "Type it in a clone of its repository. Copied out as it is held: `refloat restore {session} --to DIR`.",
  ),
  E_HELD_NOT_HERE: entry(
    1,
    "The work of session {session} is held and not in {path}.",
    "`refloat restore {session}` puts it back there.",
  ),
  E_HELD_CONFLICT: entry(
    1,
    "The work of session {session} is held, and not all of it can be put into {path}: {what}.",
    "Nothing was changed. `refloat restore {session} --dry-run` shows each path; what is named after it is put back as it is held.",
  ),
  E_BAD_BUNDLE: entry(
    1,
    "{path} is not a bundle that can be taken in: {why}.",
    "A bundle is the folder that `refloat run --bundle DIR` wrote; its README.txt says how to use it without refloat.",
  ),
  E_AMBIGUOUS: entry(
    1,
    "{what} names more than one session: {matches}.",
    "Type the id, or more characters of it.",
  ),
  E_HELD: entry(
    4,
    "The session is held by {by} since {since}.",
    "Wait for it, or take it over: `refloat claim break {session} --reason WHY`.",
  ),
  E_SUSPENDED: entry(
    1,
    "Session {session} is suspended: {why}.",
    'Look why (`refloat show {session}`), then `refloat lift {session}`, or begin it with `lift: "the reason"`.',
  ),
  E_FENCED: entry(
    4,
    "This writer's attempt {attempt} is over: the session is at attempt {current}.",
    "Another process took the session over. Begin it again to go on; nothing of this write was saved.",
  ),
  E_HEAD_MOVED: entry(
    1,
    "The session has moved on: expected head {expected}, it is at {head}.",
    "Read the newer records, then decide again (C5: a stale copy never overwrites newer facts).",
  ),
  E_ID_REUSED: entry(
    1,
    "The id {id} is already used in this session with another body.",
    "Give each record an id of its own, or leave the id out.",
  ),
  E_NOT_OPEN: entry(
    1,
    "The {what} {id} is not open.",
    "It was already ended, taken or never begun; read the session's log.",
  ),
  E_ALREADY_OPEN: entry(1, "A {what} with the id {id} is already open.", "End it first, or use another id."),
  E_TURN_OPEN: entry(1, "A turn is already open in this session: {id}.", "End it, or go on with it."),
  E_CLOSED: entry(1, "The {what} is closed.", "Open it again."),
  E_OUTCOME_UNKNOWN: entry(
    1,
    "The call {id} of {tool} was begun before and nobody saw it end: it may have happened.",
    "Look whether it did; if it did not, call it again as a new call.",
  ),
  E_BAD_ID: entry(64, "Not a usable id for a {what}: {why}.", "Use 1 to 200 bytes of plain text."),
  E_BAD_RECORD: entry(
    1,
    "A {kind} record does not fit its schema: {why}.",
    "See docs/records.md for its fields.",
  ),
  E_NOT_JSON: entry(
    1,
    "The value is not JSON: {found}.",
    "Only null, booleans, finite numbers, text, arrays and plain objects can be stored exactly.",
  ),
  E_TOO_DEEP: entry(1, "The value is nested deeper than {limit} levels.", "Flatten it, or store it as text."),
  E_TOO_LARGE: entry(
    1,
    "{what} has {bytes} bytes, the limit is {limit}.",
    "Split it, or keep it in a file and store its path.",
  ),
  E_NO_CONTENT: entry(
    1,
    "The store does not hold the content {hash}.",
    "It was collected or forgotten, or never stored; `refloat store check` tells.",
  ),
  E_BAD_STORE_URL: entry(64, "Not a store: {url}.", "Give a file path or postgres://user@host/database."),
  E_NO_STORE: entry(
    1,
    "There is no store at {path}.",
    "The first session makes one; --store, REFLOAT_STORE and REFLOAT_HOME say where to look.",
  ),
  E_STORE_FS_UNSAFE: entry(
    1,
    "The store {path} is on {fs}, where SQLite's log is unsafe.",
    "Put REFLOAT_HOME on a local disk, or use --store postgres://...",
  ),
  E_STORE_FOREIGN: entry(
    1,
    "The store {path} belongs to another user (uid {uid}).",
    "Use your own REFLOAT_HOME; a store is never shared by file permissions.",
  ),
  E_STORE_IN_WORKSPACE: entry(
    1,
    "The store {path} lies inside the workspace {workspace}.",
    "Put REFLOAT_HOME outside: the store must survive the loss of the workspace.",
  ),
  E_STORE_NOT_A_FILE: entry(
    1,
    "The store {path} is {found}, not a file.",
    "Give the path of the database file, or remove what is there.",
  ),
  E_STORE_NOT_OURS: entry(
    5,
    "{path} is not a refloat store: {why}.",
    "Nothing was changed. Point --store elsewhere.",
  ),
  E_STORE_TRUNCATED: entry(
    5,
    "The store {path} is there but empty: it was cut off by something else.",
    "Nothing was overwritten. `refloat store check --salvage` recovers what its log still holds.",
  ),
  E_STORE_MISSING: entry(
    5,
    "The store {path} is gone, but what belonged to it is still there: {left}.",
    "Put the file back from a backup, or `refloat store check --salvage`. A new store is not started over it.",
  ),
  E_STORE_MOVED: entry(
    5,
    "The store {path} was moved, replaced or deleted while it was open: {file} is not the file it was.",
    "Nothing of this write counts as saved. Put the files back, or open the store again; what was saved before is where the files are now.",
  ),
  E_STORE_DAMAGED: entry(
    5,
    "The store {path} is damaged: {why}.",
    "`refloat store check --salvage` copies every whole record into a new store and keeps the old one.",
  ),
  E_STORE_TAIL_LOST: entry(
    5,
    "The store {path} has session {session} up to record {found}, but had reached {expected}: its log was cut off by something else.",
    "`refloat store check` shows what is there; `refloat store check --accept-loss` goes on with it and records the loss.",
  ),
  E_STORE_NEWER: entry(
    1,
    "The store {path} was written by a newer refloat (schema {found}, this one knows {known}).",
    "Update refloat. The store was not changed.",
  ),
  E_STORE_SYNC: entry(
    1,
    "The store does not run with synchronous=FULL but {found}.",
    "Nothing counts as saved. A server: turn fsync on. A file: this is a defect of refloat, please report it.",
  ),
  E_STORE_BUSY: entry(
    75,
    "The store's write lock was not free for {ms} ms.",
    "Another process holds it; `refloat claim status` shows who writes. Try again.",
  ),
  E_STORE_FULL: entry(
    75,
    "The disk of {path} is full: nothing of this write was saved.",
    "Free some space and try again; what was saved before can still be read.",
  ),
  E_DISK_FULL: entry(
    75,
    "The disk of {path} is full: nothing of this write was saved there.",
    "Free some space there and try again; the store is another matter, and what was saved can still be read.",
  ),
  E_STORE_IN_USE: entry(
    4,
    "The store {path} is open in another process (pid {pids}).",
    "End it first: what it still writes would go to the old file.",
  ),
  E_STORE_READ_ONLY: entry(
    1,
    "The store {path} cannot be written: it is read-only.",
    "Reading works. In a sandbox, let it write the store's folder; else make it writable, or point --store elsewhere.",
  ),
  E_STORE_IO: entry(
    75,
    "The store could not be read or written: {why}.",
    "Nothing of this write counts as saved. Check the disk, then try again.",
  ),
  E_STORE_CAP: entry(
    1,
    "The store's contents have reached their cap of {cap} bytes.",
    "`refloat store gc`, settle or forget old sessions; `refloat store info` says what is there.",
  ),
  E_STORE_LOST: entry(
    75,
    "The connection to the store was lost; whether the last write was saved is not known.",
    "Try again: the same record ids make a second write harmless.",
  ),
  E_STORE_UNREACHABLE: entry(
    75,
    "The store {url} cannot be reached: {why}.",
    "Check the address and that the server runs.",
  ),
  E_OUTPUT: entry(
    75,
    "The result could not be written to stdout: {why}.",
    "What the command did stays done. Free some space or write it elsewhere, and ask again.",
  ),
  E_NO_FILE: entry(1, "{path} cannot be read: {why}.", "Check the path and its permissions."),
  E_EXISTS: entry(1, "{path} already exists.", "Give another path; refloat does not overwrite."),
  E_IMPORT: entry(
    1,
    "The import stopped at line {line}: {why}.",
    "Sessions before that line are in; running it again is harmless.",
  ),
  E_GIT_MISSING: entry(
    1,
    "git cannot be started: {why}.",
    "Install git 2.36 or newer and put it on the PATH.",
  ),
  E_GIT_TOO_OLD: entry(
    1,
    "git {found} is too old: refloat needs {needed} or newer.",
    "Update git. Older ones cannot sync what they write.",
  ),
  E_GIT_REDIRECTED: entry(
    1,
    "The repository of {path} leads elsewhere: {why}.",
    "Nothing was read there. Work in the directory the repository belongs to, or take the redirection away.",
  ),
  E_GIT_UNSAFE: entry(
    1,
    "The repository of {path} could run programs: {why}.",
    "Nothing was read there. `git config --list --show-origin` shows its configuration; take that out of it.",
  ),
  E_GIT_BARE: entry(
    1,
    "{path} is a bare repository: it has no work tree.",
    "Nothing was read there. Work in one of its work trees (`git worktree list`), or in a clone.",
  ),
  E_GIT_OWNER: entry(
    1,
    "The repository of {path} belongs to another user (uid {uid}), and git does not trust it.",
    "If you do: `git config --global --add safe.directory {path}`. refloat never does that for you.",
  ),
  E_GIT_FAILED: entry(
    1,
    "`git {command}` failed: {why}.",
    "What it was needed for was not done. Run the command yourself to see more.",
  ),
  E_GIT_LIMIT: entry(
    75,
    "`git {command}` was stopped: {why}.",
    "Nothing was captured or compared. Try again when the machine is less busy, or name the paths.",
  ),
  ...LIBRARY_ERRORS,
  ...ACT_ERRORS,
  E_BAD_CONFIG: entry(
    1,
    "{path} cannot be used: line {line}, column {column}: {why}.",
    "Correct it, and commit that: refloat.json counts as committed. schemas/refloat.json tells editors what fits.",
  ),
  E_NO_CAPTURE: entry(1, "There is no capture {what}.", "`refloat captures` lists them."),
  E_AMBIGUOUS_CAPTURE: entry(
    1,
    "{what} names more than one capture: {matches}.",
    "Type more characters of the id.",
  ),
  E_CAPTURE_GAP: entry(
    1,
    "Nothing was captured: {path} cannot be held ({why}).",
    "It was asked for by name, so there is no capture without it (W4).",
  ),
  E_CAPTURE_MOVING: entry(
    75,
    "Nothing was captured: {what} changed while it was read, {tries} times.",
    "Try again when git is at rest.",
  ),
  E_NOT_IN_WORKSPACE: entry(
    64,
    "{path} is not in the workspace {workspace}.",
    "Give paths inside it, or another directory with -C.",
  ),
  E_GIT_NAME: entry(
    1,
    "{path} has a name that git keeps for itself.",
    "Nothing was written there. What names it was not made by refloat; look at it before you take anything from it.",
  ),
  E_FOLDER_TOO_WIDE: entry(
    1,
    "{path} is {what}: it is not captured as a plain folder.",
    "Work in a folder of its own, or in a git repository.",
  ),
  E_UNDER_MARK: entry(
    1,
    "A process of the session {session} may not {what}.",
    "The judged may not write the judge: do it yourself, outside the session (T2).",
  ),
  E_NO_OPERATION: entry(
    1,
    "There is no open operation{what} in this session.",
    "`refloat op list` shows those of this workspace.",
  ),
  E_NOT_STOPPED: entry(
    75,
    "{session} was asked to stop and still runs after {seconds} s.",
    "It may be draining: try again, or see who holds it: `refloat claim status {session}`.",
  ),
  E_DELIVERY_GIVEN_UP: entry(
    1,
    "The delivery {id} was given up: {why}.",
    "The answer is in the conversation `{session}`: `refloat log {session}`. Send it by other means.",
  ),
  E_NEEDS_YES: entry(
    1,
    "This would change something and nobody can be asked.",
    "Add --yes to do what the plan above says.",
  ),
  E_NO_REASON: entry(64, "Taking a claim over needs a reason.", "Add --reason WHY: it is recorded."),
  E_STILL_ALIVE: entry(
    4,
    "The owner {by} is alive: {why}.",
    "Stop it first (an agent's session by `refloat stop {session}`), then break the claim.",
  ),
  E_NO_STATE: entry(1, "There is no state file in {folder}{left}.", "{instead}"),
  ...STATE_ERRORS,
  ...RESUME_ERRORS,
  ...RUN_ERRORS,
  ...SEND_ERRORS,
  ...BUCKET_ERRORS,
  E_UNSUPPORTED: entry(1, "{what} is not supported here: {why}.", "{instead}"),
  ...SETTLE_ERRORS,
  E_INTERNAL: entry(
    1,
    "A defect in refloat: {why}.",
    "Please report it with the output of `refloat store info --json`.",
  ),
} as const satisfies Record<string, ErrorEntry>;

export type ErrorCode = keyof typeof ERRORS;
export type ErrorData = Readonly<Record<string, string | number | null | undefined>>;

export class RefloatError extends Error {
  override readonly name: string = "RefloatError";
  readonly code: ErrorCode;
  readonly hint: string;
  readonly data: ErrorData;

  constructor(code: ErrorCode, data: ErrorData = {}, cause?: unknown) {
    super(fill(ERRORS[code].message, data), cause === undefined ? undefined : { cause });
    this.code = code;
    this.hint = fillHint(ERRORS[code].hint, data);
    this.data = data;
  }
}

/** For a promise's `catch`: the value where it failed with this code; everything else is thrown on. */
export const giving =
  <T>(value: T, code: ErrorCode) =>
  (thrown: unknown): T => {
    if (thrown instanceof RefloatError && thrown.code === code) return value;
    throw thrown;
  };

/** A value thrown by somebody else, as an Error: never loses the original. */
export function ensureError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown), { cause: thrown });
}
