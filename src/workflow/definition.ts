/**
 * The one definition of 00-session-state.json, versions 1.0, 2.0 and 3.0. The checked-in JSON Schemas, the
 * template, the validator's structural rules and the targets of the upgrade chain are all made from it.
 *
 * Everything is loose: fields nobody here knows are somebody's, and kept (D5). Null and {} both mean "free".
 */
import { z } from "zod";
import { CONFIG_FILE, refloatConfig } from "../model/config.ts";
import type { JsonObject } from "../model/json.ts";
import { STATE_FILE, STATUSES, VERSIONS, type Version } from "../model/workflow-state.ts";
import { keysOf, ORIGINAL_WORKFLOW, type WorkflowShape } from "./step-list.ts";

// What the file is known by is told below this room, too: whoever judges a tree has to know it (S7).
export {
  HANDOFF_FILE,
  STATE_FILE,
  STATUSES,
  type StepStatus,
  VERSIONS,
  type Version,
} from "../model/workflow-state.ts";

/**
 * The tools by their names, and as the handbook's own examples write them; the last is what the published 2.0 template says before
 * anybody chose.
 */
const IAC_TOOLS = ["", "Bicep", "Terraform", "bicep", "terraform", "Bicep | Terraform"] as const;

/** How the top of the file spells a tool that somebody names, in whatever case; another name stays as it is. */
export const iacToolNamed = (typed: string): string =>
  IAC_TOOLS.find((tool) => tool.toLowerCase() === typed.toLowerCase()) ?? typed;

/** How long a heartbeat may be silent, unless the file says otherwise. */
export const DEFAULT_STALE_THRESHOLD_MS = 300_000;

export const isDate = (text: string): boolean => !Number.isNaN(Date.parse(text));
const date = z.string().refine(isDate, "is not a date").meta({ format: "date-time" });
// Any version nibble: the protocol never said which.
const TOKEN = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const token = z.string().regex(TOKEN, "is not a UUID");
export const isToken = (value: unknown): value is string => typeof value === "string" && TOKEN.test(value);
const freeOr = <T extends z.ZodType>(type: T) => type.nullable().optional();
const given = z.custom<unknown>((value) => value !== undefined, "is missing");

/** In a claim whose owner beats by a timer: how long that may take from one beat to the next. */
export const HEARTBEAT_EVERY = "heartbeat_every_ms";

const lock = z.looseObject({
  owner_id: freeOr(z.string()),
  heartbeat: freeOr(date),
  attempt_token: freeOr(token),
  acquired: freeOr(date),
});

const claim = z.looseObject({
  owner_id: freeOr(z.string()),
  heartbeat: freeOr(date),
  attempt_token: freeOr(token),
  [HEARTBEAT_EVERY]: freeOr(z.number().positive()),
  retry_count: z.number().nonnegative().optional(),
  event_log: z.array(z.unknown()).optional(),
});

/** What a holder may have, as lock or as claim. */
export const HOLDER_FIELDS: ReadonlySet<string> = new Set([
  ...Object.keys(lock.shape),
  ...Object.keys(claim.shape),
]);

/** Four shapes are in use; `readDecision` (decision-log.ts) reads them all, one is written. */
const stepRef = z.union([z.string(), z.number()]).nullable().optional();
const decisionEntry = z.union([
  z.looseObject({ key: z.string(), value: given, step: stepRef }),
  z.looseObject({ decision: z.string(), step: stepRef }),
  z.looseObject({ title: z.string(), choice: given, step: stepRef }),
]);

const audit = z.looseObject({
  passes_planned: z.number().nonnegative().optional(),
  passes_executed: z.number().nonnegative().optional(),
  skipped: z.array(z.unknown()).optional(),
  skip_reasons: z.array(z.unknown()).optional(),
  models_used: z.array(z.unknown()).optional(),
});

/** Of `context_files_used`, those that were loaded on demand. */
export const ON_DEMAND = "context_files_on_demand";

const stepBase = (names: readonly [string, ...string[]]) => ({
  name: z.enum(names),
  agent: z.string(),
  status: z.enum(STATUSES),
  sub_step: z.string().nullable(),
  started: z.string().nullable(),
  completed: z.string().nullable(),
  artifacts: z.array(z.string()),
  context_files_used: z.array(z.string()),
  [ON_DEMAND]: z.array(z.string()).optional(),
});

/** Those of every version; `telemetry` is 3.0's, and nothing here reads it. */
export const STEP_FIELDS: ReadonlySet<string> = new Set([
  ...Object.keys(stepBase([""])),
  "claim",
  "telemetry",
]);

function stepsOf(shape: WorkflowShape, version: Version) {
  const steps: Record<string, z.ZodType> = {};
  for (const spec of shape.steps) {
    const fields = stepBase([spec.name, ...spec.otherNames]);
    const one =
      version === "2.0" ? z.looseObject({ ...fields, claim: freeOr(claim) }) : z.looseObject(fields);
    // Two spellings: neither can be required by name alone; `step-missing` sees to it (rules.ts).
    const isFree = spec.isOptional || keysOf(spec).length > 1;
    for (const key of keysOf(spec)) steps[key] = isFree ? one.optional() : one;
  }
  return z.looseObject(steps);
}

export const schemaId = (version: Version): string => `urn:refloat:session-state:${version}`;

function document(shape: WorkflowShape, version: Version) {
  const last = Math.max(...shape.steps.map(({ number }) => number));
  // A decision is written when it is made: one that is not there yet is no damage, unless a config says that it must be.
  const decision = shape.needsDecisions ? given : given.optional();
  const decisions = Object.fromEntries(shape.decisions.map((name) => [name, decision]));
  return z
    .looseObject({
      $schema: z.string().optional(),
      schema_version: z.literal(version),
      project: z.string(),
      iac_tool: z.enum(IAC_TOOLS),
      region: z.string(),
      branch: z.string(),
      updated: z.string(),
      current_step: z.number().min(0).max(last),
      ...(version === "2.0"
        ? { stale_threshold_ms: z.number().positive().optional(), lock: freeOr(lock) }
        : {}),
      decisions: z.looseObject({
        ...decisions,
        complexity: z.enum(["", "simple", "standard", "complex"]).optional(),
        ...(version === "3.0" ? { review_depth: z.enum(["default", "deep"]).optional() } : {}),
      }),
      open_findings: z.array(z.string()),
      decision_log: z.array(decisionEntry).optional(),
      review_audit: z
        .looseObject(
          Object.fromEntries(
            shape.steps.flatMap((spec) => keysOf(spec).map((key) => [`step_${key}`, audit.optional()])),
          ),
        )
        .optional(),
      steps: stepsOf(shape, version),
    })
    .meta({ title: `${STATE_FILE} ${version}` });
}

export type Definition = Readonly<Record<Version, ReturnType<typeof document>>>;

const made = new WeakMap<WorkflowShape, Definition>();

/** Made once per step list: building a schema costs more than using it. */
export function definitionFor(shape: WorkflowShape): Definition {
  const known = made.get(shape);
  if (known) return known;
  const definition = {
    "1.0": document(shape, "1.0"),
    "2.0": document(shape, "2.0"),
    "3.0": document(shape, "3.0"),
  };
  made.set(shape, definition);
  return definition;
}

export const isVersion = (value: unknown): value is Version => VERSIONS.includes(value as Version);

/** The definition as JSON Schemas, for editors and other tools; schemas/ holds them, a test compares. */
interface SchemaFile {
  readonly name: string;
  readonly text: string;
}

export function jsonSchemaOf(shape: WorkflowShape, version: Version): JsonObject {
  const schema = z.toJSONSchema(definitionFor(shape)[version], {
    unrepresentable: "any",
    io: "input",
    reused: "inline",
  });
  const { $schema, ...rest } = schema as unknown as JsonObject;
  return { $schema, $id: schemaId(version), ...rest };
}

export function schemaFiles(): readonly SchemaFile[] {
  const states = VERSIONS.map((version) => ({
    name: `session-state-${version}.json`,
    text: `${JSON.stringify(jsonSchemaOf(ORIGINAL_WORKFLOW, version), null, 2)}\n`,
  }));
  return [...states, { name: CONFIG_FILE, text: `${JSON.stringify(configSchema(), null, 2)}\n` }];
}

/** `refloat.json` and the user's own config. */
function configSchema(): JsonObject {
  const { $schema, ...rest } = z.toJSONSchema(refloatConfig, { io: "input", reused: "inline" });
  return { $schema: $schema ?? "", title: "refloat's config", ...(rest as unknown as JsonObject) };
}
