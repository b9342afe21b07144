/**
 * Acts that somebody chose for groups he was shown, on a face that is asked twice: once for the plan, once to carry it out (S5). What is
 * carried out is what was shown: a group's id is a hash of its content, so a choice for one that is no more is refused, and so is a plan that
 * comes out otherwise than the one agreed to (T1, W5). A process under a session's mark plans and does no more (T2).
 */
import { createHash } from "node:crypto";
import { RefloatError } from "../../model/errors.ts";
import type { SessionId } from "../../model/ids.ts";
import type { Manifest } from "../../model/manifest.ts";
import { isOthers, whyNotOwn } from "../../salvage/judging/judged-groups.ts";
import type { SettleAct } from "../../salvage/settle/policy.ts";
import { assertNotJudged } from "../../workspace/trust/judged-session.ts";
import { conflictJson, type ToldConflict, type ToldPlan } from "../acts/told-act.ts";
import type { AppPlace } from "../place/app-place.ts";
import type { ReviewAsked, ReviewChoice } from "./review.ts";
import type { SalvageFace } from "./salvage-session.ts";
import { settle } from "./settle.ts";
import type { PlannedSettle, SettleRequest } from "./settle-order.ts";
import { planId, toldSettle } from "./told-settle.ts";

export interface ChosenActs {
  readonly session: string;
  /** By group; what is not there is left, and stays unsettled. */
  readonly choices: ReadonlyMap<string, SettleAct>;
  /** Of the commit; null: one of the files. */
  readonly message: string | null;
}

export interface ChosenPlan {
  readonly plan: ToldPlan;
  readonly conflicts: readonly ToldConflict[];
  /** What is agreed to by saying it again. */
  readonly digest: string;
  /** Of the commit, where one is made; null: none is. */
  readonly message: string | null;
  /** S2: these are stopped first. */
  readonly leftovers: Manifest["leftovers"];
}

export interface ChosenReceipt extends Pick<ChosenPlan, "plan" | "conflicts"> {
  readonly done: boolean;
  readonly commit: string | null;
  /** The plan that takes it back; null: nothing was changed. */
  readonly undo: string | null;
}

/** Looks and decides only. */
export async function planChosen(at: AppPlace, face: SalvageFace, chosen: ChosenActs): Promise<ChosenPlan> {
  let planned: ChosenPlan | null = null;
  await settle(
    at,
    {
      ...face,
      mayAct: false,
      ask: async () => "no",
      askPutBack: async () => "no",
      review: async (asked) => {
        planned = (await planOf(asked, chosen)).told;
        return { kind: "quit" };
      },
    },
    requestOf(chosen),
  );
  if (planned === null) throw new RefloatError("E_NOTHING_CHOSEN", { session: chosen.session });
  return planned;
}

/** `digest`: of the plan that was agreed to. Throws E_PLAN_CHANGED where it is another by now: nothing was changed then. */
export async function applyChosen(
  at: AppPlace,
  face: SalvageFace,
  chosen: ChosenActs & { readonly digest: string },
): Promise<ChosenReceipt> {
  await assertMayAct(at);
  let isAgreed = false;
  const ended = await settle(
    at,
    {
      ...face,
      mayAct: true,
      ask: async () => (isAgreed ? "yes" : "no"),
      // What is held elsewhere is put back first: that was not in the plan that was shown.
      askPutBack: async () => "no",
      review: async (asked) => {
        const { planned, told, choices } = await planOf(asked, chosen);
        isAgreed = told.digest === chosen.digest;
        return isAgreed ? { kind: "agreed", planned, choices, message: chosen.message } : { kind: "quit" };
      },
    },
    requestOf(chosen),
  );
  if (ended.kind === "signal" || !isAgreed)
    throw new RefloatError("E_PLAN_CHANGED", { session: chosen.session });
  return receiptOf(ended);
}

const ACTING = "act from the page";

/** T2: for whoever orders acts from a face that others can reach, too. */
export async function assertMayAct(at: AppPlace): Promise<void> {
  const store = (await at.findStore())?.raw ?? null;
  await assertNotJudged(at.env, store, ACTING);
  // Of another store's sessions nobody here is the judge.
  for (const session of at.standsUnder?.() ?? [])
    if (await store?.session(session as SessionId))
      throw new RefloatError("E_UNDER_MARK", { session, what: ACTING });
}

async function planOf(asked: ReviewAsked, { choices: wanted, message }: ChosenActs) {
  const known = new Map(asked.groups.map(({ group }) => [group.id, group]));
  for (const id of wanted.keys()) if (!known.has(id)) throw notReviewed(asked.found, id);
  const choices = new Map<string, ReviewChoice>(
    [...wanted].map(([id, act]) => [id, { act, by: "key" as const }]),
  );
  const planned = await asked.plan({ choices, message });
  const plan = toldSettle({ found: asked.found, settled: planned });
  const conflicts = planned.conflicts.map(conflictJson);
  const committed = planned.acts.filter(({ act }) => act === "commit").map(({ group }) => group);
  const said = committed.length === 0 ? null : (message ?? asked.message ?? asked.messageOf(committed));
  const told: ChosenPlan = {
    ...{ plan, conflicts, message: said, leftovers: asked.manifest.leftovers },
    digest: digestOf({ plan, conflicts, message: said, wanted }),
  };
  return { planned, told, choices };
}

/** W5: what is another's is settled there, what is the user's only by its name in a terminal; what is not there at all has changed. */
function notReviewed({ groups, session }: ReviewAsked["found"], id: string): RefloatError {
  const group = groups.find((one) => one.id === id);
  if (!group) return new RefloatError("E_PLAN_CHANGED", { session: session.id });
  const why = whyNotOwn(group) ?? "it is another session's";
  const [owner] = group.changes.flatMap((one) => one.owner.ownerSession ?? []);
  if (owner !== undefined && isOthers(group))
    return new RefloatError("E_NOT_OWNED", { group: id, owner, why });
  return new RefloatError("E_USAGE", { why: `The group ${id} is not the session's: ${why}.` });
}

type Digested = Pick<ChosenPlan, "plan" | "conflicts" | "message"> & {
  readonly wanted: ChosenActs["choices"];
};

/** Of what is done and to what: left groups that nobody chose for may come and go. */
function digestOf({ plan, conflicts, message, wanted }: Digested): string {
  const acts = plan.acts
    .filter(({ group, act }) => act !== "leave" || wanted.has(group))
    .map(({ group, act, paths }) => [group, act, paths]);
  const found = conflicts.map(({ path, group }) => [path, group]);
  return createHash("sha256")
    .update(JSON.stringify([acts, found, message]))
    .digest("hex");
}

function receiptOf({ settled, found }: PlannedSettle): ChosenReceipt {
  const id = planId(settled);
  return {
    plan: toldSettle({ found, settled }),
    conflicts: settled.conflicts.map(conflictJson),
    done: id !== null || settled.conflicts.length === 0,
    commit: settled.commit,
    undo: id,
  };
}

/** As `settle` at a terminal: the user's check is run where its last run says nothing of this very content (S7). */
const requestOf = ({ session, message }: ChosenActs): SettleRequest => ({
  session,
  does: { kind: "settle", policy: null },
  selection: { ids: [], isSafe: false, isAll: false, isAdopted: false },
  paths: () => [],
  isDryRun: false,
  ...{ message, branch: null, hooks: "scratch", acceptsHookChanges: false },
  ...{ isLinking: false, isChecking: true, isUnlessKept: true, toleratesConfig: false },
  ...{ stops: "dead-sessions", isOfEnded: false, order: null, agreed: null },
});
