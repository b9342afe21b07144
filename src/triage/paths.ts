/** What kind of place a path is, by the built-in globs and the user's own (path-rules.ts). */
import { globMatcher, type PathMatch } from "../text/glob.ts";
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
  const records = globMatcher([...RECORD_GLOBS, ...rules.records]);
  return {
    // Never source code, whatever a glob says (DESIGN 8).
    isJournal: (path) => !isSource(path) && journal(path),
    isRecord: (path) => !isSource(path) && records(path),
    isConfig: globMatcher([...CONFIG_GLOBS, ...rules.config]),
    isJudge: globMatcher([...JUDGE_GLOBS, ...rules.judges]),
  };
}

const isSource = (path: string): boolean => natureOf(languageOf(path)) === "source";
