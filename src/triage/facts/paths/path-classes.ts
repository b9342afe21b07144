/** What kind of place a path is, by the built-in globs and the user's own (path-rules.ts). */
import { globMatcher, type PathMatch } from "../../../text/glob.ts";
import { LOCKFILES, manifestKindOf, nameOfPath } from "../manifests/manifest-kinds.ts";
import { languageOf, natureOf } from "./languages.ts";
import { CONFIG_GLOBS, JOURNAL_GLOBS, JUDGE_GLOBS, type PathRules, RECORD_GLOBS } from "./path-rules.ts";

export interface PathClasses {
  readonly isJournal: PathMatch;
  readonly isRecord: PathMatch;
  readonly isConfig: PathMatch;
  readonly isJudge: PathMatch;
}

export function pathClasses(rules: PathRules): PathClasses {
  const journal = globMatcher([...JOURNAL_GLOBS, ...rules.journal]);
  const hiddenJournal = globMatcher(rules.journal.filter(isHidden));
  const records = globMatcher([...RECORD_GLOBS, ...rules.records]);
  return {
    // Never source code, whatever a glob says (DESIGN 8).
    isJournal: (path) =>
      !isSource(path) && !isManifest(path) && (isHidden(path) ? hiddenJournal(path) : journal(path)),
    isRecord: (path) => !isSource(path) && records(path),
    isConfig: globMatcher([...CONFIG_GLOBS, ...rules.config]),
    isJudge: globMatcher([...JUDGE_GLOBS, ...rules.judges]),
  };
}

/**
 * Nobody keeps a journal in a dotfile, and some are run by whoever enters the folder (`.envrc`): only a glob of the user's that
 * names one means it. A folder above that is hidden says nothing (`.agent/today.log`).
 */
const isHidden = (path: string): boolean => /(?:^|\/)journals?\/(?:.*\/)?\.|(?:^|\/)\.[^/]*$/s.test(path);

/** What it runs is judged, not that it grew (rules/paths.ts knows the others by their globs, and speaks for them). */
const isManifest = (path: string): boolean =>
  manifestKindOf(path) !== null || Object.values(LOCKFILES).some((names) => names.includes(nameOfPath(path)));

const isSource = (path: string): boolean => natureOf(languageOf(path)) === "source";
