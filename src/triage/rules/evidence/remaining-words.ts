/**
 * Words by which an agent says that its work is not done (T2): what it says of itself is a claim, and this one speaks
 * against safe. Few and plain, each tried on both sides (remaining-words.test.ts): an alarm costs a look, a miss costs a
 * half-done commit, and a list that grows costs both. English is here, what others answer in is in remaining-languages.ts. Pure.
 */
import { sentencesOf } from "../../../text/telling-text.ts";
import { REMAINING_LANGUAGES } from "./remaining-languages.ts";

export interface RemainingWords {
  /** `left`: something is not done. `next`: what it will do now, which need not be about this piece of work. */
  readonly kind: "left" | "next";
  readonly sentence: string;
}

/** What an agent says of its work as a whole it says at the end. */
const LAST_SENTENCES = 8;
/** A longer line is a listing, or data. */
const MAX_SENTENCE_CHARS = 4096;

const WORK =
  "(?:work|steps?|tasks?|items?|parts?|pieces?|places?|files?|callers?|call sites?|modules?|tests?|changes?|edits?|migrations?|functions?|features?)";
const VERBS =
  "(?:do(?:ne)?|finish(?:ed)?|migrated?|updated?|converted?|ported?|fix(?:ed)?|implement(?:ed)?|written?|write|add(?:ed)?|wired?(?: up| in)?|completed?|handled?|changed?|moved?|renamed?)";

const LEFT: readonly RegExp[] = [
  /\b(?:stop|stopping|stopped|paus(?:e|ing|ed)|leav(?:e|ing) (?:it|this|things|off)|break)\b.{0,30}\bfor (?:now|today|the moment|the time being)\b/i,
  /(?:\bnot|n't)(?: yet| quite| fully| entirely| all| completely| been)* (?:finished|done|complete|completed|implemented|migrated|wired)\b(?! (?:anything|so)\b)/i,
  /\bunfinished\b|\bhalf[- ](?:done|finished|complete|migrated)\b|\bpartial(?:ly)? (?:done|finished|completed?|implement\w*|migrat\w*)\b|\b(?:is|are|still|it's|this is) (?:incomplete|(?:a )?work in progress|wip)\b/i,
  new RegExp(
    `\\b(?:left|remain(?:s|ing)?|still|yet|things|more|lots?|much|work)(?: things?)? to (?:be )?${VERBS}\\b`,
    "i",
  ),
  new RegExp(`\\b(?:i|we) still (?:need|have) to\\b|\\bstill needs? (?:to be|${VERBS}ing)\\b`, "i"),
  new RegExp(
    `\\b${WORK} (?:still )?(?:remain(?:s|ing)?|(?:is|are) (?:still )?(?:left|missing|outstanding))\\b(?! (?:unchanged|the same|as|in place|compatible))`,
    "i",
  ),
  new RegExp(`^(?:todos?\\b\\s*[:-]|(?:still )?remaining(?: ${WORK})?\\s*:)`, "i"),
  /\b(?:ran|run|running) out of (?:time|budget|context|tokens|turns|steps)\b|\bto be continued\b/i,
  /\b(?:could|can|was|were)(?: not|n't)(?: able to)? (?:finish|complete|get to)\b/i,
  /\b(?:others?|rest|remaining)\b.{0,40}\bstill needs?\b/i,
  /^(?:incomplete|wip)\b(?! (?:branch|commits?|limit)\b)/i,
  /\b(?:done with|finished|completed) (?:only )?the (?:first|1st) (?:part|half|step|phase)\b/i,
  // What agents print when somebody stops them in the middle of a tool, and exit with 0 all the same.
  /\binterrupted by (?:the )?user\b|\baborted_tools\b|\b(?:operation|request|execution|turn|session|tool call) (?:was |has been )?(?:aborted|cancelled|canceled|interrupted)\b/i,
];

/** "Part 1 of 3 is complete": the last one is no part of more. */
const PART_OF = /\b(?:part|step|phase|stage) (\d{1,4}) (?:of|\/) (\d{1,4})\b/i;

function isPartOfMore(sentence: string): boolean {
  const [, part, all] = PART_OF.exec(sentence) ?? [];
  return part !== undefined && Number(part) < Number(all);
}

const NEXT: readonly RegExp[] = [
  /\b(?:next|then|now|after that|tomorrow|later),? (?:i|we)(?:'ll| will|'m going to| am going to|'re going to| are going to)\b/i,
  /\b(?:i|we|work)(?:'ll| will|'m going to| am going to| are going to) (?:now |then |next )?(?:continue|resume|proceed|finish|carry on|go on|move on|pick (?:it|this) up)\b/i,
  // Not the goodbye of a program: "To resume this session: pi --session 7".
  /^(?:will|to) (?:continue|resume|finish)\b(?! (?:this|that|the|your) (?:session|conversation|chat)|,? (?:run|type|use|call)\b|:)/i,
  /^(?:now|next),? let me\b(?! know)/i,
];

/** The same words where they say the contrary, or speak of what was so: "nothing remains to be done", "no TODOs left". */
const NONE =
  /\b(?:no|nothing|none|zero|0|without|isn't anything|not anything|nobody)\b.{0,40}\b(?:remain\w*|left|unfinished|incomplete|todos?|outstanding|missing|to (?:be )?(?:do(?:ne)?|finish\w*)|needs?|partial\w*|half)\b|\bno (?:further|more|other) \w+/i;
const BEFORE =
  /\b(?:was|were|had been|used to be|previously|no longer)\b.{0,30}\b(?:not|unfinished|incomplete|half|partial\w*)\b|\bif (?:it|this|they|not|you|anything|something)\b|\?\s*$/i;

/** The last words of a text that say that work remains; null: none do. */
export function remainingWords(text: string): RemainingWords | null {
  const said = sentencesOf(text.slice(-LAST_SENTENCES * MAX_SENTENCE_CHARS))
    .slice(-LAST_SENTENCES)
    .filter((one) => one.length <= MAX_SENTENCE_CHARS)
    .map((sentence) => ({ sentence, plain: sentence.replaceAll("\u2019", "'") }))
    .filter(({ plain }) => !NONE.test(plain) && !BEFORE.test(plain));
  const found = (says: (plain: string) => boolean): string | undefined =>
    said.findLast(({ plain }) => says(plain))?.sentence;
  const left = found(
    (plain) => LEFT.some((one) => one.test(plain)) || isPartOfMore(plain) || inOthers(plain, "left"),
  );
  if (left !== undefined) return { kind: "left", sentence: left };
  const next = found((plain) => NEXT.some((one) => one.test(plain)) || inOthers(plain, "next"));
  return next === undefined ? null : { kind: "next", sentence: next };
}

/** Each language takes its own words back, and no other's. */
const inOthers = (plain: string, kind: RemainingWords["kind"]): boolean =>
  REMAINING_LANGUAGES.some((language) => language[kind].test(plain) && !language.none.test(plain));
