/**
 * Whose capture it is (DESIGN 10): under a session's mark that session's; else the newest live session of the
 * workspace; else one named `manual`, made for it. A capture is an observation and needs no claim, so a session
 * somebody else holds takes it too.
 */
import { createHash } from "node:crypto";
import { RefloatError } from "../../model/errors.ts";
import { MANUAL_PREFIX, type SessionId } from "../../model/ids.ts";
import { selfOwner } from "../../platform/identity.ts";
import type { Environment } from "../../platform/places.ts";
import { Held, takeClaim } from "../../session/claims.ts";
import { describeSession } from "../../session/describe.ts";
import { newRecord } from "../../session/new-record.ts";
import { isTakenElsewhere } from "../../session/taken-elsewhere.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import type { Store } from "../../store/store.ts";
import { textOrder } from "../../text/text-order.ts";
import { SEEN_ONCE, sessionsOf } from "./workspace-sessions.ts";

const MANUAL = "manual";

/** `REFLOAT_SESSION` is `<id>.<attempt>.<random>` (S2); an id may hold dots itself. Null: no mark. */
export function markedSession(env: Environment): string | null {
  const mark = env.REFLOAT_SESSION;
  if (!mark) return null;
  return /^(.+)\.\d+\.[^.]+$/s.exec(mark)?.[1] ?? mark;
}

/** Whose a word from a command is: the mark's, else the newest live session's of the workspace; null: nobody's. */
export async function targetSession(
  store: Store,
  root: string,
  place: string,
  env: Environment,
): Promise<SessionRow | null> {
  const marked = markedSession(env);
  if (marked !== null) {
    const row = await store.session(marked as SessionId);
    if (!row) throw new RefloatError("E_NO_SESSION", { what: marked });
    return row;
  }
  const rows = await sessionsOf(store, [root, place], SEEN_ONCE);
  const described = await Promise.all(
    rows.map(async (row) => ({ row, summary: await describeSession(store, row) })),
  );
  const newest = described
    .filter(({ summary }) => summary.state === "live")
    .toSorted((a, b) => textOrder(b.summary.started_at ?? "", a.summary.started_at ?? ""))[0];
  return newest?.row ?? null;
}

export async function sessionForCapture(
  store: Store,
  root: string,
  place: string,
  env: Environment,
): Promise<SessionId> {
  const target = await targetSession(store, root, place, env);
  if (!target || isTakenElsewhere(target, env.REFLOAT_SESSION)) return manualSession(store, root);
  return target.id;
}

export const manualId = (root: string): SessionId =>
  `${MANUAL_PREFIX}${createHash("sha256").update(root).digest("hex").slice(0, 16)}` as SessionId;

export async function manualSession(store: Store, root: string): Promise<SessionId> {
  const id = manualId(root);
  await ensureSession(store, id, { agent: "refloat", workspace: root, goal: null, name: MANUAL });
  return id;
}

/** Begins a session of our own if it is not there, and gives its claim back at once. */
export async function ensureSession(
  store: Store,
  session: SessionId,
  body: { agent: string; workspace: string; goal: string | null; name: string | null },
): Promise<void> {
  if (await store.session(session)) return;
  try {
    const { attempt } = await takeClaim(store, {
      session,
      owner: selfOwner("refloat"),
      records: ({ row }) => (row ? [] : [newRecord(store.clock, "session.began", body)]),
    });
    await store.release(session, attempt, [newRecord(store.clock, "claim.released", { attempt })]);
  } catch (thrown) {
    // Another process is just making it: then it is there.
    if (!(thrown instanceof Held)) throw thrown;
  }
}
