/** The store's claims on the steps of state files, read once for all of them; without a store there are none. */
import { WORKFLOW_PREFIX } from "../../../model/ids.ts";
import type { SessionRow } from "../../../store/contract/driver.ts";
import { identityOf, stepOfSession } from "../../../workflow/claim-ids.ts";
import type { StoreClaims } from "../../../workflow/holders.ts";
import { claimsOfRows } from "../../../workflow/store-claims.ts";
import type { Context } from "../../context/context.ts";

type ClaimsOf = (file: string) => StoreClaims;

export async function claimsOfFiles(context: Context, files: readonly string[]): Promise<ClaimsOf> {
  const store = files.length > 0 ? await context.findStore() : null;
  if (!store) return () => null;
  const wanted = new Set<string>(files.map((file) => identityOf(file).session));
  const byFile = new Map<string, SessionRow[]>();
  for (const row of await store.raw.sessions({ prefix: WORKFLOW_PREFIX })) {
    const file = row.id.slice(0, FILE_ID_CHARS);
    if (stepOfSession(row.id) === null || !wanted.has(file)) continue;
    byFile.set(file, [...(byFile.get(file) ?? []), row]);
  }
  const claims = new Map<string, StoreClaims>();
  for (const [file, rows] of byFile) claims.set(file, await claimsOfRows(store.raw, rows));
  return claims.size === 0 ? () => null : (file) => claims.get(identityOf(file).session) ?? null;
}

const FILE_ID_CHARS = identityOf("/").session.length;
