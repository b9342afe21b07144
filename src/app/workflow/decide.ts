/**
 * A decision where it is made, and what was decided. Where somebody stands in a workflow (or names its state file), in that file and
 * its journal in one step; else in the session that is meant.
 */
import { RefloatError } from "../../model/errors.ts";
import { newRecord } from "../../session/new-record.ts";
import { withoutSecrets } from "../../text/without-secrets.ts";
import { identityOf } from "../../workflow/claim-ids.ts";
import { decisionsIn } from "../../workflow/decision-log.ts";
import { editOf } from "../../workflow/kept-log.ts";
import { readState } from "../../workflow/read-doc.ts";
import { listOf, objectOf, own } from "../../workflow/state-doc.ts";
import { readKnownLog } from "../../workflow/state-journal.ts";
import { type DecidedKey, decide as decideInFile } from "../../workflow/step-acts.ts";
import { decisionsHere } from "../../workspace/sessions/decisions.ts";
import type { AppPlace } from "../place/app-place.ts";
import { whyOff } from "../place/off.ts";
import { fileOfWorkflow } from "../place/state-files.ts";
import { workspaceHere } from "../place/workspace-here.ts";
import { sayHere, unlessUnwritable } from "../sessions/say-here.ts";
import { carryOutHere, carryOutOf, isTakenIn } from "./carry-out-here.ts";

export interface DecisionOrder {
  readonly key: string;
  readonly value: string;
  readonly reason: string | null;
  /** Null: the step at work. */
  readonly step: string | null;
  /** The state file or its folder; null: that of where somebody stands, else his session. */
  readonly file: string | null;
}

export type DecisionOutcome =
  | { readonly kind: "in-file"; readonly file: string; readonly made: DecidedKey }
  | { readonly kind: "in-session"; readonly session: string }
  /** The store cannot be written here: whoever decided leaves a marker (DESIGN 10). `file`: which names the state file, too; null: none is meant. */
  | { readonly kind: "unrecorded"; readonly file: string | null };

export async function decide(at: AppPlace, order: DecisionOrder): Promise<DecisionOutcome> {
  const { key, value, reason, step } = order;
  const file = await fileWithKey(at, order);
  if (file === null) {
    const said = await sayHere(
      at,
      (store) => (_session, from) => newRecord(store.clock, "decided", { key, value, reason, step, from }),
    );
    if (said.kind === "marker") return { kind: "unrecorded", file: null };
    return { kind: "in-session", session: said.written.session };
  }
  if ((await whyOff(at)) !== null) return { kind: "unrecorded", file: null };
  const made = await unlessUnwritable(at, async () => {
    await carryOutHere(at);
    const store = await at.openOrMakeStore();
    await carryOutOf(at, store.raw, [file]);
    return decideInFile(store.raw, file, { key, value, reason, step });
  });
  if (made !== null) return { kind: "in-file", file, made };
  const { path } = identityOf(file);
  return { kind: "unrecorded", file: (await isTakenIn(at, path)) ? path : null };
}

async function fileWithKey(
  at: AppPlace,
  { key, file }: Pick<DecisionOrder, "key" | "file">,
): Promise<string | null> {
  if (key.trim() === "") throw new RefloatError("E_USAGE", { why: "A decision needs a key." });
  return fileOfWorkflow(at, file);
}

interface DecidedWhere {
  /** Null: no workflow is here, the session is meant. */
  readonly file: string | null;
  readonly session: string | null;
}

/** `value`: null: it is not decided. */
export async function decidedValue(
  at: AppPlace,
  about: Pick<DecisionOrder, "key" | "file">,
): Promise<DecidedWhere & { readonly value: unknown }> {
  const file = await fileWithKey(at, about);
  if (file !== null) {
    const value = own(objectOf(own(readState(file), "decisions")), about.key) ?? null;
    return { file, session: null, value };
  }
  const { session, decisions } = await inSession(at);
  const last = decisions.findLast((one) => one.key === about.key);
  return { file, session, value: last?.value ?? null };
}

export interface DecisionRow {
  readonly step: string | null;
  readonly key: string;
  readonly value: unknown;
  readonly reason: string | null;
  readonly by_hand?: true;
}

export interface DecisionList extends DecidedWhere {
  /** Oldest first. */
  readonly decisions: readonly DecisionRow[];
  /** How many secrets were taken out (T4). */
  readonly redacted: number;
  /** The file's log is not as the store knows it: who reads it is told (T2). */
  readonly isEdited: boolean;
}

export async function decisions(
  at: AppPlace,
  { file: named, isRaw }: { readonly file: string | null; readonly isRaw: boolean },
): Promise<DecisionList> {
  const file = await fileOfWorkflow(at, named);
  const found = file === null ? await inSession(at) : inFile(file);
  const isEdited = file !== null && (await isEditedByHand(at, file));
  const { value, count } = await withoutSecrets(found.decisions, isRaw);
  return { file, session: found.session, decisions: value, redacted: count, isEdited };
}

interface SessionDecisions {
  readonly session: string | null;
  readonly decisions: readonly DecisionRow[];
}

function inFile(file: string): SessionDecisions {
  return { session: null, decisions: decisionsIn(readState(file)).flatMap((one) => (one ? [one] : [])) };
}

async function inSession(at: AppPlace): Promise<SessionDecisions> {
  const store = await at.findStore();
  if (!store) return { session: null, decisions: [] };
  const { workspace, place, env } = await workspaceHere(at, store);
  return decisionsHere(store.raw, workspace.root, place, env);
}

async function isEditedByHand(at: AppPlace, file: string): Promise<boolean> {
  const store = await at.findStore();
  const known = store && (await readKnownLog(store.raw, identityOf(file).session));
  if (!known) return false;
  const { missing, changed, strange } = editOf(known, listOf(own(readState(file), "decision_log")));
  return missing.length + changed.length + strange.length > 0;
}
