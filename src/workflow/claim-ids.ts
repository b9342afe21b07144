/**
 * A state file and each of its steps as sessions of the store: the file's journal holds every version refloat wrote
 * or saw, and its claim is held while a command writes; a step's claim is the step's (K1, K5). The ids come from
 * the file's canonical path: machines that share a Postgres store share claims where the project has the same path.
 */
import { createHash } from "node:crypto";
import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { type SessionId, WORKFLOW_PREFIX } from "../model/ids.ts";
import { KEY_CHARS, LOCK } from "../model/workflow-ids.ts";

/** What the store's rows call their agent: not an agent's session. */
export const WORKFLOW_AGENT = "refloat-workflow";

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
