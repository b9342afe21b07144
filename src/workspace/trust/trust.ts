/**
 * The user's trust in programs that came with a repository (filters, and by trusted-text.ts commands of its config): records in one
 * session of the store, bound to the repository's place and to the exact text. Another text is another digest, so a change voids it.
 */
import { TRUST_SESSION } from "../../model/ids.ts";
import { bodyAs } from "../../model/record.ts";
import { selfOwner } from "../../platform/identity.ts";
import { takeClaim } from "../../session/claims.ts";
import { newRecord } from "../../session/new-record.ts";
import type { Store } from "../../store/store.ts";
import type { Location } from "../git/locate.ts";

/** The newest word on this repository and this text. */
export async function isTrusted(store: Store, location: Location, digest: string): Promise<boolean> {
  if (!(await store.session(TRUST_SESSION))) return false;
  let trusted = false;
  for await (const record of store.journal(TRUST_SESSION)) {
    const body = bodyAs(record, "trust.given");
    if (body?.repository === location.commonDir && body.digest === digest) trusted = body.trusted;
  }
  return trusted;
}

/** The check that the user typed last for this repository; null: none, or he took that one back. */
export async function lastTypedCheck(store: Store, location: Location): Promise<string | null> {
  if (!(await store.session(TRUST_SESSION))) return null;
  let last: { readonly check: string; readonly digest: string } | null = null;
  for await (const record of store.journal(TRUST_SESSION)) {
    const body = bodyAs(record, "trust.given");
    if (body?.repository !== location.commonDir) continue;
    const { digest, check } = body;
    if (body.trusted && check !== undefined) last = { check, digest };
    else if (!body.trusted && last?.digest === digest) last = null;
  }
  return last?.check ?? null;
}

export interface GivenTrust {
  readonly trusted: boolean;
  /** The text of a check that was typed. */
  readonly check?: string;
}

export async function recordTrust(
  store: Store,
  location: Location,
  digest: string,
  given: GivenTrust,
): Promise<void> {
  const began = { agent: "refloat", workspace: "", goal: null, name: "trust" };
  const body = { repository: location.commonDir, digest, ...given };
  const { attempt } = await takeClaim(store, {
    session: TRUST_SESSION,
    owner: selfOwner("refloat"),
    records: ({ row }) => [
      ...(row ? [] : [newRecord(store.clock, "session.began", began)]),
      newRecord(store.clock, "trust.given", body),
    ],
  });
  await store.release(TRUST_SESSION, attempt, [newRecord(store.clock, "claim.released", { attempt })]);
}
