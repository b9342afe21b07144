/**
 * What a use case tells while it is at work: facts, no sentences. Each face words them in one place (the command line in
 * cli/screen/news-lines.ts), or leaves them untold; nothing that an outcome has to say is said only here.
 */
import type { RecoveryOutcome } from "../../recover/recover-one.ts";
import type { CheckedSalvage } from "../../salvage/check/checked-salvage.ts";
import type { RecreationEnd } from "../../salvage/worktrees/recreate-removed.ts";
import type { TravelEnd } from "../../salvage/worktrees/travel.ts";
import type { UnknownKey } from "../../text/unknown-key.ts";
import type { CheckOutcome } from "../../triage/facts/known/triage-facts.ts";
import type { AnsweredOrder, SaidAbout } from "../../workflow/said-orders.ts";

export type Tell = (news: AppNews) => void;

export const tellsNobody: Tell = () => undefined;

export type AppNews =
  /** S5: a dead command's plan was carried to its end. */
  | {
      readonly kind: "plan-ended";
      readonly plan: string;
      readonly act: string;
      readonly how: "finished" | "rolled-back";
    }
  /** S5: a work tree that was being brought back has its files. */
  | { readonly kind: "worktree-back"; readonly end: RecreationEnd }
  /** What was said of a workflow from inside a sandbox was carried out just now, or refused. */
  | { readonly kind: "said-answered"; readonly file: string; readonly answered: readonly AnsweredOrder[] }
  /** The same that nobody carried out yet, or that was refused: whoever only looks does neither (W1). */
  | { readonly kind: "said-left"; readonly file: string; readonly about: SaidAbout }
  /** Another command acts here right now; it was not waited for. */
  | { readonly kind: "acting-elsewhere"; readonly error: Error }
  /** Left by a dead command: whoever only looks ends nothing. */
  | { readonly kind: "plans-left"; readonly plans: readonly NamedPlan[] }
  /** Of a command that is at work: what is seen may be in the middle of it. */
  | { readonly kind: "plans-running"; readonly plans: readonly NamedPlan[] }
  | { readonly kind: "recovery"; readonly outcome: RecoveryOutcome }
  /** S2: these are about to be stopped. */
  | {
      readonly kind: "stops-leftovers";
      readonly of: LeftoversOf;
      readonly found: readonly { readonly pid: number; readonly command: string }[];
    }
  | {
      readonly kind: "check-step";
      readonly label: string;
      readonly done: number;
      readonly total: number;
    }
  /** What the check says while it runs, as it comes; with its secrets in it (T4). */
  | { readonly kind: "check-heard"; readonly said: Buffer }
  /** What came of the run that the last step named. */
  | { readonly kind: "check-ran"; readonly outcome: CheckOutcome }
  /** The check is run on this capture, the `tried`th. */
  | { readonly kind: "capture-check"; readonly capture: string; readonly tried: number }
  /** T2: the configured check was not run. */
  | { readonly kind: "check-untrusted"; readonly command: string }
  /** The check that was typed was not run: there is no commit to run it upon. */
  | { readonly kind: "check-without-commit" }
  | { readonly kind: "unknown-key"; readonly key: UnknownKey }
  /** A config that cannot be read names no precious files: it is captured without them. */
  | { readonly kind: "nothing-precious"; readonly error: Error }
  /** What the user's check says of what is settled: run now, or its last run. */
  | { readonly kind: "checked"; readonly by: CheckedSalvage }
  /** W8: held work is in the tree `root`; `plan`: null: all of it was there already. */
  | {
      readonly kind: "put-back";
      readonly root: string;
      readonly paths: number;
      readonly plan: string | null;
    }
  /** W8: its own clone is gone and nothing of its work was away: it goes on in this one. */
  | { readonly kind: "moved-here"; readonly from: string; readonly root: string }
  /** W8: a session of another machine has its branch and tree here. */
  | { readonly kind: "travelled"; readonly by: TravelEnd; readonly clone: string }
  /** It was on its way to another store, and never arrived. */
  | { readonly kind: "taken-back"; readonly session: string; readonly to: string }
  /** W8: its work is held and not in this tree; nobody may act, so it is not put back. */
  | { readonly kind: "held-away" }
  /** What making a commit has to say. */
  | { readonly kind: "of-commit"; readonly line: string }
  /** D6: what these agents did here since is not in the store, which took no more; what is held is shown. */
  | { readonly kind: "unheard"; readonly agents: readonly string[]; readonly why: string }
  /** The workspace that is looked at: where it is not the one somebody stands in, a face names it (T6). */
  | { readonly kind: "about"; readonly root: string };

export interface NamedPlan {
  readonly id: string;
  readonly act: string;
}

/** Whose they are: of any dead session of the workspace, of the one that is gone on with, of an earlier one of a loop. */
export type LeftoversOf = "dead-sessions" | "resumed-session" | "earlier-sessions";

/** What is asked for several times in one order is told once: a key of a config that is read again and again (T1). */
export function tellOnce(tell: Tell): Tell {
  const told = new Set<string>();
  return (news) => {
    // Said twice it is no repetition.
    if (news.kind === "check-heard" || news.kind === "check-ran") return tell(news);
    const key = keyOf(news);
    if (told.has(key)) return;
    told.add(key);
    tell(news);
  };
}

/** Of a check what it said, not all that it was run on. */
function keyOf(news: AppNews): string {
  const said = news.kind === "checked" ? [news.by.checked, news.by.verified] : news;
  return JSON.stringify(said, (_name, value) => (value instanceof Map ? [...value] : value));
}
