/**
 * The steps a workflow has: the original list of the state file's inventors by default, another one by
 * configuration (`workflow.steps` in refloat.json). Everything that knows a step by number or name reads it here.
 */
import type { WorkflowConfig } from "../model/config.ts";

export interface StepSpec {
  /** As people and commands say it: "3.5". Files write it "3.5" or "3_5". */
  readonly id: string;
  /** What `current_step` says while this one is at work: 3.5 is 3 there. */
  readonly number: number;
  readonly name: string;
  /** What the handbook calls it beside that: read, never written. */
  readonly otherNames: readonly string[];
  readonly agent: string;
  /** A file without it is still whole: the step came to the list later. */
  readonly isOptional: boolean;
  /** The checkpoints inside the step, in order; others are allowed. */
  readonly subSteps: readonly string[];
  /** How many files the step may load at its start. Two published tables differ: the larger number counts. */
  readonly budget: number;
  /** Beginnings of the names of the files it makes: evidence for a rebuild when every copy is lost. */
  readonly makes: readonly string[];
}

export interface WorkflowShape {
  readonly steps: readonly StepSpec[];
  /** Names that a new file's `decisions` has. */
  readonly decisions: readonly string[];
  /** Whether every file must have them: a config that lists them says so. */
  readonly needsDecisions: boolean;
  /** What the handoff may cost at most, in tokens (1 token = 4 bytes). */
  readonly handoffTokens: number;
}

/** Two pages: what a fresh session reads before anything else must leave it room to work. */
const DEFAULT_HANDOFF_TOKENS = 2000;

const phases = (...names: readonly string[]): readonly string[] => names.map((name) => `phase_${name}`);

const step = (
  id: string,
  name: string,
  agent: string,
  budget: number,
  more: Pick<StepSpec, "subSteps" | "makes"> & Partial<StepSpec>,
): StepSpec => ({
  isOptional: false,
  otherNames: [],
  ...more,
  id,
  number: Math.floor(Number(id)),
  name,
  agent,
  budget,
});

export const ORIGINAL_WORKFLOW: WorkflowShape = {
  steps: [
    step("1", "Requirements", "02-Requirements", 2, {
      subSteps: phases("1_discovery", "2_workload", "3_nfr", "4_technical", "5_artifact"),
      makes: ["01-"],
    }),
    step("2", "Architecture", "03-Architect", 3, {
      subSteps: phases("1_prereqs", "2_waf", "3_cost", "4_challenger", "5_artifact"),
      makes: ["02-"],
    }),
    step("3", "Design", "04-Design", 2, {
      subSteps: phases("1_prereqs", "2_diagram", "3_adr", "4_artifact"),
      makes: ["03-des-diagram", "03-des-adr"],
    }),
    step("3.5", "Governance", "04g-Governance", 2, {
      subSteps: [],
      makes: ["04-governance"],
      isOptional: true,
    }),
    step("4", "IaC Plan", "", 3, {
      otherNames: ["Plan"],
      subSteps: phases(
        "1_governance",
        "2_avm",
        "3_plan",
        "3.5_strategy",
        "4_diagrams",
        "5_challenger",
        "6_artifact",
      ),
      makes: ["04-implementation"],
    }),
    step("5", "IaC Code", "", 3, {
      otherNames: ["Code"],
      subSteps: phases(
        "1_preflight",
        "1.5_governance",
        "2_scaffold",
        "3_modules",
        "4_lint",
        "5_challenger",
        "6_artifact",
      ),
      makes: ["05-"],
    }),
    step("6", "Deploy", "", 2, {
      subSteps: phases("1_auth", "2_preview", "3_deploy", "4_verify", "5_artifact"),
      makes: ["06-"],
    }),
    step("7", "As-Built", "08-As-Built", 3, {
      subSteps: phases("1_prereqs", "2_inventory", "3_docs", "4_cost", "5_diagram", "6_index"),
      makes: ["07-"],
    }),
  ],
  decisions: ["region", "compliance", "budget", "architecture_pattern", "deployment_strategy"],
  needsDecisions: false,
  handoffTokens: DEFAULT_HANDOFF_TOKENS,
};

/** A step without a budget of its own gets this one. */
const DEFAULT_BUDGET = 3;

export function shapeOfConfig(config: WorkflowConfig): WorkflowShape {
  const steps = config.steps?.map(
    (one): StepSpec => ({
      id: dotted(String(one.id)),
      number: Math.floor(Number(dotted(String(one.id)))),
      name: one.name,
      otherNames: [],
      agent: one.agent ?? "",
      isOptional: one.optional ?? false,
      subSteps: one.sub_steps ?? [],
      budget: one.budget ?? DEFAULT_BUDGET,
      makes: one.makes ?? [],
    }),
  );
  return {
    steps: steps ?? ORIGINAL_WORKFLOW.steps,
    decisions: config.decisions ?? (steps ? [] : ORIGINAL_WORKFLOW.decisions),
    needsDecisions: config.decisions !== undefined,
    handoffTokens: config.handoff_tokens ?? ORIGINAL_WORKFLOW.handoffTokens,
  };
}

export const dotted = (key: string): string => key.replace("_", ".");
export const underscored = (key: string): string => key.replace(".", "_");

/** The keys a file may use for a step: one or two spellings. */
export function keysOf({ id }: Pick<StepSpec, "id">): readonly string[] {
  const known = spellings.get(id);
  if (known) return known;
  const keys = id.includes(".") ? [id, underscored(id)] : [id];
  spellings.set(id, keys);
  return keys;
}

/** Asked for every step of every file; the ids are those of step lists, so there are few. */
const spellings = new Map<string, readonly string[]>();

export function stepNamed(shape: WorkflowShape, typed: string): StepSpec | null {
  return shape.steps.find(({ id }) => id === dotted(typed)) ?? null;
}
