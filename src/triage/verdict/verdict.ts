/** One group's verdict from its rules, the user's path rules and overrides. Pure (J1 to J5 of judge.ts). */
import { isWithin } from "../../model/path-name.ts";
import { stateKey } from "../../model/path-state.ts";
import { globMatcher } from "../../text/glob.ts";
import type { Verdict } from "../facts/known/triage-facts.ts";
import { isWitness } from "../links/operations.ts";
import { needsWord } from "../links/self-contained.ts";
import { workflowOf } from "../links/workflow-records.ts";
import { overrideKey } from "../rules/evidence/all-changes.ts";
import { closingOf } from "../rules/evidence/closings.ts";
import type { GroupView } from "../rules/evidence/group-view.ts";
import { found, naming, type Rule, type RuleFinding } from "../rules/rule.ts";
import { NOTE_RULES, RISKY_RULES, SAFE_RULES } from "../rules/table.ts";
import type { Group, Reason } from "./group.ts";

interface SpokenFinding extends RuleFinding {
  readonly rule: Rule;
}

export function judgeGroup(view: GroupView): Group {
  const risky = speak(RISKY_RULES, view);
  const notes = speak(NOTE_RULES, view);
  const [moving, gaps] = [movingReasons(view), gapReasons(view)];
  const safe = safeSpoken(view, notes);
  const covered = new Set(safe.flatMap(({ members }) => members));
  const isCovered = view.members.every((member) => covered.has(member));
  const ruled = userRules(view);
  const override = overrideOf(view);
  const evidence = [...ruled, ...risky.map(reasonOf), ...(isCovered ? safe.map(reasonOf) : [])];
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
    reasons: evidence,
  });
  const shown = reasons.length > 0 ? reasons : [noEvidence(view)];
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
  readonly reasons: readonly Reason[];
}

/** J5 first, then the user's word, then J1; across a gap nothing is safe, whoever says so (J4). */
function decide({ isMoving, isWhole, override, reasons }: VerdictGrounds): Verdict {
  if (isMoving) return "unknown";
  if (override !== null && (isWhole || override !== "safe")) return override;
  if (reasons.some(({ weight }) => weight === "risky")) return "risky";
  if (!isWhole || reasons.some(({ rule, weight }) => rule === "path-rule" && weight === "note"))
    return "unknown";
  return reasons.some(({ weight }) => weight === "safe") ? "safe" : "unknown";
}

/** What rules say, without what the user switched off for those paths. */
function speak(rules: readonly Rule[], view: GroupView): SpokenFinding[] {
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

/** Doubts about whether all of it is there. A check that passes on what was said to be done takes them away (DESIGN 8). */
export const DOUBTS_OF_END: ReadonlySet<string> = new Set(["open-end", "no-evidence", "unseen-name"]);

/**
 * A note takes the agent's word away. A check's, too: it passes on half a file as well as on a whole one, as long as nothing
 * it runs needs the other half, so of what nobody even said is done it proves no end. Where somebody did, if only by ending
 * with 0, the check is the witness that was missing, and doubts about the end go; other notes stay. A record or a journal
 * needs no word; but what git is told not to look at nobody takes up unasked, however safe it looks, of what could not be
 * looked into nothing is known, and a record of work that is not committed is not committed without it.
 */
const TAKES_ALL: ReadonlySet<string> = new Set(["hidden-from-git", "not-looked-into", "describes-unready"]);

function safeSpoken(view: GroupView, notes: readonly SpokenFinding[]): SpokenFinding[] {
  const noted = new Set(notes.flatMap(({ members }) => members));
  const rest = needsWord(view);
  const isFinished = rest.length > 0 && closingOf(view, rest) !== null;
  const unchecked = new Set(
    notes.flatMap(({ rule, members }) => (isFinished && DOUBTS_OF_END.has(rule.slug) ? [] : members)),
  );
  const hidden = new Set(notes.flatMap(({ rule, members }) => (TAKES_ALL.has(rule.slug) ? members : [])));
  return speak(SAFE_RULES, view).flatMap((all) => {
    const spoken =
      hidden.size === 0 ? all : { ...all, members: all.members.filter((one) => !hidden.has(one)) };
    const { rule, members } = spoken;
    if (rule.slug === "verified")
      return [{ ...spoken, members: members.filter((one) => !unchecked.has(one)) }];
    return rule.slug === "closed-and-sound" && all.members.some((one) => noted.has(one)) ? [] : [spoken];
  });
}

const WORDLESS: ReadonlySet<string> = new Set(["append-only", "record-update"]);

/** Where a journal, a record or a check is safe without a word, what only takes words away is not said: it would contradict. */
function isHeard({ rule, members }: SpokenFinding, safe: readonly SpokenFinding[]): boolean {
  const overruling = safe.filter(({ rule: { slug } }) =>
    slug === "verified" ? DOUBTS_OF_END.has(rule.slug) : rule.slug === "open-end" && WORDLESS.has(slug),
  );
  const settled = new Set(overruling.flatMap((one) => one.members));
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
  return [{ rule: "moving", weight: "note", message, evidence: written.map(({ path }) => path) }];
}

/** J4: what is not held, or was not looked at. */
function gapReasons({ members }: GroupView): Reason[] {
  const gaps = members.filter(({ gap }) => gap !== null);
  const [first] = gaps;
  if (!first) return [];
  const message = `${naming(gaps.length, first.path, "is not held", "are not held")} whole, so nothing rests on ${gaps.length === 1 ? "it" : "them"}.`;
  const evidence = gaps.map(({ path, gap }) => `${path}: ${gap}`);
  return [{ rule: "gap", weight: "note", message, evidence }];
}

function userRules({ members, facts }: GroupView): Reason[] {
  return facts.pathRules.rules.flatMap(({ paths, verdict, reason }): Reason[] => {
    const isMeant = globMatcher(paths);
    const meant = members.filter(({ path }) => isMeant(path)).map(({ path }) => path);
    if (verdict === undefined || meant.length === 0) return [];
    const message = reason ?? `The user's rules call ${naming(meant.length, meant[0] ?? "")} ${verdict}.`;
    return [{ rule: "path-rule", weight: verdict === "risky" ? "risky" : "note", message, evidence: meant }];
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
    reason: { rule: "override", weight, message, evidence: members.map(({ path }) => path) },
  };
}

function writers({ members, all }: GroupView): Reason[] {
  const found = members.flatMap(({ path }) => all.writers.get(path) ?? []);
  return found.map(({ message, history }) => ({
    rule: "recurring-writer",
    weight: "note",
    message,
    evidence: history,
  }));
}

function noEvidence({ members, references, operations }: GroupView): Reason {
  const passing = operations.find((operation) => !isWitness(operation));
  const { message, evidence } = found(
    passing === undefined
      ? "Nothing speaks against it, and nothing shows that it is whole."
      : `The END of "${passing.label}" was only read in what the agent printed, while it went on: nothing shows what was there by then. For \`refloat op end\` it waits.`,
    members,
    members.map(({ path, after }) => {
      const why = after?.parse.kind === "unparsed" ? `: ${after.parse.why}` : "";
      return `${path}${why}`;
    }),
  );
  const unfollowed = references.unfollowed;
  return { rule: "no-evidence", weight: "note", message, evidence: [...unfollowed, ...evidence] };
}

const reasonOf = ({ rule, message, evidence }: SpokenFinding): Reason => ({
  rule: rule.slug,
  weight: rule.weight,
  message,
  evidence,
});
