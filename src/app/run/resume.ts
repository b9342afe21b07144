/**
 * Going on with a session that was cut off: what died is recovered, what is different is told, and the agent is started again in the
 * same session, as its next try, with the brief. A call that may have happened is never run again by us (C4).
 */
import { statSync } from "node:fs";
import { join } from "node:path";
import { RefloatError } from "../../model/errors.ts";
import { isJsonObject } from "../../model/json.ts";
import { placeInside } from "../../platform/places.ts";
import type { RecreateLook } from "../../salvage/worktrees/gather-recreate.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import { movedFromOf } from "../../store/contract/session-facts.ts";
import type { Difference } from "../../supervise/decide-resume.ts";
import type { HeardSignals } from "../../supervise/hear-stop.ts";
import { finishOpenUnlessBusy } from "../acts/finish-open.ts";
import { hearAgents } from "../agents/hear-agents.ts";
import { type GivenHandoff, withHandoff, writeHandoffFile } from "../handoff/brief-file.ts";
import type { AppPlace } from "../place/app-place.ts";
import { sessionsHere, workspaceAt, workspaceHere } from "../place/workspace-here.ts";
import { recover } from "../recovery/recover.ts";
import { findSession, isAgents, summaryOf } from "../sessions/find-session.ts";
import { commandOf, isOnlyHeard } from "../sessions/goes-on.ts";
import type { RefloatStore } from "../store/open-store.ts";
import { assertNotSent, backIfUnderWay } from "../transfer/take-back.ts";
import { assertNotOlderFor } from "./assert-not-older.ts";
import {
  asksItself,
  broughtFor,
  continueAgent,
  type GoingOn,
  isAgent,
  programOfAgent,
} from "./continue-agent.ts";
import { assertResumable, differencesNow, isFromElsewhere, placeOf } from "./resumable.ts";
import {
  assertMayGoOn,
  cloneWithAll,
  heldAway,
  isLinkedTree,
  type ResumeTreeHands,
  recreatePlan,
  removedHere,
  treeForResume,
} from "./resume-tree.ts";
import { type AskedRun, type RunFace, type RunOutcome, runOrder } from "./run-order.ts";
import { runSession } from "./run-session.ts";
import { planTravel, type TravelWish, workedElsewhere } from "./travel.ts";

export interface ResumeOrder {
  /** As somebody named it; null: left out. */
  readonly named: string | null;
  /** Every session that was cut off, wherever. */
  readonly isAll: boolean;
  /** A removed work tree is brought back, and held work put back, without being asked about. */
  readonly isRecreated: boolean;
  /** Another command than its own; null: its own. */
  readonly agent: string | null;
  /** The command it is gone on with, by whoever orders that, and how it is run; left out: its own, as usual. */
  readonly by?: Pick<AskedRun, "command" | "drainMs" | "timeoutMs" | "limit" | "owner"> & {
    readonly childEnv: Readonly<Record<string, string>>;
    /** Places of its words in which nothing is filled. */
    readonly verbatim: ReadonlySet<number>;
  };
  /** Where it goes on on this machine, when it was on another. */
  readonly travel: TravelWish;
  /** A tree that is older than what it left there is taken as it is. */
  readonly acceptsOlder: boolean;
  /** The store as the user named it; null: by his environment, or not at all. */
  readonly store: string | null;
}

/** Its tree would be brought back first, or what is held put back: its brief cannot be written before that is done. */
type NotThereYet =
  | { readonly kind: "recreate"; readonly look: RecreateLook }
  | { readonly kind: "put-back" }
  | { readonly kind: "moves" };

export interface ResumePlan extends GivenHandoff {
  readonly row: SessionRow;
  readonly place: string;
  /** An agent's own command line, with no place in it for the brief. What is no agent of ours may read its file. */
  readonly isUntold: boolean;
  readonly differences: readonly Difference[];
  /** Null: all of it is there. */
  readonly first: NotThereYet | null;
}

/** Another branch or history, or a command that came from elsewhere: nobody goes on there by accident (T2). */
export interface ResumeQuestion extends Pick<ResumePlan, "row" | "command" | "differences"> {
  readonly isElsewhere: boolean;
}

export interface ResumeFace extends Omit<ResumeTreeHands, "tell"> {
  readonly run: RunFace;
  ask(question: ResumeQuestion): Promise<boolean>;
}

export type ResumeOutcome =
  | { readonly kind: "refused-by-user" }
  | ({ readonly kind: "ran" } & RunOutcome)
  /** REFLOAT_OFF=1: its command as it was started, where it was; the face starts it and nothing else. */
  | { readonly kind: "plain"; readonly command: readonly string[]; readonly place: string };

/**
 * The sessions that are meant, newest first. An agent that nobody supervised is heard before anybody asks for the store: it may be the
 * first of them all (S1).
 */
export async function sessionsToResume(
  at: AppPlace,
  order: ResumeOrder,
): Promise<{ readonly store: RefloatStore; readonly rows: readonly SessionRow[] }> {
  await hearAgents(at, order.isAll ? "repository" : "here");
  const store = await at.findStore();
  // Where nothing was ever recorded there is no session of that name, and none to leave out (DESIGN 10).
  if (!store) throw new RefloatError("E_NO_SESSION", { what: order.named ?? `of ${at.place()}` });
  return { store, rows: await rowsMeant(at, store, order) };
}

async function rowsMeant(
  at: AppPlace,
  store: RefloatStore,
  { named, isAll, isRecreated }: ResumeOrder,
): Promise<readonly SessionRow[]> {
  if (named !== null) return [(await findSession(at, named)).row];
  if (!isAll && isRecreated) return removedHere(at, store);
  const here = isAll ? null : await workspaceHere(at, store);
  const rows = here ? await sessionsHere(store, here) : await store.raw.sessions({});
  if (here && rows.length === 0)
    throw new RefloatError("E_NO_SESSION", { what: `of ${here.workspace.root}` });
  const known = await store.describe(rows);
  const continued = new Set(rows.map(({ facts }) => facts.continues));
  const cutOff = known.filter(
    (one) => one.state === "interrupted" && isAgents(one) && !continued.has(one.id),
  );
  const wanted = isAll ? cutOff : cutOff.slice(0, 1);
  if (wanted.length === 0) throw new RefloatError("E_RESUME_NONE", { where: isAll ? "anywhere" : "here" });
  return wanted.flatMap(({ id }) => rows.find((row) => row.id === id) ?? []);
}

/** What would be started, and what would be done before. Changes nothing but the brief's file. */
export async function planResume(
  at: AppPlace,
  store: RefloatStore,
  row: SessionRow,
  order: ResumeOrder,
): Promise<ResumePlan> {
  assertNotSent(row);
  const isNamed = order.named !== null;
  const notThereYet = async (place: string, first: NotThereYet): Promise<ResumePlan> => {
    const command = await startedWith(store, row, order);
    return { row, place, command, typed: command, childEnv: {}, isUntold: false, differences: [], first };
  };
  const isBrought = order.isRecreated && (await isLinkedTree(store, row));
  const travels = await planTravel(at, store, row, order.travel);
  if (travels) return notThereYet(travels.path, { kind: "put-back" });
  const look = isBrought ? await recreatePlan(at, store, row, isNamed) : null;
  const away = look ? null : await heldAway(at, store, row);
  const moves = look || away ? null : await cloneWithAll(at, store, row);
  if (moves) return notThereYet(moves.workspace.root, { kind: "moves" });
  if (!look && !away) {
    const brought = (await workedElsewhere(store, row))
      ? await broughtHere(at, store, row, order, { isDone: false })
      : null;
    return prepared(at, store, row, order, { isStarted: false, brought });
  }
  const first: NotThereYet = look ? { kind: "recreate", look } : { kind: "put-back" };
  return notThereYet(look?.facts.path ?? away?.workspace.root ?? "", first);
}

async function prepared(
  at: AppPlace,
  store: RefloatStore,
  row: SessionRow,
  order: ResumeOrder,
  { isStarted, brought = null }: Pick<GoingOn, "isStarted" | "brought">,
): Promise<ResumePlan> {
  const place = placeOf(row);
  const here = await workspaceAt(at, store, place);
  const rows = await sessionsHere(store, here);
  const summary = await summaryOf(store, row);
  assertResumable(row, summary, rows, order.named !== null);
  const command = await startedWith(store, row, order);
  const name = typeof row.facts.name === "string" ? row.facts.name : row.id;
  const { root } = here.workspace;
  const handing = { home: await at.home(), env: at.env, stands: place, workspace: root, name };
  const brief = await writeHandoffFile(store, handing, row);
  const differences = await differencesNow(store, row, here.workspace);
  const verbatim = order.by?.verbatim ?? new Set<number>();
  const going = { row, command, place, brief, isStarted, verbatim, brought };
  const given = await continueAgent(at, store.raw, going);
  return {
    row,
    place: startedIn(row, place),
    ...(given ?? withHandoff(command, brief, verbatim)),
    isUntold: given === null && !asksItself(command, verbatim) && (order.agent !== null || isAgent(command)),
    differences,
    first: null,
  };
}

/** Null: its conversation is here, or nobody would go on with it. */
async function broughtHere(
  at: AppPlace,
  store: RefloatStore,
  row: SessionRow,
  order: ResumeOrder,
  { isDone }: { readonly isDone: boolean },
): Promise<Awaited<ReturnType<typeof broughtFor>>> {
  const place = startedIn(row, placeOf(row));
  const command = await startedWith(store, row, order);
  const verbatim = order.by?.verbatim ?? new Set<number>();
  return broughtFor(at, store.raw, { row, command, place, verbatim, isDone });
}

const startedWith = async (
  store: RefloatStore,
  row: SessionRow,
  { agent, by }: ResumeOrder,
): Promise<readonly string[]> => {
  if (by) return by.command;
  if (agent !== null) return [programOfAgent(agent)];
  return isOnlyHeard(row) ? [programOfAgent(agentOf(row))] : commandOf(store, row);
};

/** Whether it may go on as it is; asked where that is not plain. What the user names himself is his, whoever's the session is. */
async function isWanted(
  store: RefloatStore,
  about: Pick<ResumePlan, "row" | "command" | "differences">,
  { agent, by }: ResumeOrder,
  face: ResumeFace,
  isBrought = false,
): Promise<boolean> {
  // What an agent said elsewhere is not put into its folder here by accident, either.
  const isHis = by !== undefined || (agent !== null && !isBrought);
  const isElsewhere = !isHis && (await isFromElsewhere(store, about.row));
  const isGrave = about.differences.some((one) => one.isGrave);
  return isGrave || isElsewhere ? face.ask({ ...about, isElsewhere }) : true;
}

export async function resume(
  at: AppPlace,
  store: RefloatStore,
  first: SessionRow,
  order: ResumeOrder,
  face: ResumeFace,
  signals: () => HeardSignals,
): Promise<ResumeOutcome> {
  const isNamed = order.named !== null;
  const { env } = at;
  const { tell } = face.run;
  const here = await backIfUnderWay(at, store, first, tell);
  // Before it is recovered: whoever does that is on this machine.
  const isElsewhere = await workedElsewhere(store, here);
  await assertMayGoOn(store, here, isNamed);
  const row = await treeForResume(at, store, here, {
    isTold: order.isRecreated,
    isNamed,
    hands: { ...face, tell },
    wish: order.travel,
  });
  const { workspace, place } = await workspaceAt(at, store, placeOf(row));
  if (!order.acceptsOlder) await assertNotOlderFor({ store: store.raw, workspace, env }, row);
  await finishOpenUnlessBusy({ store: store.raw, workspace, env }, tell);
  const home = await at.home();
  await recover({
    ...{ store: store.raw, env, home },
    where: { kind: "workspace", workspace, place },
    stops: "resumed-session",
    // How it ended is in its brief.
    tell: (news) => (news.kind === "recovery" ? undefined : tell(news)),
  });
  const now = (await store.raw.session(row.id)) ?? row;
  const asked = await prepared(at, store, now, order, { isStarted: !isElsewhere });
  for (const difference of asked.differences) tell({ kind: "differs", difference });
  const isBrought = isElsewhere && (await broughtHere(at, store, now, order, { isDone: false })) !== null;
  if (!(await isWanted(store, asked, order, face, isBrought))) return { kind: "refused-by-user" };
  const plan = isElsewhere ? await preparedHere(at, store, now, order, tell) : asked;
  tell({ kind: "goes-on", session: row.id, typed: shownShortly(plan) });
  const movedFrom = movedFromOf(row);
  if (plan.isAnewAfterMove && movedFrom !== null)
    tell({ kind: "begun-anew", agent: agentOf(row), movedFrom });
  if (plan.isUntold) tell({ kind: "brief-not-given", session: row.id, agent: order.agent ?? agentOf(row) });
  const { command, typed, childEnv } = plan;
  const agent = order.agent ?? agentOf(row);
  const { store: named } = order;
  const run = await runOrder(at, {
    agent,
    place: plan.place,
    store: named,
    owner: "refloat resume",
    ...order.by,
    command,
  });
  // What others have done with it since its tree was made ready is not in it.
  const resumes = { tree: row, looked: now };
  const going = { ...run, typed, childEnv: { ...order.by?.childEnv, ...childEnv }, resumes };
  return { kind: "ran", ...(await runSession(at, going, face.run, signals())) };
}

/** Of another machine: what its agent said there is brought once somebody wants that (T2). */
async function preparedHere(
  at: AppPlace,
  store: RefloatStore,
  row: SessionRow,
  order: ResumeOrder,
  tell: RunFace["tell"],
): Promise<ResumePlan> {
  const brought = await broughtHere(at, store, row, order, { isDone: true });
  if (brought) tell({ kind: "brought", agent: brought.agent, by: brought });
  // What is heard of it now stands in the row.
  const now = (await store.raw.session(row.id)) ?? row;
  return prepared(at, store, now, order, { isStarted: true, brought });
}

const agentOf = ({ facts }: SessionRow): string => String(facts.agent ?? "");

/** The folder of the workspace it was started in, where that is known and still there. */
function startedIn(row: SessionRow, place: string): string {
  const { heard } = row.facts;
  const told = isJsonObject(heard) && typeof heard.cwd === "string" ? heard.cwd : place;
  const below = placeInside(movedFromOf(row) ?? place, told);
  const cwd = below === null ? told : join(place, below);
  const isThere = placeInside(place, cwd) !== null && statSync(cwd, { throwIfNoEntry: false })?.isDirectory();
  return isThere ? cwd : place;
}

/** A line for people: where the brief goes is told by its place. */
const shownShortly = ({ shown, typed }: GivenHandoff): readonly string[] =>
  (shown ?? typed).map((word) => (word.includes("{handoff}") ? "{handoff}" : word));

/** REFLOAT_OFF=1: not recovered, not told, not recorded. */
export async function resumePlainly(
  store: RefloatStore,
  row: SessionRow,
  order: ResumeOrder,
  face: ResumeFace,
): Promise<ResumeOutcome> {
  assertNotSent(row);
  const place = placeOf(row);
  const summary = await summaryOf(store, row);
  assertResumable(row, summary, await store.raw.sessions({}), order.named !== null);
  const command = await startedWith(store, row, order);
  const isAgreed = await isWanted(store, { row, command, differences: [] }, order, face);
  return isAgreed ? { kind: "plain", command, place } : { kind: "refused-by-user" };
}
