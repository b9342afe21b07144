/**
 * Begins the session of a run: a new one each time. With a name, only one at a time in a workspace (DESIGN 10): a
 * live one is in the way, whether its supervisor lives or only its agent does.
 */
import { createHash } from "node:crypto";
import { RefloatError } from "../model/errors.ts";
import type { SessionId } from "../model/ids.ts";
import type { Owner } from "../model/owner.ts";
import { randomId } from "../platform/random.ts";
import { describeRows, type SessionSummary } from "../session/describe.ts";
import { newRecord } from "../session/new-record.ts";
import type { SessionRow } from "../store/contract/driver.ts";
import { refusalError } from "../store/refusal-error.ts";
import type { Store } from "../store/store.ts";

export interface RunSession {
  readonly agent: string;
  readonly workspace: string;
  readonly name: string | null;
  readonly owner: Owner;
}

export type BegunRun =
  | {
      readonly kind: "begun";
      readonly session: SessionId;
      readonly attempt: number;
      readonly head: number;
    }
  | { readonly kind: "busy"; readonly by: SessionSummary }
  /** The newest of this name died too often without getting anything done (L2). */
  | { readonly kind: "suspended"; readonly by: SessionSummary };

/** Races for a name are settled by the store; more rounds than this mean something other than a race. */
const MAX_ROUNDS = 50;

export async function beginRun(store: Store, run: RunSession): Promise<BegunRun> {
  if (run.name === null) {
    const taken = await take(store, anyRunId(), run, null);
    if (!taken) throw new RefloatError("E_STORE_BUSY", { ms: 0 }); // 100 random bits met again: not in this world
    return taken;
  }
  let foreign = 0;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const rows = await store.sessions({ workspace: run.workspace, name: run.name });
    const known = await describeRows(store, rows, async () => new Set());
    const live = known.find(({ state }) => state === "live");
    if (live) return { kind: "busy", by: live };
    const newest = known[0];
    if (newest?.state === "suspended") return { kind: "suspended", by: newest };
    const before = rows.find(({ id }) => id === newest?.id) ?? null;
    const id = namedRunId(run.workspace, run.name, known.length + foreign);
    const taken = await take(store, id, run, before);
    if (taken) return taken;
    // Another start was faster, and is on the list at the next look; or the id is a session's from elsewhere.
    if (!(await isOfName(store, id, run.name))) foreign += 1;
  }
  throw new RefloatError("E_STORE_BUSY", { ms: 0 });
}

async function isOfName(store: Store, id: SessionId, name: string): Promise<boolean> {
  return (await store.session(id))?.facts.name === name;
}

/** Makes the session and claims it in one step. Null: there is one of this id already. */
async function take(
  store: Store,
  session: SessionId,
  { agent, workspace, name, owner }: RunSession,
  before: SessionRow | null,
): Promise<BegunRun | null> {
  const { clock } = store;
  const began = { agent, workspace, goal: null, name, supervised: true, ...carried(before) };
  const claim = { attempt: 1, owner, why: "new", from: null, reason: null } as const;
  const outcome = await store.take({
    session,
    seen: null,
    owner,
    nowMs: clock.nowMs(),
    thresholdMs: store.lostAfterMs,
    records: [newRecord(clock, "session.began", began), newRecord(clock, "claim.taken", claim)],
  });
  if (outcome.kind === "done")
    return { kind: "begun", session, attempt: outcome.attempt, head: outcome.head };
  if (outcome.refusal.kind === "session-exists") return null;
  throw refusalError({ session }, outcome.refusal);
}

/** L2: the dirty ends of the session whose work this one takes up go over to it. */
function carried(before: SessionRow | null): {
  continues?: string;
  dirty_ends?: number;
  dirty_call?: string | null;
} {
  if (!before) return {};
  const { dirty_ends, dirty_call } = before.facts;
  return {
    continues: before.id,
    dirty_ends: Number(dirty_ends ?? 0),
    dirty_call: typeof dirty_call === "string" ? dirty_call : null,
  };
}

// The id of the n-th session of a name in a workspace. Two starts that see the same n sessions want the same id, and
// the store gives it to one of them: that is how `--name` lets one run at a time without a lock of its own.

/** The letters of every other id (platform/random.ts), so that these look like those. */
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
const ID_CHARS = 20;

const anyRunId = (): SessionId => randomId() as SessionId;

function namedRunId(workspace: string, name: string, number: number): SessionId {
  const digest = createHash("sha256")
    .update(JSON.stringify(["refloat run", workspace, name, number]))
    .digest();
  const chars = [...digest.subarray(0, ID_CHARS)].map((byte) => ALPHABET.charAt(byte & 31));
  return chars.join("") as SessionId;
}
