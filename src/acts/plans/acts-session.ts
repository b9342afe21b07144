/**
 * The journal in which a workspace's plans lie, and its claim: whoever changes the tree holds it, so there is one
 * executor at a time (K1), and a started plan goes over only from one that is proved dead or gave it up (K4).
 *
 * The journal's id comes from the workspace's path alone: device numbers change with a reboot, and a reboot is when
 * a plan left open must be found. Whether the tree is still the one a plan was made for is asked of the plan.
 */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { RefloatError } from "../../model/errors.ts";
import { isActsSession, type SessionId } from "../../model/ids.ts";
import type { Owner } from "../../model/owner.ts";
import { bodyAs } from "../../model/record.ts";
import { selfOwner } from "../../platform/identity.ts";
import { Held, keepAlive, takeClaim } from "../../session/claims.ts";
import { newRecord } from "../../session/new-record.ts";
import { describeOwner } from "../../store/refusal-error.ts";
import type { Store } from "../../store/store.ts";
import type { TakenCapture } from "../../workspace/captures/take-capture.ts";
import { isOtherMark, treeMark } from "../../workspace/opening/tree-mark.ts";
import type { Workspace } from "../../workspace/opening/workspace.ts";

export const ACTS_PREFIX = "acts-";
const KEY_CHARS = 24;

export function actsSessionOf({ root }: Pick<Workspace, "root">): SessionId {
  return `${ACTS_PREFIX}${createHash("sha256").update(root).digest("hex").slice(0, KEY_CHARS)}` as SessionId;
}

/** Whether a plan was made for a tree that lay here before. Where none lies any more, it was. */
export const isOtherTree = (workspace: Workspace, mark: string | null): boolean =>
  !existsSync(workspace.root) || (mark !== null && isOtherMark(treeMark(workspace), mark));

export interface ActsClaim {
  readonly session: SessionId;
  readonly attempt: number;
  readonly owner: Owner;
  /** Throws E_FENCED when somebody took the claim over: asked before every path (K4). */
  recheck(): Promise<void>;
}

/** E_ACT_BUSY while another executor lives, or cannot be proved dead. */
export async function withActsClaim<T>(
  store: Store,
  workspace: Workspace,
  work: (claim: ActsClaim) => Promise<T>,
): Promise<T> {
  const session = actsSessionOf(workspace);
  const owner = selfOwner("refloat act");
  const attempt = await take(store, workspace, session, owner);
  let lost: Error | null = null;
  const beat = keepAlive(store, session, attempt, (error) => {
    lost = error;
  });
  const recheck = async (): Promise<void> => {
    if (lost) throw lost;
    const current = (await store.session(session))?.claim;
    if (current?.attempt !== attempt || current.owner?.instance !== owner.instance)
      throw new RefloatError("E_FENCED", { attempt, current: current?.attempt ?? 0 });
  };
  try {
    return await work({ session, attempt, owner, recheck });
  } finally {
    beat.stop();
    await giveBack(store, session, attempt);
  }
}

async function take(store: Store, { root }: Workspace, session: SessionId, owner: Owner): Promise<number> {
  try {
    const { attempt } = await takeClaim(store, {
      session,
      owner,
      records: ({ row }) =>
        row
          ? []
          : [
              newRecord(store.clock, "session.began", {
                agent: "refloat",
                workspace: "",
                goal: null,
                name: `acts in ${root}`,
              }),
            ],
    });
    return attempt;
  } catch (thrown) {
    if (!(thrown instanceof Held)) throw thrown;
    throw new RefloatError("E_ACT_BUSY", { by: describeOwner(thrown.by), session }, thrown);
  }
}

async function giveBack(store: Store, session: SessionId, attempt: number): Promise<void> {
  try {
    await store.release(session, attempt, [newRecord(store.clock, "claim.released", { attempt })]);
  } catch (thrown) {
    // Taken over by order: it is not ours to give back.
    if (!(thrown instanceof RefloatError) || thrown.code !== "E_FENCED") throw thrown;
  }
}

/** The plan a safety capture was taken for: the next one in its journal, if it names it. None: the act was cut off before its plan was made. */
export interface PlanOfCapture {
  readonly plan: string;
  readonly act: string;
  /** On whose behalf; null: the user's own order. */
  readonly session: SessionId | null;
}

export async function planOfCapture(
  store: Store,
  { id, session, seq }: Pick<TakenCapture, "id" | "session" | "seq">,
): Promise<PlanOfCapture | null> {
  if (!isActsSession(session)) return null;
  const [record] = await store.records({ session, kinds: ["plan.made"], fromSeq: seq, limit: 1 });
  const body = record && !record.isForgotten ? bodyAs(record, "plan.made") : null;
  return body?.capture === id
    ? { plan: body.plan, act: body.act, session: body.session as SessionId | null }
    : null;
}
