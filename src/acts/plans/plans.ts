/** A workspace's plans as its journal tells them: those that are open, and the history that undo goes back along. */
import type { ContentHash, SessionId } from "../../model/ids.ts";
import type { JsonObject } from "../../model/json.ts";
import type { Owner } from "../../model/owner.ts";
import { type PathName, pathFromJson } from "../../model/path-name.ts";
import type { PathState } from "../../model/path-state.ts";
import type { PlanBody, PlanStep } from "../../model/plan.ts";
import { PLAN_STEPS } from "../../model/plan.ts";
import { bodyAs, type StoredRecord } from "../../model/record.ts";
import type { Store } from "../../store/store.ts";
import type { Workspace } from "../../workspace/opening/workspace.ts";
import { stateOf } from "../../workspace/tree/reading.ts";
import { actsSessionOf, isOtherTree } from "./acts-session.ts";
import type { FolderMode, HeldObject, IndexEdit, PathPut, RefSwap } from "./draft.ts";
import type { Conflict } from "./outcome.ts";

export interface PlanPut extends PathPut {
  /** An ignored file in a folder that is replaced (W6): named by the primitive, not by who asked. */
  readonly ignored: boolean;
}

export interface Plan {
  readonly id: string;
  /** The top of the tree it was made for. */
  readonly path: string;
  readonly act: string;
  readonly session: SessionId | null;
  readonly note: string | null;
  readonly seq: number;
  readonly atMs: number;
  readonly executor: Owner;
  /** The attempt it was made under. */
  readonly attempt: number;
  /** The safety capture, in the journal `actsSessionOf(workspace)`. */
  readonly capture: string | null;
  readonly token: string;
  readonly head: string | null | undefined;
  readonly puts: readonly PlanPut[];
  readonly index: readonly IndexEdit[];
  readonly refs: readonly RefSwap[];
  readonly objects: readonly HeldObject[];
  readonly makes: readonly FolderMode[];
  readonly empties: readonly FolderMode[];
  /** Groups that count as done by it though nothing of them had to change. */
  readonly covers: readonly string[];
  readonly undoes: string | null;
  readonly redoes: string | null;
  readonly data: JsonObject;
  readonly state: "open" | "done" | "rolled-back";
  /** Steps that are behind it. */
  readonly steps: ReadonlySet<PlanStep>;
  /** Groups that were put back or never begun: of these the plan changed nothing. */
  readonly back: ReadonlySet<string>;
  /** Those it was made with and those found since. */
  readonly conflicts: readonly Conflict[];
  /** What somebody wrote at the very moment of a swap: in the store only. */
  readonly kept: readonly { readonly path: PathName; readonly state: PathState }[];
  /** It was made for a tree that lay here before: another clone. Never applied, undone or finished here. */
  readonly isOfOtherTree: boolean;
}

export const planRecordId = (plan: string): string => `plan:${plan}`;
export const planEndRecordId = (plan: string): string => `plan-settled:${plan}`;
export const advancedRecordId = (plan: string, step: PlanStep): string => `plan-${step}:${plan}`;

/** Newest first, one at a time: a plan of many paths is large. Damaged and forgotten ones are left out. */
export async function* plansOf(store: Store, workspace: Workspace): AsyncGenerator<Plan> {
  const session = actsSessionOf(workspace);
  let toSeq: number | undefined;
  for (;;) {
    const query = { session, kinds: ["plan.made"], order: "backward" as const, limit: 1 };
    const [record] = await store.records({ ...query, ...(toSeq === undefined ? {} : { toSeq }) });
    if (!record) return;
    const plan = await planOf(store, workspace, record);
    if (plan) yield plan;
    toSeq = record.seq - 1;
    if (toSeq < 1) return;
  }
}

/** What a dead executor left, oldest first. Reading commands show it; `finishPlans` ends it. */
export async function openPlans(store: Store, workspace: Workspace): Promise<Plan[]> {
  const session = actsSessionOf(workspace);
  const rows = (await store.open(session)).filter(({ what }) => what === "plan");
  const plans: Plan[] = [];
  for (const { id } of rows) {
    const plan = await findPlan(store, workspace, id);
    if (plan) plans.push(plan);
  }
  return plans.sort((a, b) => a.seq - b.seq);
}

export async function findPlan(store: Store, workspace: Workspace, id: string): Promise<Plan | null> {
  const record = await store.recordById(actsSessionOf(workspace), planRecordId(id) as StoredRecord["id"]);
  return record && planOf(store, workspace, record);
}

/** Those that a session brought along from a store it was sent from: what they parked can be had here. Newest first. */
export async function carriedPlans(store: Store, session: SessionId): Promise<Plan[]> {
  const query = { session, kinds: ["parked.carried"], order: "backward", limit: 1 } as const;
  const [record] = await store.records(query);
  const carried = (record && bodyAs(record, "parked.carried")?.plans) ?? [];
  return carried.map(({ plan, back, at_ms }) => ({
    ...fieldsOf(plan),
    ...{ seq: record?.seq ?? 0, atMs: at_ms, attempt: 0, state: "done" as const, steps: new Set(PLAN_STEPS) },
    ...{ back: new Set(back), conflicts: [], kept: [], isOfOtherTree: true },
  }));
}

/** As it is written down. */
export async function planBody(store: Store, workspace: Workspace, id: string): Promise<PlanBody | null> {
  const record = await store.recordById(actsSessionOf(workspace), planRecordId(id) as StoredRecord["id"]);
  return record && bodyAs(record, "plan.made");
}

async function planOf(store: Store, workspace: Workspace, record: StoredRecord): Promise<Plan | null> {
  const body = record.isDamaged || record.isForgotten ? null : bodyAs(record, "plan.made");
  if (!body) return null;
  const at = (id: string): Promise<StoredRecord | null> =>
    store.recordById(record.session, id as StoredRecord["id"]);
  const steps = new Set<PlanStep>();
  const back = new Set<string>();
  const conflicts = body.conflicts.map(conflictOf);
  for (const step of PLAN_STEPS) {
    const found = await at(advancedRecordId(body.plan, step));
    const advanced = found && bodyAs(found, "plan.advanced");
    if (!advanced) continue;
    steps.add(step);
    for (const group of advanced.back) back.add(group);
    conflicts.push(...advanced.conflicts.map(conflictOf));
  }
  const settledRecord = await at(planEndRecordId(body.plan));
  const settled = settledRecord && bodyAs(settledRecord, "plan.settled");
  for (const group of settled?.back ?? []) back.add(group);
  conflicts.push(...(settled?.conflicts ?? []).map(conflictOf));
  return {
    ...fieldsOf(body),
    seq: record.seq,
    atMs: record.atMs,
    attempt: record.attempt ?? 0,
    state: settled?.outcome ?? "open",
    steps,
    back,
    conflicts,
    kept: await keptOf(store, record, body.plan),
    isOfOtherTree: isOtherTree(workspace, body.workspace.clone),
  };
}

async function keptOf(store: Store, { session, seq }: StoredRecord, plan: string): Promise<Plan["kept"]> {
  const kept: { path: PathName; state: PathState | null }[] = [];
  for await (const record of store.journal(session, { fromSeq: seq, kinds: ["plan.kept"] })) {
    const body = bodyAs(record, "plan.kept");
    if (body?.plan === plan) kept.push({ path: pathFromJson(body), state: stateOf(body.state) });
  }
  return kept;
}

type PlanFields = Omit<
  Plan,
  "seq" | "atMs" | "attempt" | "state" | "steps" | "back" | "conflicts" | "kept" | "isOfOtherTree"
>;

function fieldsOf(body: PlanBody): PlanFields {
  return {
    id: body.plan,
    path: body.workspace.path,
    act: body.act,
    session: body.session as SessionId | null,
    note: body.note,
    executor: body.executor,
    capture: body.capture,
    token: body.token,
    head: body.head,
    puts: body.puts.map(({ group, expect, put, ignored, ...path }) => ({
      path: pathFromJson(path),
      group,
      expect: stateOf(expect),
      put: stateOf(put),
      ignored: ignored ?? false,
    })),
    index: body.index.map(({ group, expect, put, ...path }) => ({
      path: pathFromJson(path),
      group,
      expect,
      put,
    })),
    refs: body.refs.map(({ ref, expect, put }) => ({ ref, expect, put })),
    objects: body.objects.map(({ id, hash }) => ({ id, hash: hash as ContentHash })),
    makes: body.makes.map(({ mode, ...path }) => ({ path: pathFromJson(path), mode })),
    empties: body.empties.map(({ mode, ...path }) => ({ path: pathFromJson(path), mode })),
    covers: body.covers ?? [],
    undoes: body.undoes,
    redoes: body.redoes,
    data: body.data as JsonObject,
  };
}

function conflictOf(json: PlanBody["conflicts"][number]): Conflict {
  const { group, expected, found, why, ...path } = json;
  return {
    path: pathFromJson(path),
    group,
    expected: stateOf(expected),
    found: stateOf(found),
    why,
  };
}
