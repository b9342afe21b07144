/** The decisions of the session that is meant here (capture-session.ts), oldest first. Reads only: none is made. */
import type { SessionId } from "../../model/ids.ts";
import { READ_PAGE_ROWS } from "../../model/limits.ts";
import { bodyAs } from "../../model/record.ts";
import type { Environment } from "../../platform/places.ts";
import type { Store } from "../../store/store.ts";
import { manualId, targetSession } from "./capture-session.ts";

export interface MadeDecision {
  readonly key: string;
  readonly value: unknown;
  readonly reason: string | null;
  readonly step: string | null;
  readonly at: string;
}

export async function decisionsHere(
  store: Store,
  root: string,
  place: string,
  env: Environment,
): Promise<{ session: SessionId | null; decisions: MadeDecision[] }> {
  const target = await targetSession(store, root, place, env);
  const session = target?.id ?? (await store.session(manualId(root)))?.id ?? null;
  return { session, decisions: session === null ? [] : await decisionsOf(store, session) };
}

/** The last page of them. */
async function decisionsOf(store: Store, session: SessionId): Promise<MadeDecision[]> {
  const newestFirst = await store.records({
    session,
    kinds: ["decided"],
    order: "backward",
    limit: READ_PAGE_ROWS,
  });
  return newestFirst.toReversed().flatMap((record) => {
    const body = bodyAs(record, "decided");
    if (!body) return [];
    const { key, value, reason, step } = body;
    return [{ key, value: value ?? null, reason, step, at: new Date(record.atMs).toISOString() }];
  });
}
