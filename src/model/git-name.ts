/**
 * Names that git keeps for itself, wherever a tree may end up: `.git` in any case, with the characters HFS+ leaves out, and
 * as NTFS would read it (`git~1`, trailing dots and spaces, a stream behind a colon, a backslash as a slash). The rules are
 * git's own for what may be in an index, all of them on every system: a capture may be put back on another one. Whoever
 * writes such a name writes a repository's configuration, and with it what the user's next git runs (W3).
 */

/** What HFS+ does not see in a name. */
const UNSEEN = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/gu;
const KEPT_NAME = /^(?:\.git|git~1)[. ]*(?::|$)/i;
/** Most names have not even these letters in this order. */
const MAY_BE = /g.*i.*t/is;

/** One component of a path. */
export const isGitName = (name: string): boolean =>
  MAY_BE.test(name) && name.split("\\").some((part) => KEPT_NAME.test(part.replace(UNSEEN, "")));

/** Any component of a path. */
export const hasGitName = (path: string): boolean => MAY_BE.test(path) && path.split("/").some(isGitName);
