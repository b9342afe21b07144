/**
 * What the agent said of its work and the workspace denies (T2): said committed, but HEAD did not move; said that tests
 * pass, but the last test call failed or none ever ended; said done, with an operation open. Pure. Only the end of what
 * it said counts, and only plain statements: intentions, questions and denials are not claims.
 */
import type { FoldedCall } from "../../conversation/fold.ts";
import { sentencesOf } from "../../text/telling-text.ts";
import { commandOf } from "./call-check.ts";
import { hasFailed, type SessionStory } from "./session-story.ts";

export interface Contradiction {
  readonly claim: "committed" | "tests-pass" | "done";
  /** The sentence it was said in. */
  readonly said: string;
  readonly evidence: string;
}

/** What an agent says of the whole of its work, it says at the end. */
const LAST_MESSAGES = 3;

const NO_CLAIM =
  /\b(?:not|n't|never|nothing|none|without|no longer|cannot|will|would|should|shall|must|going to|want|need|let me|let's|next|before|once|until|when|if|unless|todo|fail(?:s|ed|ing)?|please|could|can you|wait)\b|\?\s*$/i;
const COMMITTED =
  /\b(?:i(?:'ve| have)?|we(?:'ve| have)?|it(?:'s)?|this|these|they|both|changes?|work|fix(?:es)?|updates?|files?|code|edits?|all|everything|now|successfully)\b.{0,60}\bcommitted\b|^committed\b|\b(?:created|made|added) (?:a|the|one) (?:new )?commit\b|\bcommit (?:is|was|has been)? ?(?:created|made)\b/i;
/** A state of mind. */
const DEVOTED =
  /\b(?:am|are|'m|'re|remain) committed to (?!git\b|main\b|master\b|head\b|the (?:repo|branch))/i;
const TESTS_PASS =
  /\b(?:tests?|test suite|suite|checks?|specs?)\b.{0,40}\b(?:pass(?:es|ed|ing)?|green|succeed(?:s|ed)?)\b/i;
const DONE =
  /^(?:all )?(?:done|finished|completed?)\b|\b(?:is|are|everything|task|work|migration|refactor(?:ing)?|implementation)\b.{0,40}\b(?:done|complete(?:d)?|finished)\b|\bi(?:'ve| have) (?:finished|completed)\b/i;
const TEST_COMMAND =
  /\b(?:(?:npm|pnpm|yarn|bun)\s+(?:run\s+)?test|vitest|jest|mocha|pytest|tox|nosetests|unittest|go\s+test|cargo\s+(?:nextest|test)|make\s+(?:test|check)|mvn\s+(?:\S+\s+)*test|gradlew?\s+(?:\S+\s+)*(?:test|check)|rspec|phpunit|ctest|dotnet\s+test)\b/;

/** It was told to run tests. */
export const isTestCall = ({ input }: Pick<FoldedCall, "input">): boolean =>
  TEST_COMMAND.test(commandOf(input) ?? "");

export interface WorkEvidence {
  /** HEAD when the session began; null: not known. */
  readonly headAtBegin: string | null;
  readonly headNow: string | null;
  readonly hasOwnChanges: boolean;
}

/** A session's story with the operations it marked in text. */
type SpokenStory = Pick<SessionStory, "messages" | "calls"> & {
  readonly operations: readonly { readonly label: string; readonly state: string }[];
};

export function contradictions(story: SpokenStory, evidence: WorkEvidence): Contradiction[] {
  const sentences = story.messages.slice(-LAST_MESSAGES).flatMap(({ text }) => sentencesOf(text));
  const claims = sentences.filter((one) => !NO_CLAIM.test(one));
  return [...committed(claims, evidence), ...testsPass(claims, story.calls), ...done(claims, story)];
}

function committed(
  claims: readonly string[],
  { headAtBegin, headNow, hasOwnChanges }: WorkEvidence,
): Contradiction[] {
  const said = claims.findLast((one) => COMMITTED.test(one) && !DEVOTED.test(one));
  if (said === undefined || headAtBegin === null || headAtBegin !== headNow || !hasOwnChanges) return [];
  return [{ claim: "committed", said, evidence: "HEAD did not move since the session began" }];
}

function testsPass(claims: readonly string[], calls: readonly FoldedCall[]): Contradiction[] {
  const said = claims.findLast((one) => TESTS_PASS.test(one));
  if (said === undefined) return [];
  const tests = calls.filter(isTestCall);
  const last = tests.findLast(({ result }) => result !== null && !result.isSynthetic);
  const why = last ? (hasFailed(last) ? "the last test call failed" : null) : "no test call ever ended";
  return why === null ? [] : [{ claim: "tests-pass", said, evidence: why }];
}

function done(claims: readonly string[], { operations }: SpokenStory): Contradiction[] {
  const said = claims.findLast((one) => DONE.test(one));
  const open = operations.find(({ state }) => state === "open");
  if (said === undefined || open === undefined) return [];
  return [{ claim: "done", said, evidence: `the operation ${open.label} never ended` }];
}
