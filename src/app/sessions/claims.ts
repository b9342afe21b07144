/** Who holds what, from whom they took it, and the claim somebody means: of steps and locks that only their file knows, too (K5). */
import { RefloatError } from "../../model/errors.ts";
import { bodyAs } from "../../model/record.ts";
import { isMeantBy, LOCK, stepOfSession } from "../../model/workflow-ids.ts";
import type { SessionSummary } from "../../session/describe.ts";
import { lastAttempt } from "../../session/last-attempt.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import type { Store } from "../../store/store.ts";
import { identityOf } from "../../workflow/claim-ids.ts";
import { isOfFile } from "../../workflow/claim-owner.ts";
import { type StepClaimNow, stepClaimsAndLocks, stepClaimsNow } from "../../workflow/claims-now.ts";
import { findStateFiles } from "../../workflow/state-paths.ts";
import { dotted } from "../../workflow/step-list.ts";
import type { AppPlace } from "../place/app-place.ts";
import { type ClaimView, claimFacts, stepClaimFacts } from "./claim-facts.ts";
import { findSession, findSessionOrNull } from "./find-session.ts";

export type ListedClaim = ClaimView &
  Pick<SessionSummary, "last_attempt"> & {
    /** Of a step: its state file. */
    readonly file: string | null;
    readonly taken_from: TakenFrom | null;
    /** Of one that only the file knows: whose claim of this store it ended. */
    readonly instead_of: string | null;
  };

interface TakenFrom {
  readonly owner: string;
  readonly why: string;
  readonly at: string;
}

export interface ClaimsHere {
  /** How far a claim of this store reaches. */
  readonly kind: "sqlite" | "postgres";
  readonly claims: readonly ListedClaim[];
  /** Every session of the store: an id on a screen means this one in all of it, not only among those beside it (T6). */
  readonly ids: readonly string[];
}

/** `typed`: that one's; null: every claim with an owner, dead ones too: they tell where a session was left. */
export async function claimsHere(at: AppPlace, typed: string | null): Promise<ClaimsHere> {
  const store = (await at.findStore())?.raw ?? null;
  const rows = (await store?.sessions()) ?? [];
  const found = typed === null ? await everyClaim(at, store, rows) : [await claimMeant(at, typed)];
  const claims = await Promise.all(found.map((one) => listedClaim(store, one)));
  const ids = [...rows.map(({ id }): string => id), ...claims.map(({ session }) => session)];
  return { kind: store?.driver.kind ?? "sqlite", claims, ids };
}

/** One of both is there. */
export interface FoundClaim {
  readonly row: SessionRow | null;
  /** Of a step or a lock, as it is now; null: of another kind, or nobody has it. */
  readonly step: StepClaimNow | null;
}

/** Those of state files as they are now; the newest first. */
async function everyClaim(
  at: AppPlace,
  store: Store | null,
  rows: readonly SessionRow[],
): Promise<readonly FoundClaim[]> {
  const others = rows
    .filter(({ id, claim }) => claim.owner !== null && stepOfSession(id) === null)
    .map((row): FoundClaim => ({ row, step: null }));
  const now = await stepClaimsNow(store, at.clock, findStateFiles(at.place()));
  const steps = now.map((step): FoundClaim => ({ row: step.row, step }));
  const atOf = ({ row, step }: FoundClaim): number =>
    step?.sinceMs ?? step?.heartbeatMs ?? row?.claim.acquiredAtMs ?? 0;
  return [...others, ...steps].sort((a, b) => atOf(b) - atOf(a));
}

async function listedClaim(store: Store | null, { row, step }: FoundClaim): Promise<ListedClaim> {
  const facts = step ? stepClaimFacts(step) : await claimFacts(store as Store, row as SessionRow);
  const isOwn = step === null || !isOfFile(step.owner);
  const [last_attempt, taken_from] = await Promise.all([
    store && row ? lastAttempt(store, row) : facts.attempt,
    store && row && isOwn ? takenFrom(store, row) : null,
  ]);
  return {
    ...facts,
    last_attempt,
    file: step?.file ?? null,
    taken_from,
    instead_of: step?.instead ?? null,
  };
}

/** From whom its owner took it, where they had not given it back (K4). */
async function takenFrom(store: Store, { id, claim }: SessionRow): Promise<TakenFrom | null> {
  if (claim.owner === null) return null;
  const query = { session: id, kinds: ["claim.taken" as const], order: "backward" as const, limit: 2 };
  const [record, before] = await store.records(query);
  const body = record ? bodyAs(record, "claim.taken") : null;
  if (!record || !body?.from) return null;
  // Under the token it had in the file it only moved into this store: nobody was gone.
  const isMoved = before && body.token != null && bodyAs(before, "claim.taken")?.token === body.token;
  if (isMoved && isOfFile(body.from)) return null;
  return { owner: body.from.instance, why: body.why, at: new Date(record.atMs).toISOString() };
}

/** Two projects may have one name, and the store may know but one of them: the one somebody stands in is meant. */
export async function claimMeant(at: AppPlace, typed: string): Promise<FoundClaim> {
  const meant = (await breakableHere(at, null)).filter(
    ({ name, session }) => name === typed || isMeantBy(typed, session),
  );
  const folder = at.place();
  const files = new Set(findStateFiles(folder).map((file) => identityOf(file).path));
  const here = meant.filter(({ file }) => files.has(file));
  if (here.length > 0) return theOnly(typed, here);
  // A claim that only the file knows has no session in the store to be found by.
  const found = meant.length > 0 ? await findSessionOrNull(at, typed) : await findSession(at, typed);
  if (!found) return theOnly(typed, meant);
  const { row } = found;
  const isHere = String(row.facts.workspace).startsWith(`${folder}/`);
  const others = isHere ? [] : meant.filter(({ session }) => session !== row.id);
  if (others.length > 0) throw ambiguous(typed, [row.id, ...others.map(({ session }) => session)]);
  return { row, step: meant.find(({ session }) => session === row.id) ?? null };
}

/** A step by its number, or `lock`, of this state file. */
export async function claimInFile(at: AppPlace, file: string, part: string): Promise<FoundClaim> {
  const session = identityOf(file).stepSession(part === LOCK ? LOCK : dotted(part));
  const step = (await breakableHere(at, file)).find((one) => one.session === session) ?? null;
  const row = (await (await at.findStore())?.raw.session(session)) ?? null;
  if (!step && !row) throw new RefloatError("E_NO_SESSION", { what: `${part} of ${file}` });
  return { row, step };
}

async function breakableHere(at: AppPlace, file: string | null): Promise<readonly StepClaimNow[]> {
  const store = await at.findStore();
  const files = [...findStateFiles(at.place()), ...(file === null ? [] : [file])];
  return stepClaimsAndLocks(store?.raw ?? null, at.clock, files);
}

function theOnly(typed: string, meant: readonly StepClaimNow[]): FoundClaim {
  const [step = null, ...others] = meant;
  if (others.length > 0)
    throw ambiguous(
      typed,
      meant.map(({ session }) => session),
    );
  return { row: step?.row ?? null, step };
}

const ambiguous = (what: string, ids: readonly string[]): RefloatError =>
  new RefloatError("E_AMBIGUOUS", { what, matches: ids.join(", ") });
