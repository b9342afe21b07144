/**
 * A state file that is not there yet: `state init`, the first `step start` where there never was one, and `state import` of one from
 * elsewhere. Each is one change of the file with its companion (change-state.ts).
 */
import { basename, dirname } from "node:path";
import { RefloatError } from "../model/errors.ts";
import type { JsonObject } from "../model/json.ts";
import type { Store } from "../store/store.ts";
import { shellWord } from "../text/escape.ts";
import { changeState, type OpenedState } from "./change-state.ts";
import { readDecision } from "./decision-log.ts";
import type { Version } from "./definition.ts";
import { holdersIn } from "./holders.ts";
import { leftOf } from "./lost-state.ts";
import { listOf, objectOf, own, stamp, withFields, withoutKeys } from "./state-doc.ts";
import { putAside, readStateFile } from "./state-files-on-disk.ts";
import { handoffOf } from "./state-paths.ts";
import { withoutClaim } from "./step-claims.ts";
import type { WorkflowShape } from "./step-list.ts";
import { FREE_LOCK, templateOf } from "./template.ts";
import { upgradeState } from "./upgrade.ts";

interface NewStateOptions {
  /** Null: its folder's name. */
  readonly project: string | null;
  readonly branch: string;
  readonly region: string;
  readonly version: Version;
}

export const DEFAULT_BRANCH = "main";
const AS_BY_INIT: NewStateOptions = { project: null, branch: DEFAULT_BRANCH, region: "", version: "2.0" };

export function newState(
  { identity, shape, nowMs }: OpenedState,
  { version, branch, region, project }: NewStateOptions = AS_BY_INIT,
): JsonObject {
  const named = project ?? basename(dirname(identity.path));
  return templateOf(shape, version, { project: named, branch, region, updated: stamp(nowMs) });
}

/**
 * The handoff is made from the state: where the state was lost or is begun anew, what the old one said is kept beside it. Where it is
 * kept; null: there is none, or the store has it.
 */
export function keptCompanion({ identity, versions, nowMs }: OpenedState): string | null {
  const companion = handoffOf(identity.path);
  const text = readStateFile(companion);
  if (text === null || versions.some(({ handoff }) => handoff === text)) return null;
  return putAside(companion, "before", stamp(nowMs));
}

interface InitOptions extends NewStateOptions {
  /** Also in the place of one that is gone and left something: told to start over. */
  readonly isFresh?: boolean;
}

export interface InitedFile {
  readonly path: string;
  /** Where a handoff is kept that was there and the store does not have. */
  readonly kept: string | null;
}

export function initState(store: Store, file: string, options: InitOptions): Promise<InitedFile> {
  return changeState(store, file, async (opened) => {
    const { path } = opened.identity;
    assertNew(opened, `refloat state init --fresh ${shellWord(path)}`, options.isFresh === true);
    const kept = keptCompanion(opened);
    return { doc: newState(opened, options), what: "init", result: { path, kept } };
  });
}

/** No file is there, and none was: what one that is gone left is not written over by whoever makes a new one (T1). */
function assertNew({ identity, text, versions }: OpenedState, anew: string, isFresh: boolean): void {
  const { path } = identity;
  if (text !== null) throw new RefloatError("E_EXISTS", { path });
  const left = isFresh ? null : leftOf(path, versions);
  if (left !== null) throw new RefloatError("E_STATE_HISTORY", { path, left, word: shellWord(path), anew });
}

export interface ImportedState {
  readonly path: string;
  readonly decisions: number;
  /** Who held steps of the other file: here nobody does. */
  readonly freed: readonly { readonly step: string; readonly owner: string }[];
  /** Where a handoff is kept that was there and the store does not have. */
  readonly kept: string | null;
}

interface StateImportOptions {
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
