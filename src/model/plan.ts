/**
 * A plan as its record says it (DESIGN 7, S5): everything the act will change, with what must be there before and
 * what will be there after, durable before the first change. With the safety capture it is also all that undo
 * needs: before states by content, index entries and refs on both sides.
 */
import { z } from "zod";
import { owner } from "./owner.ts";
import { heldPath, insidePath, presentState } from "./path-state.ts";

/** What an act is called. Records keep the word as text: a newer refloat may know more of them (D5). */
export const ACT_NAMES = [
  "restore",
  "discard",
  "commit",
  "settle",
  "park",
  "unpark",
  "undo",
  "redo",
  "remove-worktree",
  "recreate",
] as const;
export type ActName = (typeof ACT_NAMES)[number];

const state = presentState.nullable();

/** Bits of an index entry that its mode, id and stage do not tell. */
export const indexFlag = z.enum(["skip-worktree", "assume-unchanged", "intent-to-add"]);
export type IndexFlag = z.infer<typeof indexFlag>;

const stagedEntry = z.looseObject({
  mode: z.number().int(),
  id: z.string(),
  stage: z.number().int(),
  flags: z.array(indexFlag).optional(),
});

const planPut = z.looseObject({
  ...heldPath,
  group: z.string(),
  expect: state,
  put: state,
  /** Not named by whoever asked: an ignored file in a folder that is replaced (W6). */
  ignored: z.boolean().optional(),
});

const planIndexEdit = z.looseObject({
  ...heldPath,
  group: z.string(),
  expect: z.array(stagedEntry),
  put: z.array(stagedEntry),
});

/** Null: there is no such ref. */
const planRef = z.looseObject({
  ref: z.string(),
  expect: z.string().nullable(),
  put: z.string().nullable(),
});

const planFolder = z.looseObject({ ...heldPath, mode: z.number().int() });

/** A path that was not as the plan expects: the plan leaves its group alone. */
const planConflict = z.looseObject({
  ...insidePath,
  group: z.string(),
  expected: state,
  found: state,
  /** Why, where the states alone do not say it. */
  why: z.string().nullable(),
});

export const plan = z.looseObject({
  plan: z.string(),
  act: z.string(),
  /** On whose behalf; null: nobody's, the user's own order. */
  session: z.string().nullable(),
  note: z.string().nullable(),
  executor: owner,
  workspace: z.looseObject({ path: z.string(), clone: z.string().nullable() }),
  /** The safety capture, in this journal. Null: no path of the tree is touched. */
  capture: z.string().nullable(),
  /** Part of the name of every file the plan keeps beside another while it runs. */
  token: z.string(),
  /** The branch HEAD must be on, null: detached. Absent: it does not matter. */
  head: z.string().nullable().optional(),
  puts: z.array(planPut),
  index: z.array(planIndexEdit),
  refs: z.array(planRef),
  /** Blobs that the index names on either side, held as contents: git may collect them meanwhile. */
  objects: z.array(z.looseObject({ id: z.string(), hash: z.string() })),
  /** Folders that were not there and will be made. */
  makes: z.array(planFolder),
  /** Folders that may be left empty, with their permission bits; these alone may be removed. */
  empties: z.array(planFolder),
  /** What was left out when the plan was made. */
  conflicts: z.array(planConflict),
  /** Groups that count as done by it though nothing of them had to change. */
  covers: z.array(z.string()).optional(),
  undoes: z.string().nullable(),
  redoes: z.string().nullable(),
  /** Whatever the compiler of this act wants to remember: a parked group's name, a commit's id. */
  data: z.looseObject({}),
});
export type PlanBody = z.infer<typeof plan>;

/** The steps of a plan, in this order. */
export const PLAN_STEPS = ["tree", "index", "refs"] as const;
export const planStep = z.enum(PLAN_STEPS);
export type PlanStep = z.infer<typeof planStep>;

const backs = {
  /** Groups that were put back, or never begun, because one of their paths had changed. */
  back: z.array(z.string()),
  conflicts: z.array(planConflict),
};

/** A step of the plan is behind it: what is found otherwise from now on was changed by somebody else. */
export const planAdvanced = z.looseObject({ plan: z.string(), step: planStep, ...backs });

/** What somebody else wrote at the very moment of a swap: nowhere in the tree any more, held in the store. */
export const planKept = z.looseObject({ plan: z.string(), ...heldPath, state: presentState });

export const planEnded = z.looseObject({
  plan: z.string(),
  outcome: z.enum(["done", "rolled-back"]),
  /** True: by a later start, because its executor died or gave up. */
  late: z.boolean(),
  ...backs,
});
