/** A brief's facts from what the survivor computed: the manifest, the journal, the workflow's state file, the acts. */
import { join } from "node:path";
import { RefloatError } from "../model/errors.ts";
import { isJsonObject, type Json } from "../model/json.ts";
import type { Manifest } from "../model/manifest.ts";
import { STATE_FILE } from "../model/workflow-state.ts";
import type { SessionStory } from "../salvage/story/session-story.ts";
import type { SessionSummary } from "../session/describe.ts";
import type { SessionRow } from "../store/contract/driver.ts";
import type { Store } from "../store/store.ts";
import type { ChildTool } from "../text/child-resume-words.ts";
import { redactJson } from "../text/redact.ts";
import { saidOrderText } from "../text/said-order-text.ts";
import { decisionsIn } from "../workflow/decision-log.ts";
import { createShapeReader } from "../workflow/read-config.ts";
import { saidAbout } from "../workflow/said-orders.ts";
import { own, stepsIn, textOf } from "../workflow/state-doc.ts";
import { readStateFile } from "../workflow/state-files-on-disk.ts";
import { findStateFiles } from "../workflow/state-paths.ts";
import { parseState } from "../workflow/validate.ts";
import type { Workspace } from "../workspace/opening/workspace.ts";
import { actsDone } from "./acts-done.ts";
import type { BriefDecision, BriefFacts, BriefSaid, BriefStep } from "./brief-facts.ts";
import { journalFacts, NO_JOURNAL } from "./journal-facts.ts";
import { toldFacts } from "./told-facts.ts";

export interface FactSources {
  /** Null: there is none yet. */
  readonly store: Store | null;
  /** Null: an implied session. */
  readonly row: SessionRow | null;
  readonly summary: SessionSummary;
  readonly workspace: Workspace;
  readonly manifest: Manifest;
  readonly story: SessionStory;
  /** Commands as they can be typed where the brief is printed (T6). */
  readonly typed: (text: string) => string;
  readonly childTool?: ChildTool | null;
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
      ...(summary.moved_from === undefined ? {} : { moved_from: summary.moved_from }),
      last_at: summary.ended_at ?? journal.lastAt,
    },
    goal: manifest.goal,
    last_output: manifest.last_output,
    turn: manifest.turn === null ? null : { ...turnOf(manifest.turn), input: journal.turnInput },
    calls: manifest.calls
      .filter(({ status }) => OPEN_STATUSES.has(status))
      .map(({ id: call, tool, input, status, effect, check, before }) => ({
        ...{ id: call, tool, status, effect, check },
        ...(before === undefined ? {} : { before }),
        input: (input ?? null) as Json,
      })),
    operations: manifest.operations.map(({ id: operation, label, state: at, paths, so_far }) => ({
      ...{ id: operation, label, paths },
      state: at,
      ...(so_far ? { so_far } : {}),
    })),
    groups: manifest.groups.map(({ id: group, verdict, reasons, changes }) => ({
      ...{ id: group, verdict },
      reasons: reasons.map(({ rule, message, remedy }) => ({
        ...{ rule, message },
        ...(remedy === undefined ? {} : { remedy }),
      })),
      changes: changes.map(({ path, kind, owner }) => ({ path, kind, owner })),
    })),
    claims_contradicted: manifest.claims_contradicted.map(({ claim, said, evidence }) => ({
      ...{ claim, said, evidence },
    })),
    leftovers: manifest.leftovers.map(({ pid, command }) => ({ pid, command })),
    steps: workflow.steps,
    said: store ? await saidFacts(store, workspace.root) : [],
    decisions: [...manifest.decisions.map(decisionOf), ...workflow.decisions],
    waiting: journal.waiting,
    done: [...journal.done, ...(store ? await actsDone(store, workspace, row?.id ?? null, typed) : [])],
    base: baseOf(manifest),
    ...heldOf(manifest),
    next: manifest.next,
    told: await toldFacts({ ...sources, root: workspace.root }),
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

const turnOf = ({ id, outcome, started_at, inferred }: NonNullable<Manifest["turn"]>) => ({
  ...{ id, outcome, started_at },
  ...(inferred ? { inferred } : {}),
});

function decisionOf({ key, value, reason, ...more }: Manifest["decisions"][number]): BriefDecision {
  return {
    key,
    value: (value ?? null) as Json,
    reason,
    step: typeof more.step === "string" ? more.step : null,
  };
}

/** The steps and decisions of the workflow state file of a workspace, where it has exactly one that can be read. */
export interface WorkflowFacts {
  readonly steps: readonly BriefStep[];
  readonly decisions: readonly BriefDecision[];
}

const NONE: WorkflowFacts = { steps: [], decisions: [] };

/** What was said of it from inside a sandbox and is not in the file. */
async function saidFacts(store: Store, folder: string): Promise<readonly BriefSaid[]> {
  const file = stateFileMeant(folder);
  if (file === null) return [];
  const { waiting, refused } = await saidAbout(store, file);
  return [
    ...refused.map(({ order, why }) => ({ order: saidOrderText(order), refused: why })),
    ...waiting.map(({ order }) => ({ order: saidOrderText(order), refused: null })),
  ];
}

/** The only one; the first that is to be there may have been said only. */
function stateFileMeant(folder: string): string | null {
  const [file = join(folder, STATE_FILE), ...others] = findStateFiles(folder);
  return others.length > 0 ? null : file;
}

/** A damaged state file is `state validate`'s and `doctor`'s to tell; a brief goes without it. */
export function workflowFacts(folder: string): WorkflowFacts {
  const [file, ...others] = findStateFiles(folder);
  if (file === undefined || others.length > 0) return NONE;
  try {
    const text = readStateFile(file);
    const parsed = text === null ? null : parseState(text);
    if (parsed?.kind !== "parsed" || !isJsonObject(parsed.value)) return NONE;
    const doc = parsed.value;
    return {
      steps: stepsIn(doc, createShapeReader()(file))
        .filter(({ isThere }) => isThere)
        .map(({ spec, status, body }) => ({
          id: spec.id,
          name: spec.name,
          status: status ?? "unknown",
          sub_step: textOf(own(body, "sub_step")),
        })),
      decisions: decisionsIn(doc).flatMap((one) =>
        one ? [{ key: one.key, value: one.value, reason: one.reason, step: one.step }] : [],
      ),
    };
  } catch (thrown) {
    if (thrown instanceof RefloatError) return NONE;
    throw thrown;
  }
}

/** Takes secrets out of a brief's facts before anything is chosen or cut (T4): half a secret is found by no rule. */
export async function redactFacts(facts: BriefFacts): Promise<BriefFacts> {
  const { value } = await redactJson(facts as unknown as Json);
  const redacted = value as unknown as BriefFacts;
  const decisions: BriefDecision[] = [];
  for (const decision of redacted.decisions) decisions.push(await redactDecision(decision));
  return { ...redacted, decisions };
}

/** The name that tells a secret is the decision's key here, not the field it stands in. */
async function redactDecision(decision: BriefDecision): Promise<BriefDecision> {
  const { value } = await redactJson({ [decision.key]: decision.value });
  const redacted = isJsonObject(value) ? value[decision.key] : undefined;
  return redacted === undefined ? decision : { ...decision, value: redacted };
}
