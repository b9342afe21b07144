/** Errors of settling: part of the catalogue (errors.ts). */
/** As `ErrorEntry` of errors.ts, which takes these in. */
const entry = (exit: 1 | 3 | 4 | 64, message: string, hint: string) => ({ message, hint, exit });

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
