/**
 * Settling what a session left, and committing, parking or discarding groups of it: what an earlier command left is ended, the
 * deaths are proved, the work is judged, it is decided and shown, whoever ordered it is asked, and it is done in one plan
 * (DESIGN 10). A process under the session's own mark may see the plan and not carry it out (T2).
 */
import { trailerOf } from "../../acts/git/commit-message.ts";
import { RefloatError } from "../../model/errors.ts";
import type { SessionId } from "../../model/ids.ts";
import { type Salvage, trailerFacts } from "../../salvage/judging/salvage.ts";
import { recordLeft } from "../../salvage/judging/verdict-records.ts";
import { manifestOf } from "../../salvage/manifest/manifest.ts";
import {
  type ChosenGroup,
  chooseGroups,
  EDITED_SINCE,
  editedSince,
  type Selection,
} from "../../salvage/settle/choose-groups.ts";
import { messageFor } from "../../salvage/settle/message.ts";
import { type GroupAct, POLICIES } from "../../salvage/settle/policy.ts";
import { type SettleOrder, type SettleOutcome, settleGroups } from "../../salvage/settle/settle.ts";
import { describeSession } from "../../session/describe.ts";
import { assertNotJudgedAs } from "../../workspace/trust/judged-session.ts";
import { finishOrShowOpen } from "../acts/finish-open.ts";
import { putBackFirst } from "../acts/held.ts";
import type { AppPlace } from "../place/app-place.ts";
import { recover } from "../recovery/recover.ts";
import { assertOver } from "../sessions/assert-over.ts";
import { type ChosenSession, chooseSession } from "../sessions/choose-session.ts";
import type { RefloatStore } from "../store/open-store.ts";
import { recordCommitted, withoutTakenBack } from "./ended-acts.ts";
import {
  decidedBy,
  type ReviewChoices,
  type ReviewDecision,
  type ReviewOutcome,
  reviewedGroups,
} from "./review.ts";
import { type SalvagedSession, salvageSession } from "./salvage-session.ts";
import {
  decideActs,
  type EndedSettle,
  isSelected,
  type PlannedSettle,
  type SettleHow,
  type SettleRequest,
} from "./settle-order.ts";

export async function settle(at: AppPlace, how: SettleHow, request: SettleRequest): Promise<EndedSettle> {
  assertPolicy(request);
  const isActing = !request.isDryRun && how.mayAct;
  if (isActing) await at.openOrMakeStore();
  const work = await lookedAt(at, how, request, isActing);
  const { row, found, here } = work;
  how.tell({ kind: "checked", by: work });
  if (!row && found.groups.length === 0)
    throw new RefloatError("E_NO_SESSION", { what: `of ${here.workspace.root}` });
  // What was asked wrong comes before anything is made. Where refloat never was there is no store yet: the plan of an
  // implied session is made all the same (S1).
  if (!work.store) await decidedByRule(request, work);
  if (found.owned.held) return planOfHeld(how, request, work);
  const store = await at.openOrMakeStore();
  const order = await orderFor(at, how, request, { ...work, store });
  const reviewed = request.isDryRun ? null : await review(how, request, work, order);
  if (reviewed?.kind === "signal") return reviewed;
  if (reviewed?.kind === "quit") return { kind: "declined", here, found, settled: NOTHING };
  const decided = reviewed ?? (await decidedByRule(request, work));
  const chosen = { ...order, ...orderPart(decided) };
  const looked = reviewed?.planned ?? (await settleGroups(chosen));
  const planned = { here, found, settled: withEdited(request, work, looked) };
  if (request.isDryRun) return { kind: "planned", ...planned };
  const isLeft = isNothing(planned.settled);
  const isAgreed = isLeft || reviewed !== null || (await how.ask(planned)) === "yes";
  if (!isAgreed) return { kind: "declined", ...planned };
  await assertStillOver(store, request, work);
  const settled = isLeft ? planned.settled : await carryOut(chosen, planned);
  if (row) await recordPurpose(store, work, settled.acts, decided.named);
  if (row && request.isOfEnded) await recordCommitted(store.raw, row.id, found, settled);
  return { kind: isLeft ? "nothing" : "done", here, found, settled };
}

/** Programs without types may give any. */
function assertPolicy({ does }: SettleRequest): void {
  if (does.kind !== "settle" || does.policy === null || POLICIES.includes(does.policy)) return;
  throw new RefloatError("E_USAGE", {
    why: `There is no policy ${JSON.stringify(does.policy)}: it is one of ${POLICIES.join(", ")}.`,
  });
}

/** W8: where its work is held and not in this tree, it is put back first: then it is settled like any other. */
async function lookedAt(
  at: AppPlace,
  how: SettleHow,
  request: SettleRequest,
  isActing: boolean,
): Promise<SalvagedSession> {
  const session = await prepared(at, how, request, isActing);
  how.tell({ kind: "about", root: session.here.workspace.root });
  const work = await salvageSession(at, session, request, how);
  const { store, here, row } = work;
  if (!work.found.owned.held || !isActing || !store || !row) return work;
  await putBackFirst({ store, here }, row, how.askPutBack, how.tell);
  return salvageSession(at, await chooseSession(at, row.id), request, how);
}

/** Recovery comes first: what a dead session left is judged by its end capture, with its calls closed (S2, C4). */
async function prepared(
  at: AppPlace,
  how: SettleHow,
  { session, isDryRun, isOfEnded, stops }: SettleRequest,
  isActing: boolean,
): Promise<ChosenSession> {
  const first = await chooseSession(at, session);
  const { store, here, chosen } = first;
  if (!store) return first;
  if (!isDryRun) assertNotJudgedAs(here.env, chosen?.row.id ?? null, "settle its own session");
  const { workspace, place, env } = here;
  await finishOrShowOpen({ store: store.raw, workspace, env }, { mayWrite: isActing }, how.tell);
  if (!isActing) return first;
  await recover({
    ...{ store: store.raw, env, home: await at.home(), tell: how.tell },
    where: { kind: "workspace", workspace, place },
    ...(stops ? { stops } : {}),
  });
  const again = await chooseSession(at, chosen?.row.id ?? session);
  if (again.chosen && !isOfEnded) assertOver(again.chosen.summary);
  return again;
}

/** Nobody may act: what would be done once it is back. */
async function planOfHeld(
  how: SettleHow,
  request: SettleRequest,
  work: SalvagedSession,
): Promise<EndedSettle> {
  const { here, found } = work;
  const { acts } = await decidedByRule(request, work);
  const planned: PlannedSettle = { here, found, settled: { ...NOTHING, acts } };
  how.tell({ kind: "held-away" });
  if (request.isDryRun) return { kind: "planned", ...planned };
  if ((await how.ask(planned)) === "no") return { kind: "declined", ...planned };
  throw new RefloatError("E_HELD_NOT_HERE", { session: found.session.id, path: here.workspace.root });
}

/** W5: where everything of the session is meant, what was changed after its end is a conflict that is named, not passed over. */
function withEdited(
  { selection, paths, isOfEnded }: SettleRequest,
  { here, found }: SalvagedSession,
  settled: SettleOutcome,
): SettleOutcome {
  const isAllMeant = selection.isAll || !isSelected(selection, paths(here));
  const known = new Set(settled.acts.map(({ group }) => group.id));
  const edited =
    isAllMeant && !isOfEnded ? editedSince(found).filter(({ group }) => !known.has(group.id)) : [];
  if (edited.length === 0) return settled;
  const left = edited.map(({ group }) => ({ group, act: "leave" as const, why: EDITED_SINCE }));
  return {
    ...settled,
    acts: [...settled.acts, ...left],
    conflicts: [...settled.conflicts, ...edited.flatMap(({ conflicts }) => conflicts)],
  };
}

const NOTHING: SettleOutcome = {
  outcome: { kind: "untouched", paths: [], already: [], conflicts: [], untouched: [] },
  acts: [],
  conflicts: [],
  commit: null,
  branch: null,
};

/** Everything but what is decided: a plan only, until somebody agrees. */
async function orderFor(
  at: AppPlace,
  how: SettleHow,
  request: SettleRequest,
  { store, here, rows, found, config }: SalvagedSession & { readonly store: RefloatStore },
): Promise<SettleOrder> {
  const { does, message, branch, hooks, acceptsHookChanges, order } = request;
  return {
    store: store.raw,
    workspace: here.workspace,
    env: here.env,
    rows,
    home: await at.home(),
    found,
    acts: [],
    act: does.kind,
    message,
    trailer: trailerOf(config.commit?.trailer, trailerFacts(found)),
    ...(branch === null ? {} : { branch }),
    ...(order === null ? {} : { order }),
    hooks,
    acceptsHookChanges,
    isNamed: false,
    isDryRun: true,
    onNarration: (line) => how.tell({ kind: "of-commit", line }),
  };
}

const orderPart = ({
  acts,
  named,
  message,
}: ReviewDecision): Pick<SettleOrder, "acts" | "isNamed" | "message"> => ({
  acts,
  isNamed: named.size > 0,
  message,
});

/** What a command or a policy decides; it is still to be asked about. */
async function decidedByRule(
  request: SettleRequest,
  { store, here, row, found, config }: SalvagedSession,
): Promise<ReviewDecision> {
  const chosen = chooseAdopted(found, selectionIn(request, here));
  const first = decideActs(request, chosen, found, config);
  const isOfEnded = request.isOfEnded && store !== null;
  const acts = isOfEnded ? await withoutTakenBack(store.raw, here.workspace, row, first) : first;
  const named = new Set(chosen.filter(({ isNamed }) => isNamed).map(({ group }) => group.id));
  return { acts, named, message: request.message };
}

function chooseAdopted(found: Salvage, selection: Selection): ChosenGroup[] {
  const isByName = selection.ids.length > 0 || selection.paths.length > 0;
  if (found.session.isImplied && found.groups.length > 0 && !selection.isAdopted && !isByName)
    throw new RefloatError("E_NOT_ADOPTED");
  return chooseGroups(found.groups, selection);
}

const selectionIn = (
  { selection, paths, isOfEnded }: SettleRequest,
  here: SalvagedSession["here"],
): Selection => ({ ...selection, paths: paths(here), isSafe: selection.isSafe || isOfEnded });

type Reviewed =
  | (ReviewDecision & { readonly kind: "agreed"; readonly planned: SettleOutcome })
  | Exclude<ReviewOutcome, { kind: "agreed" }>;

/** Null: nobody sits there, or there is nothing to decide. What somebody chooses by a key he has named (W5). */
async function review(
  how: SettleHow,
  request: SettleRequest,
  { here, found, config }: SalvagedSession,
  order: SettleOrder,
): Promise<Reviewed | null> {
  const { does, selection } = request;
  // A policy that was given is not asked about group by group.
  if (!how.review || does.kind !== "settle" || does.policy !== null) return null;
  const chosen = chooseGroups(found.groups, { ...selectionIn(request, here), isAdopted: true });
  if (chosen.length === 0) return null;
  const policy = config.policy ?? "default";
  const groups = reviewedGroups(
    chosen.map(({ group }) => group),
    policy,
    found,
    selection,
  );
  const decided = (choices: ReviewChoices): ReviewDecision => decidedBy(groups, choices);
  const reviewed = await how.review({
    ...{ found, groups, policy, message: order.message },
    manifest: await manifestOf(found),
    canCommit: here.workspace.kind === "git",
    plan: (choices) => settleGroups({ ...order, ...orderPart(decided(choices)) }),
    messageOf: (committed) => messageFor(found, committed),
  });
  if (reviewed.kind !== "agreed") return reviewed;
  return { kind: "agreed", planned: reviewed.planned, ...decided(reviewed) };
}

/** Whoever is asked may take his time: meanwhile somebody may have gone on with the session. */
async function assertStillOver(
  store: RefloatStore,
  { isOfEnded }: SettleRequest,
  { row }: SalvagedSession,
): Promise<void> {
  if (row && !isOfEnded)
    assertOver(await describeSession(store.raw, (await store.raw.session(row.id)) ?? row));
}

const isNothing = ({ acts }: SettleOutcome): boolean => acts.every(({ act }) => act === "leave");

/** What the plan already left out in conflict is still said. */
async function carryOut(order: SettleOrder, { settled: planned }: PlannedSettle): Promise<SettleOutcome> {
  const settled = await settleGroups({ ...order, acts: planned.acts, isDryRun: false });
  return { ...settled, conflicts: [...planned.conflicts, ...settled.conflicts] };
}

/** DESIGN 15: a group that was named and left is settled; one a policy merely leaves is not. */
async function recordPurpose(
  store: RefloatStore,
  { row, here }: SalvagedSession,
  acts: readonly GroupAct[],
  named: ReadonlySet<string>,
): Promise<void> {
  for (const { group, act, why } of acts)
    if (act === "leave" && why === null && named.has(group.id))
      await recordLeft(store.raw, row?.id as SessionId, group, here.env.USER ?? "user");
}
