/** The one place that words what use cases tell while they are at work (app/telling/news.ts): lines of the narration on stderr. */
import type { AppNews, LeftoversOf, NamedPlan } from "../../app/telling/news.ts";
import { CAUSE_WORDS } from "../../model/causes.ts";
import type { PathName } from "../../model/path-name.ts";
import type { RecoveryOutcome } from "../../recover/recover-one.ts";
import type { RecreationEnd } from "../../salvage/worktrees/recreate-removed.ts";
import type { TravelEnd } from "../../salvage/worktrees/travel.ts";
import { shellLineWord } from "../../text/escape.ts";
import { shownPath } from "../../text/shown-path.ts";
import { unknownKeyText } from "../../text/unknown-key.ts";
import { checkedLines } from "./check-lines.ts";
import type { Output } from "./output.ts";
import { refusedLine, saidWords, waitingLine } from "./said-lines.ts";
import { shortId } from "./short-id.ts";
import { count, oneLine } from "./words.ts";

export function newsLines(news: AppNews, { typed, columns }: Pick<Output, "typed" | "columns">): string[] {
  switch (news.kind) {
    case "plan-ended": {
      const how = news.how === "finished" ? "finished" : "taken back";
      return [
        `The plan ${shortId(news.plan)} (${news.act}) of an earlier command was cut off; it was ${how}.`,
      ];
    }
    case "worktree-back":
      return broughtLines(news.end).map((line) => `refloat: ${typed(line)}`);
    case "said-answered":
      return news.answered.map((one) =>
        one.outcome === "refused"
          ? refusedLine(news.file, one)
          : `${saidWords(one.order)}: said in a sandbox, done now in ${oneLine(news.file)}.`,
      );
    case "said-left": {
      const { waiting, refused } = news.about;
      return [
        ...refused.map((one) => refusedLine(news.file, one)),
        ...waiting.map((one) => waitingLine(news.file, one)),
        ...(waiting.length > 0 ? [typed("Put it there: refloat state take")] : []),
      ];
    }
    case "acting-elsewhere":
      return [`refloat: a plan is being carried out here by another command: ${news.error.message}`];
    case "plans-left":
      return [typed(leftText(news.plans))];
    case "plans-running":
      return [
        `Another command may be changing this tree right now: ${named(news.plans)}. What is seen may be in the middle of it.`,
      ];
    case "recovery":
      return outcomeLines(news.outcome).map(typed);
    case "stops-leftovers":
      return news.found.map(({ pid, command }) => `${STOPPING[news.of]}: ${pid} ${oneLine(command)}`);
    case "check-step":
      return [`Checking ${news.label} (${news.done + 1} of ${news.total})`];
    // A terminal shows the step, and the words of what failed once all is judged.
    case "check-heard":
    case "check-ran":
      return [];
    case "capture-check":
      return [`Checking the capture ${shortId(news.capture)} (${news.tried}).`];
    case "check-untrusted":
      return untrustedLines(news.command).map(typed);
    case "check-without-commit":
      return ["Your check was not run: there is no commit here to run it upon."];
    case "unknown-key":
      return [oneLine(unknownKeyText(news.key))];
    case "nothing-precious":
      return [`${oneLine(news.error.message)} No precious files are held by it.`];
    case "checked":
      return checkedLines(news.by, columns);
    case "put-back":
      return [putBackText(news, typed)];
    case "moved-here":
      return [
        oneLine(
          `refloat: ${news.from} is gone, and all that was done in it is here: it goes on in ${news.root}`,
        ),
      ];
    case "travelled":
      return travelledLines(news.by, news.clone).map((line) => `refloat: ${line}`);
    case "taken-back":
      return [oneLine(`refloat: it was on its way to ${news.to} and never arrived: it goes on here`)];
    case "held-away":
      return ["Its work is held, and not in this tree: it would be put back first."];
    case "of-commit":
      return [news.line];
    case "unheard":
      return [
        oneLine(
          `refloat: what ${news.agents.join(", ")} did here last is not taken in or shown: ${news.why}`,
        ),
      ];
    case "about":
      return [];
    default:
      return news satisfies never;
  }
}

function putBackText(
  { root, paths, plan }: AppNews & { readonly kind: "put-back" },
  typed: Output["typed"],
): string {
  const undo =
    plan === null ? "" : typed(` Taken back by: refloat undo --plan ${shellLineWord(shortId(plan))}`);
  return `Its work was held and is back in ${oneLine(root)}: ${count(paths, "path")}.${undo}`;
}

const STOPPING: Readonly<Record<LeftoversOf, string>> = {
  "dead-sessions": "Stopping what a dead session left running",
  "resumed-session": "refloat: stopping what it left running",
  "earlier-sessions": "refloat: stopping what an earlier session left running",
};

const named = (plans: readonly NamedPlan[]): string =>
  plans.map(({ id, act }) => `${shortId(id)} (${act})`).join(", ");

const leftText = (plans: readonly NamedPlan[]): string =>
  `${count(plans.length, "plan")} of an earlier command ${plans.length === 1 ? "is" : "are"} open: ${named(plans)}. ` +
  "The tree may be in the middle of it; `refloat doctor --fix` ends it.";

export const untrustedLines = (command: string): string[] => [
  "The configured check was not run, for you never gave it yourself.",
  "This runs it, and from then on it is trusted:",
  `  refloat inspect --verify ${shellLineWord(command)}`,
];

/** Names shown of paths that did not come back. */
const SHOWN_PATHS = 5;

function broughtLines(brought: RecreationEnd): string[] {
  const { path, branch, head, capture, files, gaps, conflicts, isGivenUp } = brought;
  if (isGivenUp)
    return [
      `the work tree ${oneLine(path)} was being brought back, and its HEAD has moved since: what was captured stays in the store (refloat restore ${shellLineWord(shortId(capture))})`,
    ];
  const where = branch === null ? `detached at ${head.slice(0, 12)}` : `on ${branch}`;
  const missing = gaps.slice(0, SHOWN_PATHS).map(({ path: gap, why }) => `${shownPath(gap)} (${why})`);
  const more = gaps.length > SHOWN_PATHS ? `, and ${gaps.length - SHOWN_PATHS} more` : "";
  return [
    `the work tree ${oneLine(path)} is back, ${oneLine(where)}, with ${count(files, "file")} of capture ${shortId(capture)}`,
    ...(gaps.length === 0 ? [] : [`not held, so not back: ${oneLine(missing.join(", "))}${more}`]),
    ...(conflicts.length === 0
      ? []
      : [`changed by somebody meanwhile, and left so: ${oneLine(shownPaths(conflicts))}`]),
  ];
}

/** What was done, and what was not as it was there. */
function travelledLines({ path, head, commits, choice, end }: TravelEnd, clone: string): string[] {
  const { branch, instead } = choice;
  const where = branch === null ? `detached at ${head.slice(0, 12)}` : `on ${branch} at ${head.slice(0, 12)}`;
  const came = commits === 0 ? "" : `, with ${count(commits, "commit")} that no remote had`;
  return [
    `it goes on on this machine, in ${oneLine(path)}, made from ${oneLine(clone)}: ${oneLine(where)}${came}`,
    ...(instead === null ? [] : [`its branch was ${oneLine(instead.of)}; ${oneLine(instead.why)}`]),
    ...(end === null ? [] : broughtLines(end)),
  ];
}

export const shownPaths = (paths: readonly PathName[]): string =>
  paths.slice(0, SHOWN_PATHS).map(shownPath).join(", ");

/** What a recovery found, in a line or two. */
function outcomeLines(outcome: RecoveryOutcome): string[] {
  const id = shortId(outcome.session);
  switch (outcome.kind) {
    case "taken":
      return [];
    case "another-recovers":
      return [`Session ${id} is being recovered by another process (pid ${outcome.pid}).`];
    case "recovered": {
      const { end, recovered, leftovers, capture, suspended } = outcome;
      const calls = recovered?.calls.length ?? 0;
      const open = calls > 0 ? `; ${count(calls, "call")} may have happened` : "";
      return [
        ...(end ? [`Session ${id} had ended: ${CAUSE_WORDS[end.cause]}${open}.`] : []),
        ...(leftovers ?? []).map(
          ({ pid, command, kept }) =>
            `It left running: ${pid} ${oneLine(command)}${kept === null ? "" : ` (${kept})`}`,
        ),
        ...(capture.kind === "failed" ? [`Its work was not captured: ${capture.why}`] : []),
        ...(suspended === null
          ? []
          : [`It is suspended: ${suspended} To end that: refloat lift ${shellLineWord(outcome.session)}`]),
      ];
    }
    default:
      return outcome satisfies never;
  }
}
