/** A brief's facts from what the survivor computed: the manifest, the journal, the workflow's state file, the acts. */
import type { Json } from "../model/json.ts";
import type { Manifest } from "../model/manifest.ts";
import type { SessionSummary } from "../session/describe.ts";
import type { SessionRow } from "../store/contract/driver.ts";
import type { Store } from "../store/store.ts";
import type { Workspace } from "../workspace/opening/workspace.ts";
import { actsDone } from "./acts-done.ts";
import type { BriefDecision, BriefFacts } from "./brief-facts.ts";
import { journalFacts, NO_JOURNAL } from "./journal-facts.ts";
import { workflowFacts } from "./workflow-steps.ts";

export interface FactSources {
  /** Null: there is none yet. */
  readonly store: Store | null;
  /** Null: an implied session. */
  readonly row: SessionRow | null;
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

export async function gatherFacts(sources: FactSources): Promise<BriefFacts> {
  const { store, row, summary, workspace, manifest, typed } = sources;
  const journal = store && row ? await journalFacts(store, row) : NO_JOURNAL;
  const workflow = workflowFacts(workspace.root);
  const { id, agent, state, unsettled, cause, attempt, last_attempt, dirty_ends } = manifest.session;
  return {
    session: {
      ...{ id, agent, state, unsettled, cause, attempt, last_attempt, dirty_ends },
      ...(manifest.session.implied ? { implied: true as const } : {}),
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
    done: [...journal.done, ...(store ? await actsDone(store, workspace, row?.id ?? null, typed) : [])],
    base: baseOf(manifest),
    ...heldOf(manifest),
    next: manifest.next,
  };
}

function baseOf({ base: { head, branch, began_at, worked_on } }: Manifest): BriefFacts["base"] {
  return {
    ...{ head, branch },
    ...(began_at === undefined ? {} : { began_at }),
    ...(worked_on === undefined ? {} : { worked_on }),
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
