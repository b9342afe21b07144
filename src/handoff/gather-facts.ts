/** A brief's facts from what the survivor computed: the manifest, the journal, the workflow's state file, the acts. */
import { historyOf } from "../acts/history.ts";
import { changedPaths } from "../acts/plan-parts.ts";
import { type Plan, plansOf } from "../acts/plans.ts";
import type { Json } from "../model/json.ts";
import type { Manifest } from "../model/manifest.ts";
import type { SessionSummary } from "../session/describe.ts";
import type { SessionRow } from "../store/driver.ts";
import type { Store } from "../store/store.ts";
import { count } from "../text/counting.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { BriefDecision, BriefFacts } from "./brief-facts.ts";
import { journalFacts } from "./journal-facts.ts";
import { workflowFacts } from "./workflow-steps.ts";

export interface FactSources {
  readonly store: Store;
  readonly row: SessionRow;
  readonly summary: SessionSummary;
  readonly workspace: Workspace;
  readonly manifest: Manifest;
  /** Commands as they can be typed where the brief is printed (T6). */
  readonly typed: (text: string) => string;
}

/** What nobody saw end: whether it happened is the next session's first question (C4). */
const OPEN_STATUSES: ReadonlySet<string> = new Set([
  "requested",
  "running",
  "interrupted",
  "unknown-outcome",
]);
/** Acts named one by one; `undo` goes back further. */
const MAX_PLANS = 5;
/** Plans looked through for those of this session. */
const MAX_PLANS_READ = 50;

export async function gatherFacts(sources: FactSources): Promise<BriefFacts> {
  const { store, row, summary, workspace, manifest } = sources;
  const journal = await journalFacts(store, row);
  const workflow = workflowFacts(workspace.root);
  const { id, agent, state, unsettled, cause, attempt, last_attempt, dirty_ends } = manifest.session;
  return {
    session: {
      ...{ id, agent, state, unsettled, cause, attempt, last_attempt, dirty_ends },
      name: summary.name,
      workspace: summary.workspace,
      last_at: summary.ended_at ?? journal.lastAt,
    },
    goal: manifest.goal,
    last_output: manifest.last_output,
    turn: manifest.turn === null ? null : { ...turnOf(manifest.turn), input: journal.turnInput },
    calls: manifest.calls
      .filter(({ status }) => OPEN_STATUSES.has(status))
      .map(({ id: call, tool, input, status, effect, check }) => ({
        ...{ id: call, tool, status, effect, check },
        input: (input ?? null) as Json,
      })),
    operations: manifest.operations.map(({ id: operation, label, state: at, paths, so_far }) => ({
      ...{ id: operation, label, paths },
      state: at,
      ...(so_far ? { so_far } : {}),
    })),
    groups: manifest.groups.map(({ id: group, verdict, reasons, changes }) => ({
      ...{ id: group, verdict },
      reasons: reasons.map(({ rule, message }) => ({ rule, message })),
      changes: changes.map(({ path, kind, owner }) => ({ path, kind, owner })),
    })),
    claims_contradicted: manifest.claims_contradicted.map(({ claim, said, evidence }) => ({
      ...{ claim, said, evidence },
    })),
    leftovers: manifest.leftovers.map(({ pid, command }) => ({ pid, command })),
    steps: workflow.steps,
    decisions: [...manifest.decisions.map(decisionOf), ...workflow.decisions],
    waiting: journal.waiting,
    done: [...journal.done, ...(await actsOf(sources))],
    base: { head: manifest.base.head, branch: manifest.base.branch },
    ...heldOf(manifest),
    next: manifest.next,
  };
}

function heldOf({ held }: Manifest): Pick<BriefFacts, "held"> {
  if (!held) return {};
  const { capture, path, missing_commits } = held;
  return { held: { capture, path, missing_commits } };
}

const turnOf = ({ id, outcome, started_at }: NonNullable<Manifest["turn"]>) => ({ id, outcome, started_at });

function decisionOf({ key, value, reason, ...more }: Manifest["decisions"][number]): BriefDecision {
  return {
    key,
    value: (value ?? null) as Json,
    reason,
    step: typeof more.step === "string" ? more.step : null,
  };
}

/** What was done to the tree on this session's behalf and still stands, oldest first: what was taken back cannot be again (T6). */
async function actsOf({ store, row, workspace, typed }: FactSources): Promise<BriefFacts["done"]> {
  const plans: Plan[] = [];
  for await (const plan of plansOf(store, workspace)) {
    if (plans.length >= MAX_PLANS_READ) break;
    plans.push(plan);
  }
  const own = historyOf(plans).standing.filter(({ session }) => session === row.id);
  const found = own.slice(0, MAX_PLANS).map((plan) => ({
    at: new Date(plan.atMs).toISOString(),
    text: `${plan.act} of ${count(changedPaths(plan).length, "path")}: undo with ${typed(`refloat undo --plan ${plan.id}`)}`,
  }));
  return found.reverse();
}
