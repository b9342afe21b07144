/**
 * A state file and each of its steps as sessions of the store: the file's journal holds every version refloat wrote
 * or saw, and its claim is held while a command writes; a step's claim is the step's (K1, K5). The ids come from
 * the file's canonical path: machines that share a Postgres store share claims where the project has the same path.
 */
import { createHash } from "node:crypto";
import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { type SessionId, WORKFLOW_PREFIX } from "../model/ids.ts";

/** What the store's rows call their agent: not an agent's session. */
export const WORKFLOW_AGENT = "refloat-workflow";
const KEY_CHARS = 24;
/** Enough to tell the files of one store apart, short enough for a line of a screen. */
const SHORT_KEY_CHARS = 8;

/** In the place of a step: the lock of the whole file. Steps have numbers. */
export const LOCK = "lock";

export interface StateIdentity {
  /** Absolute, without symlinks above the file. */
  readonly path: string;
  readonly session: SessionId;
  readonly stepSession: (step: string) => SessionId;
  /** What people type to `claim break`, where no other project of this store has the same name. */
  readonly stepName: (step: string) => string;
}

export function identityOf(file: string): StateIdentity {
  const absolute = resolve(file);
  const folder = dirname(absolute);
  const path = join(existsSync(folder) ? realpathSync(folder) : folder, basename(absolute));
  const key = createHash("sha256").update(path).digest("hex").slice(0, KEY_CHARS);
  const project = basename(dirname(path));
  return {
    path,
    session: `${WORKFLOW_PREFIX}${key}` as SessionId,
    stepSession: (step) => `${WORKFLOW_PREFIX}${key}-${partOf(step)}` as SessionId,
    stepName: (step) => `${project}/${partOf(step)}`,
  };
}

const partOf = (step: string): string => (step === LOCK ? LOCK : `step-${step}`);

export const isWorkflowSession = (id: string): boolean => id.startsWith(WORKFLOW_PREFIX);

const ID = /^workflow-([0-9a-f]{1,24})(?:-(?:step-(.+)|(lock)))?$/;

/** The step a store session stands for, `lock` for the file's lock, or null: it is a file's, or none of ours. */
export function stepOfSession(id: string): string | null {
  const [, key, step, lock] = ID.exec(id) ?? [];
  return key?.length === KEY_CHARS ? (step ?? lock ?? null) : null;
}

/** The beginning of the file's key with what stands behind it: an id that a screen has room for. */
export function shortWorkflowId(id: string, others: readonly string[] = []): string {
  const [, key = ""] = ID.exec(id) ?? [];
  const behind = id.slice(WORKFLOW_PREFIX.length + key.length);
  const isTold = (length: number): boolean =>
    others.every((other) => other === id || !isMeantBy(shortened(key, length, behind), other));
  let length = SHORT_KEY_CHARS;
  while (length < key.length && !isTold(length)) length++;
  return shortened(key, length, behind);
}

const shortened = (key: string, length: number, behind: string): string =>
  `${WORKFLOW_PREFIX}${key.slice(0, length)}${behind}`;

/** Whether a typed id, its key shortened or not, means this session: a step's is no beginning of its file's. */
export function isMeantBy(typed: string, id: string): boolean {
  const [, begun, ...behind] = ID.exec(typed) ?? [];
  const [, key, ...rest] = ID.exec(id) ?? [];
  if (begun === undefined || key === undefined) return false;
  return key.startsWith(begun) && behind.every((part, i) => part === rest[i]);
}

/** What every session that a typed id may mean begins with; null: it is no id of ours. */
export function workflowPrefixOf(typed: string): string | null {
  const [, begun] = ID.exec(typed) ?? [];
  return begun === undefined ? null : `${WORKFLOW_PREFIX}${begun}`;
}
