/** What somebody orders to be settled, what he hands in for it, and what comes of it. */
import type { HookMode } from "../../acts/git/commit-hooks.ts";
import type { RefloatConfig } from "../../model/config.ts";
import type { RefloatError } from "../../model/errors.ts";
import type { PathName } from "../../model/path-name.ts";
import type { Salvage } from "../../salvage/judging/salvage.ts";
import { actsOn, type ChosenGroup, type Selection } from "../../salvage/settle/choose-groups.ts";
import { actsByPolicy, type GroupAct, type Policy, withoutFirstCommit } from "../../salvage/settle/policy.ts";
import type { SettleOutcome } from "../../salvage/settle/settle.ts";
import type { Ask, PlannedAct } from "../acts/act.ts";
import type { WorkspaceHere } from "../place/workspace-here.ts";
import type { LeftoversOf } from "../telling/news.ts";
import type { Review } from "./review.ts";
import type { SalvageFace } from "./salvage-session.ts";

export interface SettleRequest {
  /** Its id, name or a beginning; null: the newest unsettled one here, else the newest, else what nobody recorded. */
  readonly session: string | null;
  readonly does: SettleDecision;
  readonly selection: Omit<Selection, "paths">;
  /** In the tree the session's work is looked at. */
  readonly paths: (here: WorkspaceHere) => readonly PathName[];
  /** Looks and says only. */
  readonly isDryRun: boolean;
  /** Of a commit; null: one of the files. */
  readonly message: string | null;
  /** What is parked is on a new branch of this name, too. */
  readonly branch: string | null;
  readonly hooks: HookMode;
  readonly acceptsHookChanges: boolean;
  /** His word that the check may write into his dependencies. */
  readonly isLinking: boolean;
  /** False: the check is not run; what its last run said of this very content counts (S7). */
  readonly isChecking: boolean;
  /** Of who looked at it a moment ago: it is run again only where the content is another by now. */
  readonly isUnlessKept?: boolean;
  /** True: a config that cannot be read makes everything unknown, and stops nobody. */
  readonly toleratesConfig: boolean;
  /** S2: what dead attempts left running is stopped; null: it is only listed. */
  readonly stops: LeftoversOf | null;
  /** Only what ended operations left, and that while the session lives, too. */
  readonly isOfEnded: boolean;
  /** Of what order it is a part; null: it is one of its own. */
  readonly order: string | null;
  /** What was shown of each group: what comes out otherwise now nobody agreed to. Null: nothing was shown before. */
  readonly agreed: ReadonlyMap<string, Pick<GroupAct, "act" | "why">> | null;
}

/** One act on all that is chosen, or what a policy does with each; null: the configured one. */
export type SettleDecision =
  | { readonly kind: "commit" | "park" | "discard" }
  | { readonly kind: "settle"; readonly policy: Policy | null };

/** What whoever orders it hands in. */
export interface SettleHow extends SalvageFace {
  /** Known before the work: false: whatever is found, the plan is shown and nothing is changed. */
  readonly mayAct: boolean;
  readonly ask: Ask<PlannedSettle>;
  /** Held work is put back first, by a plan of its own (W8). */
  readonly askPutBack: Ask<PlannedAct>;
  /** Null: nobody sits there. */
  readonly review: Review | null;
}

export interface PlannedSettle {
  readonly here: WorkspaceHere;
  readonly found: Salvage;
  readonly settled: SettleOutcome;
}

export type EndedSettle =
  /** It was only looked at. */
  | ({ readonly kind: "planned" } & PlannedSettle)
  /** Every group is left. */
  | ({ readonly kind: "nothing" } & PlannedSettle)
  /** Whoever was asked said no, or left the review. */
  | ({ readonly kind: "declined" } & PlannedSettle)
  | ({ readonly kind: "done" } & PlannedSettle)
  /** It came while groups were reviewed. */
  | { readonly kind: "signal"; readonly signal: NodeJS.Signals };

/** One session of several: what came of it, or why it could not be done. */
export type SettledPart =
  | Exclude<EndedSettle, { kind: "signal" }>
  | { readonly kind: "refused"; readonly error: RefloatError };

/** What is done with what is chosen; what was shown otherwise is left. */
export function decideActs(
  { does, agreed }: Pick<SettleRequest, "does" | "agreed">,
  chosen: readonly ChosenGroup[],
  found: Salvage,
  config: RefloatConfig,
): GroupAct[] {
  const acts =
    does.kind === "settle"
      ? byPolicy(chosen, does.policy ?? config.policy ?? "default", found)
      : actsOn(chosen, does.kind);
  if (agreed === null) return acts;
  const why = "it was judged otherwise when the plan was shown";
  return acts.map((one) => {
    const shown = agreed.get(one.group.id);
    if (shown?.act === one.act) return one;
    // What was shown as left, in conflict or not, is left for that reason.
    return { ...one, act: "leave", why: (shown?.act === "leave" ? shown.why : null) ?? one.why ?? why };
  });
}

function byPolicy(chosen: readonly ChosenGroup[], policy: Policy, found: Salvage): GroupAct[] {
  const groups = chosen.map(({ group }) => group);
  const named = new Set(chosen.filter(({ isNamed }) => isNamed).map(({ group }) => group.id));
  return withoutFirstCommit(actsByPolicy(groups, policy), found.owned.now.reading.head, named);
}

/** Whether anything was chosen, or everything of the session is meant. */
export const isSelected = (
  { ids, isSafe, isAll }: Pick<Selection, "ids" | "isSafe" | "isAll">,
  paths: readonly unknown[],
): boolean => paths.length > 0 || ids.length > 0 || isSafe || isAll;
