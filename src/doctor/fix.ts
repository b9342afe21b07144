/**
 * What `doctor --fix` does, finding by finding. It never discards: sessions are recovered as `begin` does it, damaged
 * state files are kept beside the repaired ones, permissions are only taken away from others.
 */

import { lstatSync } from "node:fs";
import { RefloatError } from "../model/errors.ts";
import { makePrivate } from "../platform/private-file.ts";
import type { Store } from "../store/store.ts";
import { repairFile, upgradeFile } from "../workflow/file-acts.ts";
import { CHECKS } from "./checks.ts";
import type { DoctorCheck, DoctorFacts, FixKind } from "./facts.ts";

export interface FixedCheck {
  readonly check: string;
  readonly message: string;
}

export interface Means {
  /** Null: there is no store, or it does not open. */
  readonly store: Store | null;
  /** Settles what dead owners left open; says which sessions. */
  readonly recover: () => Promise<readonly string[]>;
  /** Ends what dead executors began in this workspace (S5); says which plans and how. */
  readonly settlePlans: () => Promise<readonly string[]>;
}

export async function fixAll(facts: DoctorFacts, means: Means): Promise<readonly FixedCheck[]> {
  const done: FixedCheck[] = [];
  for (const check of CHECKS as readonly DoctorCheck[]) {
    if (check.fix === undefined || check.find(facts).length === 0) continue;
    for (const message of await fix(check.fix, facts, means)) done.push({ check: check.id, message });
  }
  return done;
}

async function fix(
  kind: FixKind,
  facts: DoctorFacts,
  { store, recover, settlePlans }: Means,
): Promise<readonly string[]> {
  switch (kind) {
    case "private":
      return facts.store.open.map(({ path }) => {
        makePrivate(path, lstatSync(path).isDirectory() ? 0o700 : 0o600);
        return `${path} is private now.`;
      });
    case "plans":
      return settlePlans();
    case "recover":
      return (await recover()).map((session) => `Session ${session} is settled.`);
    case "upgrade":
      return store ? upgraded(store, facts) : [];
    case "finish":
    case "repair":
    case "tidy":
      return store ? repaired(store, facts) : [];
    default:
      return kind satisfies never;
  }
}

async function upgraded(store: Store, facts: DoctorFacts): Promise<readonly string[]> {
  const done: string[] = [];
  for (const { path, version } of facts.stateFiles) {
    if (version !== "1.0") continue;
    const found = await conflictOr(() => upgradeFile(store, path, "2.0"));
    // The repair before it has said why.
    if (found instanceof RefloatError) continue;
    if (found.isChanged) done.push(`${path} is 2.0 now; the old one is in .bak.`);
  }
  return done;
}

/** Fields a line names; `state repair --dry-run` names them all. */
const MAX_FIELDS = 8;

/** Which side of a merge is right is for a person to say, and so is what becomes of a link. */
async function conflictOr<T>(work: () => Promise<T>): Promise<T | RefloatError> {
  try {
    return await work();
  } catch (thrown) {
    const codes: readonly string[] = ["E_STATE_CONFLICT", "E_STATE_DAMAGED"];
    if (thrown instanceof RefloatError && codes.includes(thrown.code)) return thrown;
    throw thrown;
  }
}

/** Any change finishes what an earlier one left; a file that is whole is only set right. */
async function repaired(store: Store, facts: DoctorFacts): Promise<readonly string[]> {
  const done: string[] = [];
  for (const { path } of facts.stateFiles) {
    const found = await conflictOr(() => repairFile(store, path));
    if (found instanceof RefloatError) {
      done.push(`${path} is left as it is: ${found.message} ${found.hint}`);
      continue;
    }
    const { isChanged, kept, changes } = found;
    if (!isChanged) continue;
    const fields = changes.map((one) => one.path).slice(0, MAX_FIELDS);
    const more = changes.length > fields.length ? `, ${changes.length - fields.length} more` : "";
    const told = fields.length === 0 ? "" : `; changed: ${fields.join(", ")}${more}`;
    done.push(`${path} is repaired${kept === null ? "" : `; the damaged one is ${kept}`}${told}.`);
  }
  return done;
}
