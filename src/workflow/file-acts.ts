/** `state init|upgrade|repair` as acts: each is one change of the file with its companion (change-state.ts). */
import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { RefloatError } from "../model/errors.ts";
import type { JsonObject } from "../model/json.ts";
import type { Store } from "../store/store.ts";
import { changeState, notesOn, type OpenedState, usableDoc } from "./change-state.ts";
import type { Version } from "./definition.ts";
import { changesBetween, type FieldChange } from "./doc-changes.ts";
import { withKeptLog } from "./kept-log.ts";
import { type MergeSide, withoutConflict } from "./merge-conflict.ts";
import { readHandoff } from "./read-handoff.ts";
import { type Copy, rebuiltFrom, repairState, type StepEvidence, salvagedFrom } from "./repair.ts";
import { isEqual } from "./rewrite-json.ts";
import { own, stamp, stepsIn, withFields } from "./state-doc.ts";
import { quarantine, readStateFile } from "./state-files-on-disk.ts";
import { BACKUP_SUFFIXES, handoffOf } from "./state-paths.ts";
import { storeClaimsOf } from "./store-claims.ts";
import { templateOf } from "./template.ts";
import { upgradeState } from "./upgrade.ts";
import { validateValue } from "./validate.ts";

export interface InitOptions {
  readonly project: string | null;
  readonly branch: string;
  readonly region: string;
  readonly version: Version;
}

export function initState(store: Store, file: string, options: InitOptions): Promise<{ path: string }> {
  return changeState(store, file, async ({ identity, shape, nowMs, text }) => {
    if (text !== null) throw new RefloatError("E_EXISTS", { path: identity.path });
    const { version, branch, region } = options;
    const project = options.project ?? basename(dirname(identity.path));
    const doc = templateOf(shape, version, { project, branch, region, updated: stamp(nowMs) });
    return { doc, what: "init", result: { path: identity.path } };
  });
}

export interface Upgraded {
  readonly path: string;
  readonly from: string;
  readonly to: string;
  readonly isChanged: boolean;
  /** What was done to its decision log by hand. */
  readonly notes: readonly string[];
}

export function upgradeFile(store: Store, file: string, to: Exclude<Version, "1.0">): Promise<Upgraded> {
  return changeState(store, file, async (opened) => {
    const doc = usableDoc(opened);
    const next = upgradeState(doc, to);
    const isChanged = !isEqual(doc, next);
    const result = {
      path: opened.identity.path,
      from: String(own(doc, "schema_version")),
      to,
      isChanged,
      notes: isChanged ? notesOn(opened) : [],
    };
    return { doc: isChanged ? next : null, what: `upgrade to ${to}`, result };
  });
}

export interface RepairedFile {
  readonly path: string;
  /** Where the ground of the repaired file came from. */
  readonly from: string;
  readonly ground: string;
  /** Where the damaged bytes are kept; null: the file was whole or not there. */
  readonly kept: string | null;
  readonly isChanged: boolean;
  /** Every field that is not what it was, or could not be read. */
  readonly changes: readonly FieldChange[];
  /** Where the file's bytes from before are; null: nothing was written over. */
  readonly before: string | null;
  /** What was done to its decision log by hand. */
  readonly notes: readonly string[];
}

export interface RepairOptions {
  /** Says what would be changed, and changes nothing. */
  readonly isDryRun?: boolean;
  /** Of a file with both sides of a merge in it. */
  readonly side?: MergeSide;
}

export function repairFile(store: Store, file: string, options: RepairOptions = {}): Promise<RepairedFile> {
  return changeState(store, file, async (opened) => {
    const { identity, nowMs, text } = opened;
    const { path } = identity;
    // Who is at work is the store's to say: a repair frees nobody who is (K2).
    const around = { ...opened.around, claims: await storeClaimsOf(store, identity.session) };
    const chosen = text === null ? null : withoutConflict(path, text, options.side);
    const found = repairState(copiesOf({ ...opened, text: chosen }), () => rebuilt(opened), around);
    const repaired = { ...found, doc: withKeptLog(found.doc, opened.known, nowMs) };
    const isFileDamaged = text !== null && (repaired.isFileDamaged || chosen !== text);
    const isSameDoc = text !== null && !isFileDamaged && isEqual(JSON.parse(stripMark(text)), repaired.doc);
    const doc = isSameDoc ? repaired.doc : withFields(repaired.doc, { updated: stamp(nowMs) });
    const isChanged = !isSameDoc || isHandoffStale(opened, doc);
    const changes = changesBetween(chosen === null ? {} : salvagedFrom(chosen), doc);
    const isActed = isChanged && options.isDryRun !== true;
    const kept = isFileDamaged && isActed ? quarantine(path, stamp(nowMs)) : null;
    const before = isActed && text !== null && !isSameDoc ? (kept ?? path + BACKUP_SUFFIXES[0]) : null;
    const { from, ground } = repaired;
    return {
      doc: isActed ? doc : null,
      what: "repair",
      isFresh: isFileDamaged,
      result: { path, from, ground, kept, isChanged, changes, before, notes: isActed ? notesOn(opened) : [] },
    };
  });
}

const stripMark = (text: string): string => (text.startsWith("\uFEFF") ? text.slice(1) : text);

function isHandoffStale({ around }: OpenedState, doc: JsonObject): boolean {
  return (
    around.handoff() === null ||
    validateValue("", doc, around).findings.some(({ rule }) => rule === "stale-handoff")
  );
}

function copiesOf({ identity, text, versions }: OpenedState): Copy[] {
  const { path } = identity;
  const [, ...older] = versions.filter(({ isGivenUp }) => !isGivenUp);
  const superseded = new Set(older.map(({ file }) => file));
  const backups = BACKUP_SUFFIXES.flatMap((suffix): Copy[] => {
    const backup = readStateFile(path + suffix);
    if (backup === null) return [];
    return [
      { source: "backup", name: basename(path) + suffix, text: backup, isSuperseded: superseded.has(backup) },
    ];
  });
  const kept = versions
    .filter(({ isGivenUp }) => !isGivenUp)
    .map(
      (version, i): Copy => ({ source: "store", name: "the store", text: version.file, isSuperseded: i > 0 }),
    );
  const own_: Copy[] =
    text === null ? [] : [{ source: "file", name: basename(path), text, isSuperseded: false }];
  return [...own_, ...kept, ...backups];
}

/** Every copy is lost: the template, with what the companion ticked off and which files are there. */
function rebuilt({ identity, shape, nowMs }: OpenedState): JsonObject {
  const folder = dirname(identity.path);
  const facts = { project: basename(folder), branch: "", region: "", updated: stamp(nowMs) };
  const template = templateOf(shape, "2.0", facts);
  const handoff = readStateFile(handoffOf(identity.path));
  const ticked = new Map(
    (handoff === null ? [] : readHandoff(handoff).done).map((one) => [one.step, one.artifacts]),
  );
  const names = existsSync(folder) ? readdirSync(folder).sort() : [];
  const evidence = stepsIn(template, shape).map(({ spec, key }): StepEvidence => {
    const artifacts = names.filter((name) => spec.makes.some((beginning) => name.startsWith(beginning)));
    const times = artifacts.map((name) => statSync(join(folder, name)).mtimeMs).sort((a, b) => a - b);
    const [first, last] = [times[0], times.at(-1)];
    return {
      key,
      artifacts,
      isTicked: ticked.has(spec.id),
      firstAt: first === undefined ? null : stamp(first),
      lastAt: last === undefined ? null : stamp(last),
    };
  });
  return rebuiltFrom(template, evidence);
}
