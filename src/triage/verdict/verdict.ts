/** One group's verdict from its rules, the user's path rules and overrides. Pure (J1 to J5 of judge.ts). */
import type { Verdict } from "../../model/manifest.ts";
import { isWithin } from "../../model/path-name.ts";
import { stateKey } from "../../model/path-state.ts";
import { globMatcher } from "../../text/glob.ts";
import { languageOf, natureOf } from "../facts/paths/languages.ts";
import { needsWord } from "../links/self-contained.ts";
import { workflowOf } from "../links/workflow-records.ts";
import { overrideKey } from "../rules/evidence/all-changes.ts";
import { closingOf } from "../rules/evidence/closings.ts";
import type { GroupView } from "../rules/evidence/group-view.ts";
import { type NoteRule, naming, type Rule, type RuleFinding, type SafeRule } from "../rules/rule.ts";
import { BESIDE, NOTE_RULES, RISKY_RULES, ruleOf, SAFE_RULES } from "../rules/table.ts";
import { finishedOf, verifiedRule } from "../rules/words.ts";
import type { Group, Reason } from "./group.ts";
import { nothingSpeaks } from "./nothing-speaks.ts";

interface SpokenFinding<R extends Rule = Rule> extends RuleFinding {
  readonly rule: R;
}

export function judgeGroup(view: GroupView): Group {
  const risky = speak(RISKY_RULES, view);
  const notes = speak(NOTE_RULES, view);
  const [moving, gaps] = [movingReasons(view), gapReasons(view)];
  const safe = safeSpoken(view, speak(SAFE_RULES, view), notes);
  const covered = new Set(safe.flatMap(({ members }) => members));
  const isCovered = view.members.every((member) => covered.has(member));
  const ruled = userRules(view);
  const override = overrideOf(view);
  // Beside what is risky nothing is said that speaks for safe: it would contradict the verdict.
  const isRisky = risky.length > 0 || ruled.some(({ weight }) => weight === "risky");
  const forSafe = isCovered && !isRisky ? safe.map(reasonOf) : [];
  const evidence = [...ruled, ...risky.map(reasonOf), ...forSafe];
  const reasons = [
    ...moving,
    ...gaps,
    ...(override ? [override.reason] : []),
    ...evidence,
    ...notes.filter((note) => isHeard(note, safe)).map(reasonOf),
    ...writers(view),
  ];
  const verdict = decide({
    isMoving: moving.length > 0,
    isWhole: gaps.length === 0,
    override: override?.verdict ?? null,
    isHeldBack: ruled.some(({ weight }) => weight === "note"),
    reasons: evidence,
  });
  const said = reasons.length > 0 ? reasons : [nothingSpeaks(view)];
  const shown = verdict === "unknown" && wouldPass(view, notes, said) ? forCheck(view, said) : said;
  const changes = view.members.map(({ fact }) => fact);
  const isWorkflowRecord = view.members.some((member) => workflowOf(member) !== null);
  if (!isWorkflowRecord) return { id: view.id, changes, verdict, reasons: shown };
  const describes = [...new Set(view.described.map(({ group }) => group))];
  return { id: view.id, changes, verdict, reasons: shown, isWorkflowRecord, describes };
}

interface VerdictGrounds {
  readonly isMoving: boolean;
  readonly isWhole: boolean;
  readonly override: Verdict | null;
  /** A rule of the user's keeps it from being safe. */
  readonly isHeldBack: boolean;
  readonly reasons: readonly Reason[];
}

/** J5 first, then the user's word, then J1; across a gap nothing is safe, whoever says so (J4). */
function decide({ isMoving, isWhole, override, isHeldBack, reasons }: VerdictGrounds): Verdict {
  if (isMoving) return "unknown";
  if (override !== null && (isWhole || override !== "safe")) return override;
  if (reasons.some(({ weight }) => weight === "risky")) return "risky";
  if (!isWhole || isHeldBack) return "unknown";
  return reasons.some(({ weight }) => weight === "safe") ? "safe" : "unknown";
}

/** What rules say, without what the user switched off for those paths. */
function speak<R extends Rule>(rules: readonly R[], view: GroupView): SpokenFinding<R>[] {
  return rules.flatMap((rule) => {
    const off = view.facts.pathRules.rules
      .filter((one) => one.off?.includes(rule.slug))
      .flatMap(({ paths }) => paths);
    const isOff = globMatcher(off);
    return rule
      .check(view)
      .filter(({ members }) => off.length === 0 || !members.every(({ path }) => isOff(path)))
      .map((one) => ({ ...one, rule }));
  });
}

/**
 * What still speaks for safe. Where nobody even said that the work is done, no check proves its end: then a doubt about the word
 * stands against the check, too. A word is about all that it closes: with a part of it gone, all of it is.
 */
function safeSpoken(
  view: GroupView,
  spoken: readonly SpokenFinding<SafeRule>[],
  notes: readonly SpokenFinding<NoteRule>[],
): SpokenFinding<SafeRule>[] {
  const rest = needsWord(view);
  const isFinished = rest.length > 0 && closingOf(view, rest) !== null;
  return spoken.flatMap((one) => {
    const { restsOn } = one.rule;
    const against = notes.filter(({ rule }) => isVoid(restsOn, rule, { isFinished }));
    const lost = new Set(against.flatMap(({ members }) => members));
    const members = one.members.filter((member) => !lost.has(member));
    return restsOn === "word" && members.length < one.members.length ? [] : [{ ...one, members }];
  });
}

/** Whether all it wants is a check of the user's that passes: what else is said of it, such a check answers. */
function wouldPass(
  view: GroupView,
  notes: readonly SpokenFinding<NoteRule>[],
  said: readonly Reason[],
): boolean {
  const { members, facts } = view;
  const vouched = finishedOf(view);
  // Of pages alone a check that passes says nothing that anybody would ask it for.
  if (needsWord(view).every(({ path }) => natureOf(languageOf(path)) === "prose")) return false;
  const isTried =
    facts.isImplied === true || members.every(({ fact: { owner } }) => owner.owner === "session");
  // What stands beside the table (a gap, a path rule, what still moves) no check answers.
  const isAnswered = said.every((reason) => ruleOf(reason).voids !== undefined);
  if (!isTried || !isAnswered) return false;
  const passed = { rule: verifiedRule, members: vouched, message: "", evidence: [] };
  const covered = new Set(
    safeSpoken(view, [...speak(SAFE_RULES, view), passed], notes).flatMap((one) => one.members),
  );
  return members.every((member) => covered.has(member));
}

/** Proposals complete the sentence (proposals.ts). Where one is trusted, whether it was run is said beside. */
function forCheck({ facts }: GroupView, reasons: readonly Reason[]): readonly Reason[] {
  if (facts.isWithoutProposal === true || facts.verify !== null) return reasons;
  const told = reasons.find((reason) => !ruleOf(reason).isQuoting) ?? reasons[0];
  return reasons.map((reason) => (reason === told ? { ...reason, check: null } : reason));
}

function isVoid(
  ground: SafeRule["restsOn"],
  { voids }: NoteRule,
  { isFinished }: { readonly isFinished: boolean },
): boolean {
  switch (ground) {
    case "word":
      return true;
    case "check":
      return voids !== "word" || !isFinished;
    case "bytes":
      return voids === "all";
    default:
      return ground satisfies never;
  }
}

/** Where a journal, a record or a check is safe without a word, what only takes words away is not said: it would contradict. */
function isHeard(
  { rule, members }: SpokenFinding<NoteRule>,
  safe: readonly SpokenFinding<SafeRule>[],
): boolean {
  const isAnswer = ({ restsOn }: SafeRule): boolean =>
    restsOn === "check" ? rule.voids === "word" : restsOn === "bytes" && rule.isOfEnd === true;
  const settled = new Set(safe.filter((one) => isAnswer(one.rule)).flatMap((one) => one.members));
  return !members.every((one) => settled.has(one));
}

/** J5: what a leftover or a live agent may still write. */
function movingReasons({ members, facts: { moving } }: GroupView): Reason[] {
  if (!moving) return [];
  const written = members.filter(
    ({ path }) =>
      moving.paths === "all" || moving.paths.some((at) => isWithin(path, at) || isWithin(at, path)),
  );
  if (written.length === 0) return [];
  const message = `It is still being written: ${moving.why}.`;
  return [{ rule: BESIDE.moving.slug, weight: "note", message, evidence: written.map(({ path }) => path) }];
}

/** J4: what is not held, or was not looked at. */
function gapReasons({ members }: GroupView): Reason[] {
  const gaps = members.filter(({ gap }) => gap !== null);
  const [first] = gaps;
  if (!first) return [];
  const message = `${naming(gaps.length, first.path, "is not held", "are not held")} whole, so nothing rests on ${gaps.length === 1 ? "it" : "them"}.`;
  const evidence = gaps.map(({ path, gap }) => `${path}: ${gap}`);
  return [{ rule: BESIDE.gap.slug, weight: "note", message, evidence }];
}

function userRules({ members, facts }: GroupView): Reason[] {
  return facts.pathRules.rules.flatMap(({ paths, verdict, reason }): Reason[] => {
    const isMeant = globMatcher(paths);
    const meant = members.filter(({ path }) => isMeant(path)).map(({ path }) => path);
    if (verdict === undefined || meant.length === 0) return [];
    const message = reason ?? `The user's rules call ${naming(meant.length, meant[0] ?? "")} ${verdict}.`;
    return [
      {
        rule: BESIDE.pathRule.slug,
        weight: verdict === "risky" ? "risky" : "note",
        message,
        evidence: meant,
      },
    ];
  });
}

const RANK: Readonly<Record<Verdict, number>> = { risky: 0, unknown: 1, safe: 2 };

/** Counts when it speaks of every member as it is now; of several, the worst. */
function overrideOf({
  members,
  all: { overrides },
}: GroupView): { readonly verdict: Verdict; readonly reason: Reason } | null {
  const said = members.map(({ path, change }) => overrides.get(overrideKey(path, stateKey(change.to))));
  const known = said.filter((one) => one !== undefined);
  const [worst] = known.toSorted((a, b) => RANK[a.verdict] - RANK[b.verdict]);
  if (!worst || known.length < members.length) return null;
  const { verdict, reason, by } = worst;
  const weight = verdict === "unknown" ? "note" : verdict;
  const message = `Judged ${verdict} by ${by}: ${reason}`;
  return {
    verdict,
    reason: { rule: BESIDE.override.slug, weight, message, evidence: members.map(({ path }) => path) },
  };
}

function writers({ members, all }: GroupView): Reason[] {
  const found = members.flatMap(({ path }) => all.writers.get(path) ?? []);
  return found.map(({ message, history }) => ({
    rule: BESIDE.recurringWriter.slug,
    weight: "note",
    message,
    evidence: history,
  }));
}

const reasonOf = ({ rule, message, evidence }: SpokenFinding): Reason => ({
  ...{ rule: rule.slug, weight: rule.weight, message, evidence },
  ...(rule.remedy === undefined ? {} : { remedy: rule.remedy }),
});
