/** The claim somebody means, and those of state files: of a step or a lock that only its file knows, too (K5). */
import { RefloatError } from "../model/errors.ts";
import type { SessionRow } from "../store/driver.ts";
import { identityOf, isMeantBy, LOCK } from "../workflow/claim-ids.ts";
import { type StepClaimNow, stepClaimsNow } from "../workflow/claims-now.ts";
import { findStateFiles } from "../workflow/state-paths.ts";
import { dotted } from "../workflow/step-list.ts";
import type { Context } from "./context.ts";
import { resolveSession } from "./resolve-session.ts";

/** One of both is there. */
export interface FoundClaim {
  readonly row: SessionRow | null;
  /** Of a step or a lock, as it is now; null: of another kind, or nobody has it. */
  readonly step: StepClaimNow | null;
}

export async function stepClaimsHere(
  context: Context,
  more: readonly string[] = [],
): Promise<readonly StepClaimNow[]> {
  const store = await context.findStore();
  return stepClaimsNow(store?.raw ?? null, context.clock, [...findStateFiles(context.workspace()), ...more]);
}

export async function claimMeant(context: Context, typed: string): Promise<FoundClaim> {
  const steps = await stepClaimsHere(context);
  try {
    const { row } = await resolveSession(context, typed);
    return { row, step: steps.find(({ session }) => session === row.id) ?? null };
  } catch (thrown) {
    const isUnknown = thrown instanceof RefloatError && thrown.code === "E_NO_SESSION";
    // A claim that only the file knows has no session in the store to be found by.
    const meant = isUnknown
      ? steps.filter((step) => step.name === typed || isMeantBy(typed, step.session))
      : [];
    const [step, ...others] = meant;
    if (!step) throw thrown;
    if (others.length > 0) {
      const matches = meant.map(({ session }) => session).join(", ");
      throw new RefloatError("E_AMBIGUOUS", { what: typed, matches });
    }
    return { row: step.row, step };
  }
}

/** A step by its number, or `lock`, of the state file that was named. */
export async function claimInFile(context: Context, file: string, part: string): Promise<FoundClaim> {
  const session = identityOf(file).stepSession(part === LOCK ? LOCK : dotted(part));
  const step = (await stepClaimsHere(context, [file])).find((one) => one.session === session) ?? null;
  const row = (await (await context.findStore())?.raw.session(session)) ?? null;
  if (!step && !row) throw new RefloatError("E_NO_SESSION", { what: `${part} of ${file}` });
  return { row, step };
}
