/** What may keep groups from being settled, or an act on the tree, the index or a ref from being done; part of the catalogue in errors.ts. */
import { entry } from "./error-entry.ts";

/** Errors of settling. */
export const SETTLE_ERRORS = {
  E_NO_GROUP: entry(1, "There is no group {what}.", "`refloat inspect` lists them with their ids."),
  E_AMBIGUOUS_GROUP: entry(
    1,
    "{what} names more than one group: {matches}.",
    "Type more characters of the id.",
  ),
  E_NOT_ADOPTED: entry(
    1,
    "No session was recorded here: nobody knows whose these changes are.",
    "Name a group with --group, or take all of them as yours with --adopt.",
  ),
  E_NOT_OWNED: entry(
    1,
    "The group {group} is not the session's: {why}.",
    "Its owner settles it: `refloat settle {owner}`.",
  ),
  E_NO_GIT: entry(
    1,
    "{path} is no git repository: {why}.",
    "In a plain folder capture, park, discard and restore work; the rest wants `git init`.",
  ),
  E_NO_COMMITS: entry(
    1,
    "The capture {capture} holds files only, no commits.",
    "`refloat restore {capture} --to DIR` copies them. Commits are held by `refloat guard PATH --hold`.",
  ),
  E_UNBORN: entry(
    1,
    "The branch {branch} has no commit yet.",
    "Name the groups with --group: a policy never makes the first commit.",
  ),
  E_NO_IDENTITY: entry(
    1,
    "Git does not know who you are: {missing} is not set.",
    "git config --global user.name 'Your Name' && git config --global user.email you@example.com",
  ),
  E_BAD_BRANCH: entry(1, "Git does not take {branch} for the name of a branch.", "Choose another name."),
  E_BRANCH_EXISTS: entry(1, "There is a branch {branch} already; it stays as it is.", "Choose another name."),
  E_HOOK_NOT_RUN: entry(
    1,
    "The hook {hook} cannot be run {where}: {why}.",
    "Nothing was committed. {instead}--hooks skip leaves it out.",
  ),
  E_HOOK_FAILED: entry(
    1,
    "The hook {hook} said no (exit {code}): {why}",
    "Nothing was committed. {instead}--hooks skip leaves it out.",
  ),
  E_HOOK_CHANGED: entry(
    1,
    "The hook {hook} changed files: {paths}.",
    "Nothing was committed. --accept-hook-changes takes them, undoably; --hooks skip leaves the hook out.",
  ),
  E_HOOK_CHANGED_TREE: entry(
    1,
    "The hook {hook} changed files in your work tree: {paths}.",
    "Nothing was committed. Name the paths to commit them as they are now; `refloat captures` has what was there.",
  ),
  E_HOOK_CHANGED_MORE: entry(
    1,
    "A hook changed what is not committed here, or not whole: {paths}.",
    "Nothing was committed. Run the hook yourself and commit, or leave it out (--hooks skip).",
  ),
  E_SIGNING_NEEDS_YOU: entry(
    1,
    "Your commits are signed, and signing did not work without you: {why}.",
    "Unlock your key (sign something at a terminal), then settle again.",
  ),
  E_NOT_REMOVABLE: entry(
    1,
    "Nothing was changed: {path}: {why}.",
    "`refloat worktrees` says what keeps each of them.",
  ),
  E_REMOVAL_CUT_OFF: entry(
    1,
    "The files of {path} are taken out and held, but it stays: {what} came into it meanwhile.",
    "`refloat undo` brings them back.",
  ),
  E_NO_PARKED: entry(1, "Nothing is parked under the name {what}.", "`refloat parked` lists what is."),
} as const;

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
    "Nothing is lost. Put the folder back; the next command that may write finishes what was begun, or rolls it back.",
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
  E_NOTHING_TO_UNDO: entry(
    1,
    "There is nothing to {what}: {why}.",
    "`refloat redo` does again what was undone last; `refloat captures` lists what is held.",
  ),
  E_PLAN_CHANGED: entry(
    1,
    "What session {session} left, or what can be done with it, is another by now than when the plan was shown. Nothing was changed.",
    "Look at the plan again, then agree to that one.",
  ),
  E_NOTHING_CHOSEN: entry(
    1,
    "There is nothing to decide in session {session}.",
    "`refloat inspect {session}` shows what it left.",
  ),
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
