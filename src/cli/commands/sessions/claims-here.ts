/** The claim somebody means, and those of state files: of a step or a lock that only its file knows, too (K5). */
import { findSession, findSessionOrNull } from "../../../app/sessions/find-session.ts";
import { RefloatError } from "../../../model/errors.ts";
import { isMeantBy, LOCK } from "../../../model/workflow-ids.ts";
import type { SessionRow } from "../../../store/contract/driver.ts";
import { identityOf } from "../../../workflow/claim-ids.ts";
import { type StepClaimNow, stepClaimsAndLocks, stepClaimsNow } from "../../../workflow/claims-now.ts";
import { findStateFiles } from "../../../workflow/state-paths.ts";
import { dotted } from "../../../workflow/step-list.ts";
import type { Context } from "../../context/context.ts";

/** One of both is there. */
export interface FoundClaim {
  readonly row: SessionRow | null;
  /** Of a step or a lock, as it is now; null: of another kind, or nobody has it. */
  readonly step: StepClaimNow | null;
}

/** As a list shows them. */
export async function stepClaimsHere(context: Context): Promise<readonly StepClaimNow[]> {
  const store = await context.findStore();
  return stepClaimsNow(store?.raw ?? null, context.clock, findStateFiles(context.place()));
}

async function breakableHere(context: Context, file: string | null): Promise<readonly StepClaimNow[]> {
  const store = await context.findStore();
  const files = [...findStateFiles(context.place()), ...(file === null ? [] : [file])];
  return stepClaimsAndLocks(store?.raw ?? null, context.clock, files);
}

/** Two projects may have one name, and the store may know but one of them: the one somebody stands in is meant. */
export async function claimMeant(context: Context, typed: string): Promise<FoundClaim> {
  const meant = (await breakableHere(context, null)).filter(
    ({ name, session }) => name === typed || isMeantBy(typed, session),
  );
  const folder = context.place();
  const files = new Set(findStateFiles(folder).map((file) => identityOf(file).path));
  const here = meant.filter(({ file }) => files.has(file));
  if (here.length > 0) return theOnly(typed, here);
  // A claim that only the file knows has no session in the store to be found by.
  const found =
    meant.length > 0 ? await findSessionOrNull(context, typed) : await findSession(context, typed);
  if (!found) return theOnly(typed, meant);
  const { row } = found;
  const isHere = String(row.facts.workspace).startsWith(`${folder}/`);
  const others = isHere ? [] : meant.filter(({ session }) => session !== row.id);
  if (others.length > 0) throw ambiguous(typed, [row.id, ...others.map(({ session }) => session)]);
  return { row, step: meant.find(({ session }) => session === row.id) ?? null };
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

/** A step by its number, or `lock`, of the state file that was named. */
export async function claimInFile(context: Context, file: string, part: string): Promise<FoundClaim> {
  const session = identityOf(file).stepSession(part === LOCK ? LOCK : dotted(part));
  const step = (await breakableHere(context, file)).find((one) => one.session === session) ?? null;
  const row = (await (await context.findStore())?.raw.session(session)) ?? null;
  if (!step && !row) throw new RefloatError("E_NO_SESSION", { what: `${part} of ${file}` });
  return { row, step };
}
