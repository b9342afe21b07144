/** `step` and `decide` as acts: claim, decide, write. Each is one change of the file with its companion (change-state.ts). */
import { RefloatError } from "../model/errors.ts";
import type { Json, JsonObject } from "../model/json.ts";
import { BEATS_PER_THRESHOLD, HEARTBEAT_INTERVAL_MS, MIN_STEP_PAUSE_MS } from "../model/limits.ts";
import type { Owner } from "../model/owner.ts";
import type { NewRecord } from "../model/record.ts";
import { newRecord } from "../session/new-record.ts";
import type { Store } from "../store/store.ts";
import { shellWord } from "../text/escape.ts";
import { changeState, notesOn, type OpenedState, usableDoc } from "./change-state.ts";
import { sessionOf } from "./claim-owner.ts";
import { thresholdOf } from "./holders.ts";
import { leftOf } from "./lost-state.ts";
import { keptCompanion, newState } from "./new-state.ts";
import { own, stamp, stepsIn } from "./state-doc.ts";
import { withBeatsEvery, withoutClaim, withSweptClaim } from "./step-claims.ts";
import { type StepSpec, stepNamed, type WorkflowShape } from "./step-list.ts";
import {
  decided,
  decideStep,
  nextStep,
  type Resume,
  type StepExtras,
  type StepOrder,
} from "./step-transition.ts";
import { assertHeld, holdStep } from "./take-step.ts";
import { upgradeState } from "./upgrade.ts";

export interface StepDone {
  readonly step: string;
  readonly name: string;
  readonly status: string;
  readonly attempt: number | null;
  readonly token: string | null;
  /** From whom the claim was taken because they were gone. */
  readonly from: string | null;
  readonly resume: Resume;
  /** Where the work goes on: this one where it is pending again, else the one behind it; null: nothing is left. */
  readonly next: { readonly step: string; readonly name: string; readonly status: string } | null;
  /** There never was a state file: this made it. */
  readonly created: boolean;
  readonly warnings: readonly string[];
}

export interface StepOptions {
  readonly owner: Owner;
  readonly token: string | null;
  readonly extras: StepExtras;
  /** --file as it was typed: hints name it, too (T6). */
  readonly named?: string | null;
  /** It was said before, where nothing could be written (said-orders.ts). */
  readonly said?: SaidBefore;
}

export interface SaidBefore {
  /** What the file says of when. */
  readonly atMs: number;
  /** That it is done: in the transaction of the version, so that it is done once (D4). */
  readonly answered: NewRecord;
}

export function actOnStep(
  store: Store,
  file: string,
  typed: string,
  order: StepOrder,
  options: StepOptions,
): Promise<StepDone> {
  return changeState(store, file, async (opened) => {
    const { shape, nowMs } = opened;
    await assertUnanswered(opened, options.said);
    const spec = stepMeant(shape, typed);
    const created = order.kind === "start" && isFirst(opened);
    if (created) keptCompanion(opened);
    const before = created ? newState(opened) : current(opened);
    const { owner, token, extras, said } = options;
    const step = viewOf(opened, before, spec.id);
    const named = options.named ? ` --file ${shellWord(options.named)}` : "";
    const atMs = Math.min(said?.atMs ?? nowMs, nowMs);
    const decision = decideStep({ doc: before, shape, step, extras, nowMs: atMs, named }, order);
    if (decision.kind === "refused")
      throw new RefloatError("E_STEP", { step: spec.id, why: decision.why, instead: decision.instead });
    // Claimed on the document as it was (whether it is a retry shows there), then changed.
    const held = await holdStep(opened, { doc: before, step: spec.id, owner }, token);
    const claimed = viewOf(opened, held.doc, spec.id);
    const changed = decideStep({ doc: held.doc, shape, step: claimed, extras, nowMs: atMs }, order);
    if (changed.kind === "refused") throw new RefloatError("E_INTERNAL", { why: changed.why });
    const outcome = OUTCOMES[order.kind];
    const place = { doc: changed.doc, shape, step: spec.id };
    const ageMs = nowMs - atMs;
    // Said so long ago that a claim of then would be stale by now: nobody is kept away by it (K3, K5).
    const isStale = outcome === null && sessionOf(owner) === null && ageMs >= thresholdOf(changed.doc);
    const isOver = outcome !== null || isStale;
    const doc =
      outcome !== null
        ? withoutClaim(place, outcome, nowMs)
        : isStale
          ? withSweptClaim(place, ageMs, nowMs)
          : changed.doc;
    return {
      doc,
      what: `step ${order.kind}`,
      step: spec.id,
      ...(said ? { records: [said.answered] } : {}),
      ...(isOver ? { release: held.attempt } : {}),
      result: {
        step: spec.id,
        name: spec.name,
        status: String(own(viewOf(opened, doc, spec.id).body, "status")),
        attempt: held.attempt,
        token: isOver ? null : held.token,
        from: held.from,
        resume: decision.resume,
        next: nextOf(doc, opened, spec.id),
        created,
        warnings: [
          ...notesOn(opened),
          ...decision.warnings,
          ...(order.kind === "skip" ? unexplained(order.reason) : []),
        ],
      },
    };
  });
}

/** Throws E_USAGE. */
export function stepMeant(shape: WorkflowShape, typed: string): StepSpec {
  const spec = stepNamed(shape, typed);
  if (spec) return spec;
  const ids = shape.steps.map(({ id }) => id).join(", ");
  throw new RefloatError("E_USAGE", { why: `There is no step ${typed}; there are ${ids}.` });
}

/** Another process did what was said before. */
export class AlreadyAnswered extends Error {
  override readonly name = "AlreadyAnswered";
}

/** Under the file's claim, so of two that carry it out one does (D4). */
async function assertUnanswered(
  { store, identity }: OpenedState,
  said: SaidBefore | undefined,
): Promise<void> {
  if (said && (await store.recordById(identity.session, said.answered.id))) throw new AlreadyAnswered();
}

function nextOf(doc: JsonObject, { shape }: OpenedState, step: string): StepDone["next"] {
  const here = stepsIn(doc, shape).find(({ spec }) => spec.id === step);
  const next = here?.status === "pending" ? here : nextStep(doc, shape, step);
  return next && { step: next.spec.id, name: next.spec.name, status: next.status ?? "pending" };
}

/** "Fresh start: file will be created automatically", says the origin; where something is left, it is brought back instead. */
const isFirst = ({ text, identity, versions }: OpenedState): boolean =>
  text === null && leftOf(identity.path, versions) === null;

/** How the claim ends with it; null: it is held on. */
const OUTCOMES = { start: null, sub: null, done: "complete", skip: "skipped", reset: "reset" } as const;

/** A 1.0 file becomes 2.0 when it is used; 3.0 was somebody's choice and stays. */
function current(opened: OpenedState): JsonObject {
  const doc = usableDoc(opened);
  return own(doc, "schema_version") === "1.0" ? upgradeState(doc, "2.0") : doc;
}

function viewOf({ shape }: OpenedState, doc: JsonObject, step: string) {
  const view = stepsIn(doc, shape).find(({ spec }) => spec.id === step);
  if (!view) throw new RefloatError("E_INTERNAL", { why: `no step ${step}` });
  return view;
}

export interface Beaten {
  readonly attempt: number;
  /** The next one is due after this long. */
  readonly pauseMs: number;
}

/**
 * Renews the claim in the store and in the file; the ring of older versions does not move for it. `everyMs`: how often the
 * caller means to; the threshold it was claimed under and the one of the file may need it more often (K2).
 */
export function beat(
  store: Store,
  file: string,
  typed: string,
  owner: Owner,
  everyMs = HEARTBEAT_INTERVAL_MS,
): Promise<Beaten> {
  return changeState(store, file, async (opened) => {
    const spec = stepNamed(opened.shape, typed);
    if (!spec) throw new RefloatError("E_USAGE", { why: `There is no step ${typed}.` });
    const wanted = { doc: current(opened), step: spec.id, owner };
    await assertHeld(opened, wanted);
    const held = await holdStep(opened, wanted, null);
    const row = await store.session(opened.identity.stepSession(spec.id));
    const thresholdMs = Math.min(thresholdOf(held.doc), row?.claim.thresholdMs ?? Number.POSITIVE_INFINITY);
    const pauseMs = Math.min(everyMs, thresholdMs / BEATS_PER_THRESHOLD);
    const place = { doc: held.doc, shape: opened.shape, step: spec.id };
    const doc = withBeatsEvery(place, Math.max(Math.ceil(pauseMs), MIN_STEP_PAUSE_MS));
    return {
      doc: held.doc === wanted.doc ? null : doc,
      what: "heartbeat",
      step: spec.id,
      keepsRing: true,
      isBeat: held.isRenewed,
      result: { attempt: held.attempt, pauseMs },
    };
  });
}

/** The log is there to say why. Without it the decision stands, and that nobody said so. */
const unexplained = (reason: string | null): readonly string[] =>
  reason === null ? ["No reason is on record; the same with --reason WHY puts one into the log."] : [];

export interface DecidedKey {
  readonly key: string;
  readonly value: Json;
  readonly step: string | null;
  readonly warnings: readonly string[];
}

export function decide(
  store: Store,
  file: string,
  decision: {
    readonly key: string;
    readonly value: string;
    readonly reason: string | null;
    readonly step: string | null;
  },
  said?: SaidBefore,
): Promise<DecidedKey> {
  return changeState(store, file, async (opened) => {
    const { shape, nowMs } = opened;
    await assertUnanswered(opened, said);
    const doc = current(opened);
    if (decision.step !== null && !stepNamed(shape, decision.step))
      throw new RefloatError("E_USAGE", { why: `There is no step ${decision.step}.` });
    const atWork = stepsIn(doc, shape).find(({ status }) => status === "in_progress")?.spec.id ?? null;
    const step = decision.step === null ? atWork : (stepNamed(shape, decision.step)?.id ?? null);
    const { key, value, reason } = decision;
    return {
      doc: decided(doc, { step, key, value, reason, timestamp: stamp(Math.min(said?.atMs ?? nowMs, nowMs)) }),
      what: "decide",
      step,
      records: [
        newRecord(store.clock, "decided", { key, value, reason, step }),
        ...(said ? [said.answered] : []),
      ],
      result: { key, value, step, warnings: [...notesOn(opened), ...unexplained(decision.reason)] },
    };
  });
}
