/** How the ids of a state file, of its lock and of its steps are made, shortened, typed and meant (K5); the key in them is the hash of its path. Pure. */
import { WORKFLOW_PREFIX } from "./ids.ts";

export const KEY_CHARS = 24;

/** Enough to tell the files of one store apart, short enough for a line of a screen. */
const SHORT_KEY_CHARS = 8;

/** In the place of a step: the lock of the whole file. Steps have numbers. */
export const LOCK = "lock";

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
