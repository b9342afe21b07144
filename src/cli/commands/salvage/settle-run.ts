/**
 * What settle, commit, park and discard by group have in common: end what an earlier command left, prove the deaths, look,
 * decide, show the plan, ask, do it in one plan, say what came of it (DESIGN 10). A process under the session's own mark may
 * see the plan and not carry it out (T2).
 */
import type { HookMode } from "../../../acts/git/commit-hooks.ts";
import { trailerOf } from "../../../acts/git/commit-message.ts";
import { recover } from "../../../app/recovery/recover.ts";
import { recordCommitted, withoutTakenBack } from "../../../app/salvage/ended-acts.ts";
import { type ChosenSession, chooseSession } from "../../../app/sessions/choose-session.ts";
import type { RefloatStore } from "../../../app/store/open-store.ts";
import type { RefloatConfig } from "../../../model/config.ts";
import { RefloatError } from "../../../model/errors.ts";
import type { SessionId } from "../../../model/ids.ts";
import type { ActName } from "../../../model/plan.ts";
import { type Salvage, trailerFacts } from "../../../salvage/judging/salvage.ts";
import { recordLeft } from "../../../salvage/judging/verdict-records.ts";
import {
  type ChosenGroup,
  chooseGroups,
  EDITED_SINCE,
  editedSince,
  type Selection,
} from "../../../salvage/settle/choose-groups.ts";
import type { GroupAct, Policy } from "../../../salvage/settle/policy.ts";
import { type SettleOrder, type SettleOutcome, settleGroups } from "../../../salvage/settle/settle.ts";
import { describeSession, type SessionSummary } from "../../../session/describe.ts";
import { judgedAs } from "../../../workspace/trust/judged-session.ts";
import { tellAbout } from "../../context/about.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import { confirmed, mayAct } from "../../context/confirm.ts";
import type { Context } from "../../context/context.ts";
import { pathHere } from "../../context/path-here.ts";
import { recoveryHere } from "../../context/tell.ts";
import { type CommandInput, isSet, listOption, textOption, usage } from "../../grammar/options.ts";
import { canReview } from "../../review/can-review.ts";
import type { ReviewDecision, ReviewOutcome } from "../../review/review-order.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { finishOrShowPlans } from "../plans/act.ts";
import { putBackFirst } from "../plans/put-back-first.ts";
import { planJson, type SettleView, settleJson, settleLines } from "../plans/settle-view.ts";
import { checkedLines } from "./check-lines.ts";
import { type SalvageHere, salvageHere } from "./salvage-here.ts";

export interface SettleRun {
  readonly act: ActName;
  /** As it was typed; null: left out. */
  readonly session: string | null;
  readonly paths: readonly string[];
  /** Stops what a dead attempt left running (S2). */
  readonly stopsLeftovers: boolean;
  decide(
    chosen: readonly ChosenGroup[],
    found: Salvage,
    config: RefloatConfig,
  ): GroupAct[] | Promise<GroupAct[]>;
  /** Whoever sits at a terminal decides group by group; what this policy would do is proposed. */
  readonly reviewedBy?: (config: RefloatConfig) => Policy;
  /** Of what order it is a part (`settle --repo`). */
  readonly order?: string;
  /** Only what ended operations left, and that while the session lives, too. */
  readonly isOfEnded?: boolean;
}

export async function runSettle(
  context: Context,
  input: CommandInput,
  settle: SettleRun,
): Promise<CommandEnd> {
  const isDryRun = isSet(input, "dryRun");
  const isActing = !isDryRun && mayAct(context);
  if (isActing) await context.openOrMakeStore();
  const here = await lookedAt(context, input, settle, { isDryRun, isActing });
  const { row, found } = here;
  for (const line of checkedLines(here, context.out.columns)) context.out.narrate(line);
  if (!row && found.groups.length === 0)
    throw new RefloatError("E_NO_SESSION", { what: `of ${here.here.workspace.root}` });
  // What was asked wrong comes before anything is made. Where refloat never was there is no store yet: the plan of an
  // implied session is made all the same (S1).
  if (!here.store) await decidedByRule(input, settle, here);
  if (found.owned.held) return planOfHeld(context, input, settle, here);
  const store = await context.openOrMakeStore();
  const order = await orderFor(context, input, settle, { ...here, store });
  const decided = isDryRun
    ? await decidedByRule(input, settle, here)
    : ((await reviewed(context, input, settle, { ...here, order })) ??
      (await decidedByRule(input, settle, here)));
  const told = { found, saysLeft: settle.act === "discard" };
  if (decided.kind === "signal") return { signal: decided.signal };
  if (decided.kind === "quit")
    return nothingDone(context, input, { ...told, settled: NOTHING, isDone: false });
  const chosenOrder = { ...order, ...orderPart(decided) };
  const planned = withEdited(input, settle, found, decided.planned ?? (await settleGroups(chosenOrder)));
  const view: SettleView = { ...told, settled: planned, isDone: false };
  if (isDryRun) return tell(context, input, view);
  const plan = { json: planJson(view), text: () => settleLines(context, view) };
  const isAgreed = isNothing(planned) || decided.planned !== null || (await confirmed(context, plan));
  if (!isAgreed) return nothingDone(context, input, view);
  // Whoever is asked may take his time: meanwhile somebody may have gone on with the session.
  if (row && !context.flags.isYes && !settle.isOfEnded)
    assertOver(await describeSession(store.raw, (await store.raw.session(row.id)) ?? row));
  const settled = isNothing(planned)
    ? planned
    : await settleGroups({ ...chosenOrder, acts: planned.acts, isDryRun: false });
  if (row) await recordPurpose(store, row.id, settled.acts, decided.named);
  if (row && settle.isOfEnded) await recordCommitted(store.raw, row.id, found, settled);
  return tell(context, input, { ...told, settled: withEarlier(settled, planned), isDone: true });
}

interface RunMode {
  readonly isDryRun: boolean;
  readonly isActing: boolean;
}

/** W8: where its work is held and not in this tree, it is put back first: then it is settled like any other. */
async function lookedAt(
  context: Context,
  input: CommandInput,
  settle: SettleRun,
  { isDryRun, isActing }: RunMode,
): Promise<SalvageHere> {
  const options = { isOfEnded: settle.isOfEnded === true, isLinking: isSet(input, "linkDeps") };
  const session = await prepared(context, settle, isDryRun, isActing);
  tellAbout(context, session.here.workspace.root);
  const here = await salvageHere(context, session, options);
  if (!here.found.owned.held || !isActing || !here.store || !here.row) return here;
  await putBackFirst(context, { store: here.store, here: here.here }, here.row);
  return salvageHere(context, await chooseSession(context, here.row.id), options);
}

/** Nobody may act: what would be done once it is back. */
async function planOfHeld(
  context: Context,
  input: CommandInput,
  settle: SettleRun,
  here: SalvageHere,
): Promise<CommandEnd> {
  const { acts } = await decidedByRule(input, settle, here);
  const view: SettleView = { found: here.found, settled: { ...NOTHING, acts }, isDone: false };
  context.out.narrate("Its work is held, and not in this tree: it would be put back first.");
  if (isSet(input, "dryRun")) return tell(context, input, view);
  const isAgreed = await confirmed(context, { json: planJson(view), text: () => settleLines(context, view) });
  if (isAgreed)
    throw new RefloatError("E_HELD_NOT_HERE", {
      session: here.found.session.id,
      path: here.here.workspace.root,
    });
  return nothingDone(context, input, view);
}

/** W5: where everything of the session is meant, what was changed after its end is a conflict that is named, not passed over. */
function withEdited(
  input: CommandInput,
  settle: SettleRun,
  found: Salvage,
  settled: SettleOutcome,
): SettleOutcome {
  const isAllMeant = !isSelected(input, settle.paths) || isSet(input, "all");
  const known = new Set(settled.acts.map(({ group }) => group.id));
  const edited =
    isAllMeant && !settle.isOfEnded ? editedSince(found).filter(({ group }) => !known.has(group.id)) : [];
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

function branchOption(input: CommandInput): Pick<SettleOrder, "branch"> {
  const branch = textOption(input, "branch");
  return branch === null ? {} : { branch };
}

/** Everything but what is decided: a plan only, until somebody agrees. */
async function orderFor(
  context: Context,
  input: CommandInput,
  settle: SettleRun,
  { store, here, rows, found, config }: SalvageHere & { readonly store: RefloatStore },
): Promise<SettleOrder> {
  return {
    store: store.raw,
    workspace: here.workspace,
    env: here.env,
    rows,
    home: await context.home(),
    found,
    acts: [],
    act: settle.act,
    message: messageOption(input),
    trailer: trailerOf(config.commit?.trailer, trailerFacts(found)),
    ...branchOption(input),
    ...(settle.order === undefined ? {} : { order: settle.order }),
    hooks: (textOption(input, "hooks") ?? "scratch") as HookMode,
    acceptsHookChanges: isSet(input, "acceptHookChanges"),
    isNamed: false,
    isDryRun: true,
    onNarration: (line) => context.out.narrate(line),
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
  input: CommandInput,
  settle: SettleRun,
  { store, here, row, found, config }: SalvageHere,
): Promise<{ readonly kind: "decided"; readonly planned: null } & ReviewDecision> {
  const selection = selectionOf(input, settle, (typed) => pathHere(here, typed));
  const chosen = chooseAdopted(found, selection);
  const first = await settle.decide(chosen, found, config);
  const isOfEnded = settle.isOfEnded === true && store !== null;
  const acts = isOfEnded ? await withoutTakenBack(store.raw, here.workspace, row, first) : first;
  const named = new Set(chosen.filter(({ isNamed }) => isNamed).map(({ group }) => group.id));
  return { kind: "decided", acts, named, message: messageOption(input), planned: null };
}

/** Git makes no commit without a message; who gives none gets one. */
function messageOption(input: CommandInput): string | null {
  const message = textOption(input, "message");
  if (message?.trim() === "") throw usage("The message is empty. Without -m there is one of the files.");
  return message;
}

/** Null: nobody sits there, or there is nothing to decide. What somebody chooses by a key he has named (W5). */
async function reviewed(
  context: Context,
  input: CommandInput,
  settle: SettleRun,
  { here, found, config, order }: SalvageHere & { readonly order: SettleOrder },
): Promise<ReviewOutcome | null> {
  if (!settle.reviewedBy || !canReview(context, here.env)) return null;
  const selection = selectionOf(input, settle, (typed) => pathHere(here, typed));
  const groups = chooseGroups(found.groups, { ...selection, isAdopted: true }).map(({ group }) => group);
  if (groups.length === 0) return null;
  const { reviewGroups } = await import("../../review/review-groups.ts");
  return reviewGroups({
    context,
    found,
    groups,
    policy: settle.reviewedBy(config),
    isAdopted: selection.isAdopted,
    message: order.message,
    canCommit: here.workspace.kind === "git",
    plan: (decided) => settleGroups({ ...order, ...orderPart(decided) }),
  });
}

async function nothingDone(context: Context, input: CommandInput, view: SettleView): Promise<CommandEnd> {
  await context.out.result({
    command: input.words.join("-"),
    json: settleJson(context, view),
    text: () => ["Nothing was changed."],
  });
  return EXIT.failed;
}

/** Recovery comes first: what a dead session left is judged by its end capture, with its calls settled (S2, C4). */
async function prepared(
  context: Context,
  { session, stopsLeftovers, isOfEnded = false }: SettleRun,
  isDryRun: boolean,
  isActing: boolean,
): Promise<ChosenSession> {
  const first = await chooseSession(context, session);
  const { store, here, chosen } = first;
  if (!store) return first;
  const marked = judgedAs(here.env, chosen?.row.id);
  if (!isDryRun && marked !== null)
    throw new RefloatError("E_UNDER_MARK", { session: marked, what: "settle its own session" });
  await finishOrShowPlans(context, { store, here }, isDryRun);
  if (!isActing) return first;
  await recover({
    ...(await recoveryHere(context, store, here)),
    ...(stopsLeftovers ? { stops: "dead-sessions" } : {}),
  });
  const again = await chooseSession(context, chosen?.row.id ?? session);
  if (again.chosen && !isOfEnded) assertOver(again.chosen.summary);
  return again;
}

/** A live session is not settled: what it writes is not over. */
export function assertOver({ id, state, agent, started_at }: SessionSummary): void {
  if (state === "live")
    throw new RefloatError("E_HELD", { by: agent ?? "its agent", since: started_at, session: id });
}

function selectionOf(
  input: CommandInput,
  { paths, isOfEnded = false }: SettleRun,
  pathOf: (typed: string) => Selection["paths"][number],
): Selection {
  return {
    ids: listOption(input, "group"),
    paths: paths.map(pathOf),
    isSafe: isSet(input, "safe") || isOfEnded,
    isAll: isSet(input, "all"),
    isAdopted: isSet(input, "adopt"),
  };
}

function chooseAdopted(found: Salvage, selection: Selection): ChosenGroup[] {
  const isByName = selection.ids.length > 0 || selection.paths.length > 0;
  if (found.session.isImplied && found.groups.length > 0 && !selection.isAdopted && !isByName)
    throw new RefloatError("E_NOT_ADOPTED");
  return chooseGroups(found.groups, selection);
}

const isNothing = ({ acts }: SettleOutcome): boolean => acts.every(({ act }) => act === "leave");

/** What the plan already left out in conflict is still said. */
const withEarlier = (settled: SettleOutcome, planned: SettleOutcome): SettleOutcome =>
  settled === planned ? settled : { ...settled, conflicts: [...planned.conflicts, ...settled.conflicts] };

/** DESIGN 15: a group that was named and left is settled; one a policy merely leaves is not. */
async function recordPurpose(
  store: RefloatStore,
  session: SessionId,
  acts: readonly GroupAct[],
  named: ReadonlySet<string>,
): Promise<void> {
  for (const { group, act, why } of acts)
    if (act === "leave" && why === null && named.has(group.id))
      await recordLeft(store.raw, session, group, process.env.USER ?? "user");
}

async function tell(context: Context, input: CommandInput, view: SettleView): Promise<CommandEnd> {
  await context.out.result({
    command: input.words.join("-"),
    json: settleJson(context, view),
    text: () => settleLines(context, view),
  });
  return view.settled.conflicts.length > 0 && !isSet(input, "dryRun") ? EXIT.attention : EXIT.done;
}

export const isSelected = (input: CommandInput, paths: readonly string[]): boolean =>
  paths.length > 0 || listOption(input, "group").length > 0 || isSet(input, "safe") || isSet(input, "all");

/** Nothing is acted on because somebody forgot to say what. */
export function assertSelected(input: CommandInput, paths: readonly string[], what: string): void {
  if (!isSelected(input, paths)) throw usage(`Say what to ${what}: --group G, --safe, --all, or paths.`);
}
