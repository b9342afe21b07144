/** A plan's records: made, advanced, kept, ended. The one place where a plan takes the form of its journal. */
import type { ContentHash } from "../../model/ids.ts";
import type { JsonObject } from "../../model/json.ts";
import { type PathName, pathForDisplay, pathJson } from "../../model/path-name.ts";
import type { PathState, PresentState } from "../../model/path-state.ts";
import type { PlanBody, PlanStep } from "../../model/plan.ts";
import type { NewRecord } from "../../model/record.ts";
import type { Clock } from "../../platform/clock.ts";
import { newRecord } from "../../session/new-record.ts";
import type { StagedEntry } from "../../workspace/git/index-file.ts";
import type { IndexEdit, PlanDraft } from "./draft.ts";
import type { Conflict } from "./outcome.ts";
import { advancedRecordId, type Plan, planEndRecordId, planRecordId } from "./plans.ts";

export type NewPlan = Pick<
  Plan,
  | "id"
  | "act"
  | "session"
  | "note"
  | "executor"
  | "capture"
  | "token"
  | "head"
  | "puts"
  | "index"
  | "refs"
  | "objects"
  | "makes"
  | "empties"
  | "covers"
  | "undoes"
  | "redoes"
  | "data"
  | "conflicts"
> & { readonly workspace: { readonly path: string; readonly clone: string } };

/** Names every content that the plan or its undo needs: none may be collected while the plan is known. */
export function madeRecord(clock: Clock, plan: NewPlan, more: PlanDraft["contents"] = []): NewRecord {
  const body: PlanBody = {
    plan: plan.id,
    act: plan.act,
    session: plan.session,
    note: plan.note,
    executor: plan.executor,
    workspace: { ...plan.workspace },
    capture: plan.capture,
    token: plan.token,
    ...(plan.head === undefined ? {} : { head: plan.head }),
    puts: plan.puts.map(({ path, group, expect, put, ignored }) => ({
      ...pathJson(path),
      group,
      expect: stateJson(expect),
      put: stateJson(put),
      ...(ignored ? { ignored } : {}),
    })),
    index: plan.index.map(editJson),
    refs: plan.refs.map((ref) => ({ ...ref })),
    objects: plan.objects.map((object) => ({ ...object })),
    makes: plan.makes.map(({ path, mode }) => ({ ...pathJson(path), mode })),
    empties: plan.empties.map(({ path, mode }) => ({ ...pathJson(path), mode })),
    conflicts: plan.conflicts.map(conflictJson),
    ...(plan.covers.length > 0 ? { covers: [...plan.covers] } : {}),
    undoes: plan.undoes,
    redoes: plan.redoes,
    data: plan.data,
  };
  const contents = plan.puts.flatMap(({ path, expect, put }) =>
    [expect, put].flatMap((state) => contentOf(path, state)),
  );
  return {
    ...newRecord(clock, "plan.made", body, planRecordId(plan.id)),
    contents: [...contents, ...plan.objects.map(({ hash }) => ({ hash })), ...more],
  };
}

export function advancedRecord(
  clock: Clock,
  plan: string,
  step: PlanStep,
  back: Iterable<string>,
  conflicts: readonly Conflict[],
): NewRecord {
  const body = { plan, step, back: [...back], conflicts: conflicts.map(conflictJson) };
  return newRecord(clock, "plan.advanced", body, advancedRecordId(plan, step));
}

export function keptRecord(clock: Clock, plan: string, path: PathName, state: PresentState): NewRecord {
  const body = { plan, ...pathJson(path), state: { ...state } };
  return { ...newRecord(clock, "plan.kept", body), contents: contentOf(path, state) };
}

export function planEndRecord(
  clock: Clock,
  plan: string,
  settled: {
    readonly outcome: "done" | "rolled-back";
    readonly late: boolean;
    readonly back: Iterable<string>;
    readonly conflicts: readonly Conflict[];
  },
): NewRecord {
  const { outcome, late, back, conflicts } = settled;
  const body = { plan, outcome, late, back: [...back], conflicts: conflicts.map(conflictJson) };
  return newRecord(clock, "plan.settled", body, planEndRecordId(plan));
}

const contentOf = (path: PathName, state: PathState): { hash: ContentHash; path: string }[] =>
  state?.hash ? [{ hash: state.hash, path: pathForDisplay(path) }] : [];

const stateJson = (state: PathState): JsonState => (state === null ? null : { ...state });
type JsonState = PlanBody["puts"][number]["expect"];

const editJson = ({ path, group, expect, put }: IndexEdit): PlanBody["index"][number] => ({
  ...pathJson(path),
  group,
  expect: expect.map(stagedJson),
  put: put.map(stagedJson),
});

const stagedJson = ({ mode, id, stage, flags }: StagedEntry): PlanBody["index"][number]["put"][number] => ({
  mode,
  id,
  stage,
  ...(flags === undefined || flags.length === 0 ? {} : { flags: [...flags] }),
});

const conflictJson = ({ path, group, expected, found, why }: Conflict): PlanBody["conflicts"][number] => ({
  ...pathJson(path),
  group,
  expected: stateJson(expected),
  found: stateJson(found),
  why,
});

export const emptyData: JsonObject = {};
