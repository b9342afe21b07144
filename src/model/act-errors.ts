/** What may keep an act on the tree, the index or a ref from being done; part of the catalogue in errors.ts. */
import { entry } from "./error-entry.ts";

export const ACT_ERRORS = {
  E_ACT_BUSY: entry(
    4,
    "Something is being changed in this workspace by {by}.",
    "Nothing was changed. Wait for it; if it cannot be reached any more: `refloat claim break {session} --reason WHY`.",
  ),
  E_ACT_BROKEN_OFF: entry(
    75,
    "The plan {plan} was broken off in the middle: {why}.",
    "Nothing is lost. Remedy the cause; the next command that may write goes on with it.",
  ),
  E_ACT_MOVED_AWAY: entry(
    75,
    "The folder of {path} was moved away while it was being changed.",
    "Nothing is lost. Put the folder back; the next command that may write settles what was begun.",
  ),
  E_ACT_NO_LINKS: entry(
    1,
    "Nothing was changed: the file system of {path} has no hard links.",
    "Restore into a folder on another one (`restore --to DIR`), and copy from there.",
  ),
  E_ACT_NO_ROOM: entry(
    75,
    "Nothing was changed: {path} needs {needed} bytes of room for this, and only {free} are free.",
    "Free some space and try again.",
  ),
  E_ACT_UNPROVED: entry(
    1,
    "Nothing was changed: without /proc/self/fd a path cannot be walked safely.",
    "Restore into a folder of its own instead, and copy from there (W3).",
  ),
  E_INDEX_LOCKED: entry(
    75,
    "Nothing was changed: another git command holds {path}.",
    "Try again when it has ended. If none runs, git itself left that file: remove it.",
  ),
  E_REF_LOCKED: entry(
    75,
    "Nothing was changed: another git command holds {path}.",
    "Try again when it has ended. If none runs, git itself left that file: remove it.",
  ),
  E_REF_MOVED: entry(
    75,
    "Nothing was changed: {ref} is at {found}, not at {expected}.",
    "Somebody moved it meanwhile. Look again, then try again.",
  ),
  E_NO_OBJECT: entry(
    1,
    "Git's object {id} is not in the repository any more, and the store does not hold it.",
    "It was too large to be held, or collected before refloat saw it; what is in the tree is unharmed.",
  ),
  E_REF_BACKWARDS: entry(
    1,
    "Nothing was changed: {ref} would go back, but {why}.",
    "A commit that others may have seen is taken back by another commit (W2).",
  ),
  E_BRANCH_ELSEWHERE: entry(
    1,
    "Nothing was changed: {ref} is checked out in {path} too.",
    "Do it there, or switch that worktree to another branch.",
  ),
  E_GIT_IN_PROGRESS: entry(
    1,
    "Nothing was changed: git has not ended its {what}.",
    "End it or abort it first.",
  ),
  E_NOTHING_TO_UNDO: entry(1, "There is nothing to {what}: {why}.", "`refloat captures` lists what is held."),
  E_NO_PLAN: entry(
    1,
    "There is no plan {what} here.",
    "Every act prints the id of its plan, and its JSON has it; undo without --plan takes back the newest.",
  ),
  E_UNDO_ELSEWHERE: entry(
    1,
    "Nothing was changed: that was done on {branch}, and HEAD is on {found}.",
    "Try again there: `git switch {branch}`.",
  ),
  E_UNDO_REWRITTEN: entry(
    1,
    "Nothing was changed: {branch} does not have the commit {commit} any more; it was rewritten.",
    "What was parked comes back with `refloat unpark`, bytes of a capture with `refloat restore`; `refloat captures` lists them.",
  ),
  E_UNDO_BLOCKED: entry(
    1,
    "The plan {plan} is not the last on its paths: {by} ({act}) touched one of them later.",
    "Last in, first out: `refloat undo --plan {by}` comes first.",
  ),
  E_NOT_IN_CAPTURE: entry(
    1,
    "The capture {capture} did not look at {path}.",
    "It was taken of other paths only; `refloat captures` lists them all.",
  ),
  E_NO_PATH: entry(
    1,
    "There is no {path} {where}.",
    "Names are as seen from where you are; `refloat diff {capture}` lists what differs.",
  ),
  E_NOT_EMPTY: entry(
    1,
    "{path} is {what}.",
    "Nothing was written. Name a folder that is not there yet, or an empty one.",
  ),
} as const;
