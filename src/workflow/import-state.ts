/** `state import`: a state from elsewhere as a new file, in one change with its companion (change-state.ts). */
import type { JsonObject } from "../model/json.ts";
import type { Store } from "../store/store.ts";
import { shellWord } from "../text/escape.ts";
import { changeState } from "./change-state.ts";
import { readDecision } from "./decision-log.ts";
import type { Version } from "./definition.ts";
import { assertNew } from "./file-acts.ts";
import { holdersIn } from "./holders.ts";
import { keptCompanion } from "./keep-companion.ts";
import { listOf, objectOf, own, withFields, withoutKeys } from "./state-doc.ts";
import { withoutClaim } from "./step-claims.ts";
import type { WorkflowShape } from "./step-list.ts";
import { FREE_LOCK } from "./template.ts";
import { upgradeState } from "./upgrade.ts";

export interface ImportedState {
  readonly path: string;
  readonly decisions: number;
  /** Who held steps of the other file: here nobody does. */
  readonly freed: readonly { readonly step: string; readonly owner: string }[];
  /** Where a handoff is kept that was there and the store does not have. */
  readonly kept: string | null;
}

export interface StateImportOptions {
  /** As it can be typed again. */
  readonly from: string;
  readonly to: Exclude<Version, "1.0">;
  /** Also in the place of one that is gone and left something. */
  readonly isFresh: boolean;
}

/** A state of any version, from elsewhere, as a new file: upgraded, its decisions in the one form that is written. */
export function importState(
  store: Store,
  file: string,
  given: JsonObject,
  { from, to, isFresh }: StateImportOptions,
): Promise<ImportedState> {
  return changeState(store, file, async (opened) => {
    const { identity, shape, nowMs } = opened;
    const { path } = identity;
    assertNew(opened, `refloat state import --fresh ${shellWord(from)} ${shellWord(path)}`, isFresh);
    const kept = keptCompanion(opened);
    const log = listOf(own(given, "decision_log"));
    const logged = log.length === 0 ? given : withFields(given, { decision_log: log.map(oneForm) });
    // By 2.0, which is the version that shows who holds what; the way back to 3.0 is without loss.
    const { doc, freed } = withoutHolders(upgradeState(logged, "2.0"), shape, nowMs);
    return {
      doc: upgradeState(doc, to),
      what: "import",
      result: { path, decisions: log.length, freed, kept },
    };
  });
}

/**
 * A claim is held on the other file: nobody is at work in this one. What held it stays in the event log. An export takes secrets out
 * of what it prints, so a token in one may be none any more.
 */
function withoutHolders(
  doc: JsonObject,
  shape: WorkflowShape,
  nowMs: number,
): { readonly doc: JsonObject; readonly freed: ImportedState["freed"] } {
  const holders = holdersIn(doc, shape, nowMs);
  const freed = holders.flatMap(({ step, owner }) => (step === null ? [] : [{ step, owner }]));
  const free = freed.reduce(
    (next, { step }) => withoutClaim({ doc: next, shape, step }, "import", nowMs),
    doc,
  );
  const isLocked = holders.some(({ step }) => step === null);
  const lock = withFields(objectOf(own(free, "lock")), FREE_LOCK);
  return { doc: isLocked ? withFields(free, { lock }) : free, freed };
}

const READ_FIELDS = [
  "key",
  "value",
  "reason",
  "decision",
  "rationale",
  "title",
  "choice",
  "step",
  "id",
  "timestamp",
];

/** Fields no shape knows stay beside. */
function oneForm(entry: unknown, i: number) {
  const read = readDecision(entry as JsonObject);
  if (!read) return entry as JsonObject;
  const step = read.step === null || Number.isNaN(Number(read.step)) ? read.step : Number(read.step);
  return {
    id: read.id ?? `D${String(i + 1).padStart(3, "0")}`,
    ...(step === null ? {} : { step }),
    key: read.key,
    value: read.value,
    ...(read.reason === null ? {} : { reason: read.reason }),
    ...(read.timestamp === null ? {} : { timestamp: read.timestamp }),
    ...withoutKeys(entry as JsonObject, READ_FIELDS),
  };
}
