/** Why a step is not to be had, with what can be typed where it is printed (T6). */
import { basename, dirname } from "node:path";
import { RefloatError } from "../model/errors.ts";
import { WORKFLOW_PREFIX } from "../model/ids.ts";
import type { Owner } from "../model/owner.ts";
import { isWorkflowSession, shortWorkflowId, stepOfSession } from "../model/workflow-ids.ts";
import type { Held } from "../session/claims.ts";
import type { SessionRow } from "../store/contract/driver.ts";
import type { Store } from "../store/store.ts";
import { shellWord } from "../text/escape.ts";
import type { OpenedState } from "./change-state.ts";
import type { StateIdentity } from "./claim-ids.ts";
import { ownerOption, sessionOf, standingOfOwner } from "./claim-owner.ts";
import { type FileHolder, partOfHolder, type StoreClaim } from "./holders.ts";
import { stamp, textOf } from "./state-doc.ts";

interface StepRefusal {
  readonly step: string;
  readonly owner: Owner;
  readonly claim: StoreClaim | null;
  readonly shown: FileHolder | null;
}

export function fencedError(
  { path }: StateIdentity,
  { step, owner, claim, shown }: StepRefusal,
): RefloatError {
  const other = shown && shown.owner !== owner.instance && !shown.isStale ? shown.owner : null;
  return new RefloatError("E_STEP_FENCED", {
    step,
    owner: owner.instance,
    why: other === null ? `it is at attempt ${claim?.attempt ?? 0}` : `it is ${other}'s now`,
    instead:
      other === null
        ? `\`refloat step start ${step} --file ${shellWord(path)}${ownerOption(owner)}\` claims it anew.`
        : "`refloat claim status` says more of it.",
  });
}

/** Somebody of another store or another tool, by the file's word. */
export async function heldInFile(
  { store, identity }: OpenedState,
  { step, owner, claim, holder }: StepRefusal & { readonly holder: FileHolder },
): Promise<RefloatError> {
  const what = holder.step === null ? "it has the lock" : "it has the claim";
  const at = holder.heartbeatMs === null ? "" : `, heartbeat ${stamp(holder.heartbeatMs)}`;
  const isLost = claim?.owner === owner.instance && !claim.isOfFile;
  const lost = isLost ? `; what ${owner.instance} was given here is over` : "";
  return new RefloatError("E_STEP_HELD", {
    step,
    by: holder.owner,
    why: `${what} by the file's word${at}${lost}`,
    instead: takeOver(await typedClaim(store, identity, partOfHolder(holder))),
  });
}

export async function heldByStore(
  { store, identity }: OpenedState,
  { step }: StepRefusal,
  held: Held,
): Promise<RefloatError> {
  const session = sessionOf(held.by);
  const { liveness } = await standingOfOwner(store, held.by);
  // A session that is alive here has to end before its claims can be taken (K4).
  const isAlive = session !== null && liveness.kind === "alive";
  const instead = isAlive
    ? `stop it first: \`refloat stop ${shellWord(session.session)}\``
    : takeOver(await typedClaim(store, identity, step));
  const why = `since ${held.since?.toISOString() ?? "an unknown time"}`;
  return new RefloatError("E_STEP_HELD", { step, by: held.by.instance, why, instead }, held);
}

const takeOver = (claim: string): string =>
  `take it over: \`refloat claim break ${shellWord(claim)} --reason WHY\``;

/** The name of a step's claim, or of the lock's; its id where another project of this store is called the same. */
export async function typedClaim(store: Store, identity: StateIdentity, part: string): Promise<string> {
  const rows = await store.sessions({ prefix: WORKFLOW_PREFIX });
  const project = projectOf(identity.path);
  const isAlone = rows.every((row) => row.id === identity.session || projectOfFile(row) !== project);
  if (isAlone) return identity.stepName(part);
  return shortWorkflowId(
    identity.stepSession(part),
    rows.map(({ id }) => id),
  );
}

const projectOf = (file: string): string => basename(dirname(file));

/** Of the row of a state file; null: it is none. */
function projectOfFile({ id, facts }: SessionRow): string | null {
  const file = isWorkflowSession(id) && stepOfSession(id) === null ? textOf(facts.workspace) : null;
  return file === null ? null : projectOf(file);
}
