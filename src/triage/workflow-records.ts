/**
 * A workflow's own records: the state file, the handoff beside it, the ring of older versions. They tell of the work and are
 * no part of it: no policy takes them out of the tree (that would set the workflow back), and they are committed with what
 * they tell of or left. Known by their schema; a state file that is damaged or gone still by what it was, or by its name. Pure.
 */
import { isJsonObject } from "../model/json.ts";
import { MAX_JSON_DEPTH } from "../model/limits.ts";
import { isWithin, type PathName } from "../model/path-name.ts";
import { HANDOFF_FILE, isCompanionText, isStateDocument, STATE_FILE } from "../model/workflow-state.ts";
import { jsonDepth } from "../text/json-depth.ts";
import type { ChangeFact, Verdict } from "./facts.ts";
import type { WorkflowRecord } from "./file-facts.ts";
import type { Group } from "./group.ts";
import type { Link } from "./group-links.ts";
import { folderOfPath, nameOfPath } from "./manifests.ts";
import type { Member } from "./member.ts";

/** A state file may have any name that ends so; what it was before a change lies beside it under these. */
const STATE_NAME = /\.json(?:\.bak(?:\.\d)?|\.corrupt(?:-.*)?)?$/;
/** By this name alone, whatever is left of its content. */
const USUAL_NAME = new RegExp(
  `^(.*)${STATE_FILE.replace(".", "\\.")}(?:\\.bak(?:\\.\\d)?|\\.corrupt(?:-.*)?)?$`,
);

/** Null: it is none. Asked of every file: what has none of the names or words is not parsed. */
export function workflowRecordIn(path: string, text: string): WorkflowRecord | null {
  const name = nameOfPath(path);
  if (name.includes(HANDOFF_FILE)) return isCompanionText(text) ? { kind: "companion", artifacts: [] } : null;
  if (!STATE_NAME.test(name) || !text.includes('"schema_version"')) return null;
  const value = jsonIn(text);
  if (!isStateDocument(value)) return null;
  const steps = isJsonObject(value) && isJsonObject(value.steps) ? Object.values(value.steps) : [];
  const artifacts = steps.flatMap((step) =>
    isJsonObject(step) && Array.isArray(step.artifacts) ? (step.artifacts as unknown[]) : [],
  );
  return { kind: "state", artifacts: artifacts.filter((one): one is string => typeof one === "string") };
}

function jsonIn(text: string): unknown {
  if (jsonDepth(Buffer.from(text)) > MAX_JSON_DEPTH) return null;
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ""));
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return null;
    throw thrown;
  }
}

/** The workflow a change is a record of: its folder and the beginning of its names. Null: it is no record. */
export function workflowOf({ path, before, after }: Member): string | null {
  const name = nameOfPath(path);
  const usual = USUAL_NAME.exec(name);
  if (usual) return `${folderOfPath(path)}/${usual[1]}`;
  const kind = after?.workflow?.kind ?? before?.workflow?.kind;
  if (kind === undefined) return null;
  const at = name.indexOf(HANDOFF_FILE);
  return `${folderOfPath(path)}/${at === -1 ? "" : name.slice(0, at)}`;
}

/** Damaged bytes that were put aside: nobody knows whether they are wanted, and the others do not wait for that. */
const PUT_ASIDE = /\.corrupt(?:-[^/]*)?$/;

/** State, companion and ring say one thing: kept or dropped together (S4). */
export function recordLinks(members: readonly Member[]): Link[] {
  const first = new Map<string, Member>();
  return members.flatMap((member): Link[] => {
    const workflow = workflowOf(member);
    if (workflow === null || PUT_ASIDE.test(member.path)) return [];
    const known = first.get(workflow);
    if (known) return [[known, member]];
    first.set(workflow, member);
    return [];
  });
}

/** A change that a record tells of: an artifact of a step. */
export interface Described {
  readonly path: PathName;
  readonly group: string;
  readonly verdict: Verdict;
  /** A commit of the record does not speak of what is not there: it is safe and goes with it, or HEAD has one and it is not the session's to give. */
  readonly isReady: boolean;
}

export function describedBy(records: readonly Member[], groups: readonly Group[]): Described[] {
  const owner = records.find((member) => workflowOf(member) !== null)?.fact.owner;
  const named = records.flatMap(({ path, after }) =>
    (after?.workflow?.artifacts ?? []).flatMap((artifact) => placesOf(path, artifact)),
  );
  const places = new Set(named);
  if (places.size === 0) return [];
  const isOwn = ({ owner: one }: ChangeFact): boolean =>
    one.owner === owner?.owner && one.ownerSession === owner.ownerSession;
  return groups.flatMap(({ id, verdict, changes }) =>
    changes
      .filter(({ change }) => [...places].some((place) => isWithin(change.path, place)))
      .map((fact) => ({
        path: fact.change.path,
        group: id,
        verdict,
        isReady: isOwn(fact) ? verdict === "safe" : fact.change.from !== null && fact.change.to !== null,
      })),
  );
}

/** Named relative to the file's folder or to one above it; a pattern is not looked up. */
function placesOf(record: PathName, artifact: string): PathName[] {
  const plain = artifact.replace(/^(?:\.\/)+/, "").replace(/\/+$/, "");
  if (plain === "" || plain === "." || /[*{]/.test(plain) || plain.startsWith("/")) return [];
  const folders = folderOfPath(record)
    .split("/")
    .filter((part) => part !== "");
  return folders
    .map((_, at) => [...folders.slice(0, folders.length - at), plain].join("/"))
    .concat(plain)
    .map((path) => path as PathName);
}
