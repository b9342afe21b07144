/**
 * Who holds which step of which state file at this moment, by the one rule (holders.ts): the store's claims, and those
 * that only a file knows. Reading only.
 */
import { type SessionId, WORKFLOW_PREFIX } from "../model/ids.ts";
import type { JsonObject } from "../model/json.ts";
import type { Liveness, Owner } from "../model/owner.ts";
import { LOCK, stepOfSession } from "../model/workflow-ids.ts";
import type { Clock } from "../platform/clock.ts";
import type { SessionRow } from "../store/contract/driver.ts";
import type { Store } from "../store/store.ts";
import { identityOf, type StateIdentity } from "./claim-ids.ts";
import { fileOwner, isOfFile, standingOfClaim } from "./claim-owner.ts";
import { type FileHolder, holdersIn, partOfHolder, type StoreClaims } from "./holders.ts";
import { createLenientShapes, docWithClaims } from "./read-doc.ts";
import { textOf } from "./state-doc.ts";
import { endOf } from "./step-claims.ts";
import type { WorkflowShape } from "./step-list.ts";
import { claimsOfRows } from "./store-claims.ts";

export interface StepClaimNow {
  readonly session: SessionId;
  readonly name: string;
  readonly file: string;
  /** Its number, or `lock`. */
  readonly step: string;
  /** Null: the store has never heard of it. */
  readonly row: SessionRow | null;
  readonly owner: Owner;
  readonly liveness: Liveness;
  readonly isHeld: boolean;
  readonly sinceMs: number | null;
  readonly heartbeatMs: number | null;
  /** Whose claim of this store it ended, which its owner may not know yet. */
  readonly instead: string | null;
  /** The lock, where it only shows a step's claim: it is freed by its own name, and is no claim of its own in a list. */
  readonly isRepeated: boolean;
}

/** As a list shows them. `files`: looked at beside those the store knows. */
export async function stepClaimsNow(
  store: Store | null,
  clock: Clock,
  files: readonly string[],
): Promise<readonly StepClaimNow[]> {
  return (await stepClaimsAndLocks(store, clock, files)).filter(({ isRepeated }) => !isRepeated);
}

/** All that can be broken: a lock keeps others out also where it only repeats a step's claim. */
export async function stepClaimsAndLocks(
  store: Store | null,
  clock: Clock,
  files: readonly string[],
): Promise<readonly StepClaimNow[]> {
  const rows = store ? await store.sessions({ prefix: WORKFLOW_PREFIX }) : [];
  const known = rows.map(({ facts }) => textOf(facts.workspace)).filter((path) => path !== null);
  const paths = new Set([...known, ...files.map((file) => identityOf(file).path)]);
  const shapeFor = createLenientShapes();
  const found: StepClaimNow[] = [];
  for (const path of paths) {
    const identity = identityOf(path);
    const steps = rows.filter(({ id }) => id.startsWith(`${identity.session}-`));
    const claims = store ? await claimsOfRows(store, steps) : null;
    const doc = docWithClaims(path);
    const shape = shapeFor(path);
    const holders = doc ? holdersIn(doc, shape, clock.nowMs(), claims) : [];
    const seen: SeenFile = { identity, rows: steps, claims, doc, shape, holders };
    const inFile = claimsInFile(seen);
    const taken = new Set(inFile.map(({ step }) => step));
    if (store) found.push(...(await claimsInStore(store, seen)).filter(({ step }) => !taken.has(step)));
    found.push(...inFile);
  }
  return found;
}

interface SeenFile {
  readonly identity: StateIdentity;
  readonly rows: readonly SessionRow[];
  readonly claims: StoreClaims;
  readonly doc: JsonObject | null;
  readonly shape: WorkflowShape;
  readonly holders: readonly FileHolder[];
}

function claimsInFile({ identity, rows, holders }: SeenFile): StepClaimNow[] {
  const strangers = holders.filter((holder) => holder.word === "file");
  return strangers.map((holder) => {
    const step = partOfHolder(holder);
    const session = identity.stepSession(step);
    const row = rows.find(({ id }) => id === session) ?? null;
    const before = row?.claim.owner ?? null;
    const owner = fileOwner(holder.owner);
    return {
      session,
      name: identity.stepName(step),
      file: identity.path,
      step,
      row,
      owner,
      liveness: { kind: "elsewhere", host: owner.host },
      isHeld: !holder.isStale,
      sinceMs: null,
      heartbeatMs: holder.heartbeatMs,
      instead: before && !isOfFile(before) ? before.instance : null,
      isRepeated: isRepeated(holder, holders),
    };
  });
}

/** But for those that the file says are over. */
async function claimsInStore(store: Store, seen: SeenFile): Promise<StepClaimNow[]> {
  const { identity, rows, claims, doc, shape } = seen;
  const found: StepClaimNow[] = [];
  for (const row of rows) {
    const step = stepOfSession(row.id);
    const { owner, acquiredAtMs: sinceMs, heartbeatAtMs: heartbeatMs } = row.claim;
    if (step === null || step === LOCK || !owner || isOfFile(owner)) continue;
    const token = claims?.get(step)?.token ?? null;
    if (doc !== null && token !== null && endOf({ doc, shape, step }, token) !== null) continue;
    const { liveness, isHeld } = await standingOfClaim(store, row);
    if (!liveness) continue;
    const { id: session } = row;
    const { path: file } = identity;
    const name = identity.stepName(step);
    const instead = null;
    found.push({
      session,
      name,
      file,
      step,
      row,
      owner,
      liveness,
      isHeld,
      sinceMs,
      heartbeatMs,
      instead,
      isRepeated: false,
    });
  }
  return found;
}

/** The lock that only shows a step's claim. */
const isRepeated = ({ step, token, owner }: FileHolder, holders: readonly FileHolder[]): boolean =>
  step === null && holders.some((one) => one.step !== null && one.owner === owner && one.token === token);
