/** What undo and redo have in common: the history of the workspace's plans, and what to say when there is nothing. */
import { relative } from "node:path";
import { fitTaken } from "../../../acts/compilers/fit-taken.ts";
import type { TakenBack, TakenDraft } from "../../../acts/compilers/undo.ts";
import type { PlanDraft } from "../../../acts/plans/draft.ts";
import { type History, historyOf } from "../../../acts/plans/history.ts";
import { findPlan, type Plan, plansOf } from "../../../acts/plans/plans.ts";
import { isHeadAt } from "../../../acts/primitive/execute-plan.ts";
import type { ActPlace } from "../../../app/acts/act.ts";
import type { ActReversal, CompiledAct, TakenCommit } from "../../../app/acts/compiled-act.ts";
import { planPlace } from "../../../app/acts/plan-place.ts";
import { type WorkspaceHere, workspaceAt, workspaceHere } from "../../../app/place/workspace-here.ts";
import type { RefloatStore } from "../../../app/store/open-store.ts";
import { RefloatError } from "../../../model/errors.ts";
import type { PathName } from "../../../model/path-name.ts";
import type { Store } from "../../../store/store.ts";
import { byBeginning } from "../../../text/by-beginning.ts";
import { shellWord } from "../../../text/escape.ts";
import { shownPath } from "../../../text/shown-path.ts";
import { headFromFiles } from "../../../workspace/git/head.ts";
import type { Repository } from "../../../workspace/git/repository.ts";
import type { Workspace } from "../../../workspace/opening/workspace.ts";
import { judgedAs } from "../../../workspace/trust/judged-session.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { type CommandInput, isSet } from "../../grammar/options.ts";
import { shortId } from "../../screen/short-id.ts";
import { agoText } from "../../screen/words.ts";
import { runAct } from "../plans/act.ts";
import { SHOWN_ID_CHARS } from "../plans/act-words.ts";
import { takenCommit } from "./taken-commit.ts";

/** Plans looked at, newest first: each holds two states of every path. Older ones are not undone by name. */
const MAX_PLANS = 200;

export async function takeBack(
  context: Context,
  input: CommandInput,
  what: "undo" | "redo",
  choose: (history: History, newestFirst: readonly Plan[]) => TakenBack,
  named: string | null = null,
): Promise<CommandEnd> {
  const store = await context.findStore();
  const here = await placeOf(context, store, named);
  if (!store) throw new RefloatError("E_NOTHING_TO_UNDO", { what, why: "nothing was done here" });
  return runAct(context, input, { store, here }, async () => {
    const plans = await newestPlans(store.raw, here.workspace);
    const taken = choose(historyOf(plans), plans);
    switch (taken.kind) {
      case "nothing":
        throw new RefloatError("E_NOTHING_TO_UNDO", { what, why: taken.why });
      case "blocked":
        throw new RefloatError("E_UNDO_BLOCKED", {
          plan: taken.plan.id,
          by: taken.by.id,
          act: taken.by.act,
        });
      case "draft":
        assertNotOwn(input, here.env, what, taken.plan);
        return fittedAct(context, { store, here }, what, taken);
      default:
        return taken satisfies never;
    }
  });
}

/** Where somebody stands, or where the plan he names was made. */
async function placeOf(
  context: Context,
  store: RefloatStore | null,
  named: string | null,
): Promise<WorkspaceHere> {
  const here = await workspaceHere(context, store);
  if (!store || named === null) return here;
  const place = await planPlace(store.raw, named);
  return place === null || place === here.workspace.root ? here : workspaceAt(context, store, place);
}

/** T2: what was settled in a session's name is not its own to take back. */
function assertNotOwn(input: CommandInput, env: NodeJS.ProcessEnv, what: string, { session }: Plan): void {
  const marked = judgedAs(env, session);
  if (marked === null || isSet(input, "dryRun")) return;
  throw new RefloatError("E_UNDER_MARK", { session: marked, what: `${what} an act on its own session` });
}

async function newestPlans(store: Store, workspace: Workspace): Promise<Plan[]> {
  const plans: Plan[] = [];
  for await (const plan of plansOf(store, workspace)) {
    plans.push(plan);
    if (plans.length === MAX_PLANS) break;
  }
  return plans;
}

/** The act that a redo does again. */
async function baseOf(store: Store, workspace: Workspace, { draft }: TakenDraft): Promise<Plan | null> {
  let id = draft.redoes ?? null;
  for (let left = MAX_PLANS; id !== null && left > 0; left--) {
    const plan = await findPlan(store, workspace, id);
    if (!plan || plan.redoes === null) return plan;
    id = plan.redoes;
  }
  return null;
}

function compiled(
  context: Context,
  here: WorkspaceHere,
  what: "undo" | "redo",
  { draft, plan }: TakenDraft,
  base: Plan | null,
): CompiledAct {
  const act = base?.act ?? plan.act;
  const when = agoText((base ?? plan).atMs, context.clock.nowMs());
  return {
    draft,
    leftAlone: [],
    title: `${what === "undo" ? "Undo" : "Redo"} ${act} ${shortId((base ?? plan).id)} of ${when}`,
    word: what === "redo" && act === "discard" ? "discard" : "restore",
    commit: null,
    ...((draft.refs ?? []).length === 0 ? { without: withoutText(what, plan) } : {}),
    inConflict: (paths) => [
      `What is in conflict stays as it is: \`refloat ${what}\` again takes it up once that is put away.`,
      ...(what === "undo" ? heldLines(here, plan, paths) : []),
    ],
  };
}

function withoutText(what: "undo" | "redo", { puts, index }: Plan): string {
  if (puts.length + index.length > 0)
    return `No file changes: everything is as it was ${what === "undo" ? "before it" : "after it"} already.`;
  return `No file changes: what it noted ${what === "undo" ? "stands no more" : "stands again"}.`;
}

/** Paths in one command: more are typed by whoever wants them. */
const MAX_HELD_PATHS = 3;

/** What would come back is to be had beside it, too: as a command that can be typed where it is printed (T6). */
function heldLines(
  { workspace, place }: WorkspaceHere,
  { capture, puts }: Plan,
  paths: readonly PathName[],
): string[] {
  const own = new Set(puts.map(({ path }) => path));
  const held = paths.filter((path) => own.has(path)).slice(0, MAX_HELD_PATHS);
  if (capture === null || held.length === 0) return [];
  const up = relative(place, workspace.root);
  const typed = held.map((path) => {
    const shown = shownPath((up === "" ? path : `${up}/${path}`) as PathName);
    return shown.startsWith("$") ? shown : shellWord(shown);
  });
  return ["What it would bring back is held:", `  refloat restore ${shortId(capture)} ${typed.join(" ")}`];
}

/** W2: where the branch may not go back, a commit reverses what it holds, and that is said. What cannot go now stays, and is said. */
async function fittedAct(
  context: Context,
  { store, here }: ActPlace,
  what: "undo" | "redo",
  taken: TakenDraft,
): Promise<CompiledAct> {
  const { workspace, env } = here;
  const act = compiled(context, here, what, taken, await baseOf(store.raw, workspace, taken));
  if (workspace.kind !== "git") return act;
  const repository = await workspace.repository();
  assertOnItsBranch(repository, act.draft);
  const fit = await fitTaken({ store: store.raw, workspace, repository }, taken);
  if (fit.kind === "rewritten")
    throw new RefloatError("E_UNDO_REWRITTEN", {
      branch: shortRef(fit.ref),
      commit: fit.reverses.slice(0, SHOWN_ID_CHARS),
    });
  const { reversal, stuck, leftAlone } = fit;
  const draft = fit.taken?.draft ?? { ...act.draft, puts: [], index: [], refs: [], isNoted: false };
  const fitting = { ...act, draft, leftAlone, stuck };
  const commit = await takenCommit(repository, draft);
  if (reversal.kind === "none")
    return commit ? { ...fitting, ...uncommitting(commit, commit.goes) } : fitting;
  const { reverses, why } = reversal;
  const write = async (): ReturnType<ActReversal["write"]> =>
    reversal.write({ env, home: await context.home() });
  const note = `A new commit reverses ${reverses.slice(0, SHOWN_ID_CHARS)}, which stays: ${why}.`;
  return { ...fitting, ...uncommitting(commit, note), reversal: { reverses, write } };
}

/** What a plan committed is taken back where it was committed: elsewhere the tree is another. */
function assertOnItsBranch(repository: Repository, { refs = [], head }: PlanDraft): void {
  if (refs.length === 0 || typeof head !== "string" || isHeadAt(repository, head)) return;
  const found = headFromFiles(repository)?.branch ?? null;
  throw new RefloatError("E_UNDO_ELSEWHERE", {
    branch: shortRef(head),
    found: found === null ? "no branch" : shortRef(found),
  });
}

const shortRef = (ref: string): string => ref.replace(/^refs\/heads\//, "");

const uncommitting = (
  taken: TakenCommit | null,
  note: string,
): Pick<CompiledAct, "notes" | "uncommits" | "committed"> => ({
  notes: [note, ...(taken?.again ? [taken.again] : [])],
  ...(taken ? { committed: taken.paths } : {}),
  ...(taken?.uncommits ? { uncommits: taken.uncommits } : {}),
});

/** The whole id of the plan somebody means. */
export function planNamed(typed: string, plans: readonly Plan[]): string {
  const begun = byBeginning(plans, typed, ({ id }) => id);
  const [one, ...others] = begun;
  if (!one) throw new RefloatError("E_NO_PLAN", { what: typed });
  if (others.length > 0)
    throw new RefloatError("E_AMBIGUOUS", { what: typed, matches: begun.map(({ id }) => id).join(", ") });
  return one.id;
}
