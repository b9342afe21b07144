/** `state validate`: reads, says, changes nothing: the files beside what the store knows of them, as far as there is one. */
import { WORKFLOW_PREFIX } from "../../model/ids.ts";
import { stepOfSession } from "../../model/workflow-ids.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import { identityOf } from "../../workflow/claim-ids.ts";
import type { StoreClaims } from "../../workflow/holders.ts";
import type { KnownLog } from "../../workflow/kept-log.ts";
import type { StateFinding, StateRule } from "../../workflow/rule.ts";
import { RULES } from "../../workflow/rules.ts";
import { readKnownLog } from "../../workflow/state-journal.ts";
import { claimsOfRows } from "../../workflow/store-claims.ts";
import {
  type PlacedFinding,
  type ValidateOptions,
  validateFiles,
  withLines,
} from "../../workflow/validate-files.ts";
import type { AppPlace } from "../place/app-place.ts";
import { filesAndLost } from "../place/state-files.ts";

export interface StateFindings {
  /** How many files were looked at. */
  readonly files: number;
  readonly findings: readonly StateFinding[];
  /** The same with the line of each, which is only looked up for who shows it. */
  readonly placed: () => readonly PlacedFinding[];
  /** Every rule there is, for formats that name them all. */
  readonly rules: readonly StateRule[];
}

export async function validateStateFiles(
  at: AppPlace,
  named: readonly string[],
  onProgress: (done: number, total: number) => void,
): Promise<StateFindings> {
  const files = await filesAndLost(at, named);
  const findings = validateFiles(files, {
    clock: at.clock,
    ...(await knownByStore(at, files)),
    onProgress: (done) => onProgress(done, files.length),
  });
  return { files: files.length, findings, placed: () => withLines(findings), rules: RULES };
}

const NOTHING_KNOWN: Pick<ValidateOptions, "claims" | "log"> = { claims: () => null, log: () => null };

/** The claims on their steps and their decision logs, read once for all of them. Who only looks makes no store. */
async function knownByStore(
  at: AppPlace,
  files: readonly string[],
): Promise<Pick<ValidateOptions, "claims" | "log">> {
  const store = files.length > 0 ? await at.findStore() : null;
  if (!store) return NOTHING_KNOWN;
  const wanted = new Set<string>(files.map((file) => identityOf(file).session));
  const steps = new Map<string, SessionRow[]>();
  const logs = new Map<string, KnownLog | null>();
  for (const row of await store.raw.sessions({ prefix: WORKFLOW_PREFIX })) {
    const file = row.id.slice(0, FILE_ID_CHARS);
    if (!wanted.has(file)) continue;
    if (stepOfSession(row.id) !== null) steps.set(file, [...(steps.get(file) ?? []), row]);
    else if (row.id === file) logs.set(file, await readKnownLog(store.raw, row.id));
  }
  const claims = new Map<string, StoreClaims>();
  for (const [file, rows] of steps) claims.set(file, await claimsOfRows(store.raw, rows));
  return {
    claims: (file) => claims.get(identityOf(file).session) ?? null,
    log: (file) => logs.get(identityOf(file).session) ?? null,
  };
}

const FILE_ID_CHARS = identityOf("/").session.length;
