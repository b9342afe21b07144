/** `state upgrade|repair` as acts: each is one change of the file with its companion (change-state.ts). */
import { existsSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isJsonObject, type Json, type JsonObject } from "../model/json.ts";
import type { Store } from "../store/store.ts";
import { changeState, notesOn, type OpenedState, usableDoc } from "./change-state.ts";
import { HANDOFF_FILE, type Version } from "./definition.ts";
import { withKeptLog } from "./kept-log.ts";
import { tracesOf } from "./lost-state.ts";
import { type MergeSide, withoutConflict } from "./merge-conflict.ts";
import { keptCompanion } from "./new-state.ts";
import { readHandoff } from "./read-handoff.ts";
import { rebuiltFrom, type StepEvidence, withHandoff } from "./rebuild-state.ts";
import { type Copy, type Rebuilt, repairState, salvagedFrom } from "./repair.ts";
import { isEqual } from "./rewrite-json.ts";
import { own, stamp, stepsIn, withFields } from "./state-doc.ts";
import { putAside, readStateFile } from "./state-files-on-disk.ts";
import { BACKUP_SUFFIXES, handoffOf } from "./state-paths.ts";
import { storeClaimsOf } from "./store-claims.ts";
import { templateOf } from "./template.ts";
import { upgradeState } from "./upgrade.ts";
import { validateValue } from "./validate.ts";

export interface UpgradedFile {
  readonly path: string;
  readonly from: string;
  readonly to: string;
  readonly isChanged: boolean;
  /** What was done to its decision log by hand. */
  readonly notes: readonly string[];
}

export function upgradeFile(store: Store, file: string, to: Exclude<Version, "1.0">): Promise<UpgradedFile> {
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
  /** Where the handoff is kept that was there and the store does not have; null: none is replaced, or it only follows the state. */
  readonly keptHandoff: string | null;
  /** There was no file. */
  readonly isBack: boolean;
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
    const claims = await storeClaimsOf(store, identity.session);
    const around = { ...opened.around, claims, log: opened.known };
    const chosen = text === null ? null : withoutConflict(path, text, options.side);
    const found = repairState(copiesOf({ ...opened, text: chosen }), () => rebuilt(opened), around);
    const repaired = { ...found, doc: withKeptLog(found.doc, opened.known, nowMs) };
    const isFileDamaged = text !== null && (repaired.isFileDamaged || chosen !== text);
    const isSameDoc = text !== null && !isFileDamaged && isEqual(JSON.parse(stripMark(text)), repaired.doc);
    const doc = isSameDoc ? repaired.doc : withFields(repaired.doc, { updated: stamp(nowMs) });
    const isChanged = !isSameDoc || isHandoffStale(opened, doc);
    const changes = changesBetween(chosen === null ? {} : salvagedFrom(chosen), doc);
    const isActed = isChanged && options.isDryRun !== true;
    const kept = isFileDamaged && isActed ? putAside(path, "corrupt", stamp(nowMs)) : null;
    const isBack = text === null;
    const keptHandoff = isActed && (isBack || isFileDamaged) ? keptCompanion(opened) : null;
    const before = isActed && text !== null && !isSameDoc ? (kept ?? path + BACKUP_SUFFIXES[0]) : null;
    const { from, ground } = repaired;
    return {
      doc: isActed ? doc : null,
      what: "repair",
      isFresh: isFileDamaged,
      result: {
        path,
        from,
        ground,
        kept,
        keptHandoff,
        isBack,
        isChanged,
        changes,
        before,
        notes: isActed ? notesOn({ ...opened, text: chosen }) : [],
      },
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
    text === null ? asideOf(path) : [{ source: "file", name: basename(path), text, isSuperseded: false }];
  return [...own_, ...kept, ...backups];
}

/** What was put away as damaged, the newest first: `.corrupt` as people do it, `.corrupt-TIME` as a repair does. */
function asideOf(path: string): Copy[] {
  const folder = dirname(path);
  return tracesOf(path)
    .filter((name) => name.startsWith(`${basename(path)}.corrupt`))
    .map((name) => ({ name, atMs: statSync(join(folder, name)).mtimeMs }))
    .sort((a, b) => b.atMs - a.atMs)
    .flatMap(({ name }): Copy[] => {
      const text = readStateFile(join(folder, name));
      return text === null ? [] : [{ source: "aside", name, text, isSuperseded: true }];
    });
}

/** Every copy is lost: the template, with what the companion says and which files are there. */
function rebuilt({ identity, shape, nowMs, around }: OpenedState): Rebuilt {
  const folder = dirname(identity.path);
  const facts = { project: basename(folder), branch: "", region: "", updated: stamp(nowMs) };
  const template = templateOf(shape, "2.0", facts);
  const handoff = readStateFile(handoffOf(identity.path));
  const said = handoff === null ? null : readHandoff(handoff);
  const statuses = new Map(said?.steps.map(({ step, status }) => [step, status]));
  const names = existsSync(folder) ? readdirSync(folder).sort() : [];
  const evidence = stepsIn(template, shape).map(({ spec, key }): StepEvidence => {
    const artifacts = names.filter((name) => spec.makes.some((beginning) => name.startsWith(beginning)));
    const times = artifacts.map((name) => statSync(join(folder, name)).mtimeMs).sort((a, b) => a - b);
    const [first, last] = [times[0], times.at(-1)];
    return {
      key,
      artifacts,
      said: statuses.get(spec.id) ?? null,
      firstAt: first === undefined ? null : stamp(first),
      lastAt: last === undefined ? null : stamp(last),
    };
  });
  const doc = rebuiltFrom(template, evidence);
  const hasArtifacts = evidence.some(({ artifacts }) => artifacts.length > 0);
  const shown = [...(said === null ? [] : [HANDOFF_FILE]), ...(hasArtifacts ? ["the artifacts"] : [])];
  return { doc: said === null ? doc : withHandoff(doc, said, around), shown };
}

/** What a repair changes, field by field, so that nothing is reset unseen (T1). Pure. */
export interface FieldChange {
  /** `steps.2.status` */
  readonly path: string;
  /** Left out: there was no such field, or it could not be read. */
  readonly from?: Json;
  /** Left out: it is gone. */
  readonly to?: Json;
}

function changesBetween(from: Json | undefined, to: Json | undefined, path = ""): FieldChange[] {
  if (from !== undefined && to !== undefined && isEqual(from, to)) return [];
  if (isJsonObject(from) && isJsonObject(to)) {
    const keys = [...new Set([...Object.keys(from), ...Object.keys(to)])];
    return keys.flatMap((key) =>
      changesBetween(own(from, key), own(to, key), path === "" ? key : `${path}.${key}`),
    );
  }
  return [{ path, ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }];
}
