/**
 * What is parked in a workspace, told by its plans (DESIGN 7): a group that a plan took out of the tree under a name, that still
 * stands of it, and that no standing plan brought back. Pure. Undoing the plan that parked it brings it back, and it is parked no
 * more; a group the undo had to leave is parked as before.
 */
import type { ContentHash } from "../../model/ids.ts";
import { isJsonObject, type JsonObject } from "../../model/json.ts";
import type { IndexEdit, PathPut } from "./draft.ts";
import type { History } from "./history.ts";
import { groupsOf } from "./history.ts";
import type { Plan } from "./plans.ts";

export interface ParkedReason {
  readonly rule: string;
  readonly weight: string;
  readonly message: string;
  readonly evidence: readonly string[];
}

export interface ParkedChanges {
  readonly name: string;
  readonly plan: string;
  readonly session: string | null;
  readonly atMs: number;
  /** What whoever parked it wrote about it. */
  readonly note: string | null;
  readonly verdict: string | null;
  readonly why: string | null;
  /** What the verdict rested on; none where an older refloat parked it. */
  readonly reasons: readonly ParkedReason[];
  readonly goal: string | null;
  readonly puts: readonly PathPut[];
  readonly index: readonly IndexEdit[];
}

/** Newest first. */
export function parkedIn({ standing }: History): ParkedChanges[] {
  const back = new Set(standing.flatMap(({ data }) => unparkedBy(data)));
  return standing.flatMap((plan) =>
    parkedBy(plan).flatMap((one): ParkedChanges[] => {
      const isGone = back.has(unparkKey(plan, one.name)) || !groupsOf(plan).has(one.name);
      return isGone
        ? []
        : [{ ...one, plan: plan.id, session: plan.session, atMs: plan.atMs, note: plan.note }];
    }),
  );
}

export interface ParkedContents {
  readonly name: string;
  readonly plan: string;
  readonly hashes: readonly ContentHash[];
}

/** Every content it takes to bring a group back: the bytes of its paths, and of what was staged of it. */
export function contentsOfParked({ name, plan, puts, index }: ParkedChanges, parkedBy: Plan): ParkedContents {
  const blobs = new Map(parkedBy.objects.map(({ id, hash }) => [id, hash]));
  const staged = index.flatMap(({ expect }) => expect.flatMap(({ id }) => blobs.get(id) ?? []));
  const held = puts.flatMap(({ expect }) => expect?.hash ?? []);
  return { name, plan, hashes: [...new Set([...held, ...staged])] };
}

/** A redo stands for the plan it does again. */
const unparkKey = ({ id, redoes }: Plan, name: string): string => `${redoes ?? id} ${name}`;

type ParkedGroup = Omit<ParkedChanges, "plan" | "session" | "atMs" | "note">;

function parkedBy(plan: Plan): ParkedGroup[] {
  const { parked } = plan.data;
  if (!Array.isArray(parked) || plan.act === "undo" || plan.act === "unpark") return [];
  return parked.flatMap((one): ParkedGroup[] => {
    if (!isJsonObject(one) || typeof one.name !== "string") return [];
    const { name } = one;
    const isOf = ({ group }: { readonly group: string }): boolean => group === name;
    const puts = plan.puts.filter(isOf);
    const text = (value: unknown): string | null => (typeof value === "string" ? value : null);
    return [
      {
        name,
        verdict: text(one.verdict),
        why: text(one.why),
        reasons: reasonsIn(one.reasons),
        goal: text(one.goal),
        puts,
        index: plan.index.filter(isOf),
      },
    ];
  });
}

function reasonsIn(value: unknown): ParkedReason[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((one): ParkedReason[] => {
    if (!isJsonObject(one)) return [];
    const { rule, weight, message, evidence } = one;
    if (typeof rule !== "string" || typeof weight !== "string" || typeof message !== "string") return [];
    const places = Array.isArray(evidence) ? evidence.filter((place) => typeof place === "string") : [];
    return [{ rule, weight, message, evidence: places }];
  });
}

function unparkedBy(data: JsonObject): string[] {
  const { unparks } = data;
  return isJsonObject(unparks) ? [`${String(unparks.plan)} ${String(unparks.name)}`] : [];
}
