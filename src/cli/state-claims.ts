/** The store's claims on the steps of state files, read once for all of them; without a store there are none. */
import { identityOf, stepOfSession } from "../workflow/claim-ids.ts";
import type { StoreClaim } from "../workflow/subject.ts";
import type { Context } from "./context.ts";

type ClaimsOf = (file: string) => ReadonlyMap<string, StoreClaim> | null;

export async function claimsOfFiles(context: Context, files: readonly string[]): Promise<ClaimsOf> {
  const store = files.length > 0 ? await context.findStore() : null;
  if (!store) return () => null;
  const byFile = new Map<string, Map<string, StoreClaim>>();
  for (const row of await store.raw.sessions({ prefix: "workflow-" })) {
    const step = stepOfSession(row.id);
    if (step === null) continue;
    const file = row.id.slice(0, -`-step-${step}`.length);
    const claims = byFile.get(file) ?? new Map<string, StoreClaim>();
    claims.set(step, {
      session: row.id,
      owner: row.claim.owner?.instance ?? null,
      attempt: row.claim.attempt,
    });
    byFile.set(file, claims);
  }
  return byFile.size === 0 ? () => null : (file) => byFile.get(identityOf(file).session) ?? null;
}
