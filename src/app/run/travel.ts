/**
 * A session that died on another machine goes on on this one (W8): its claim is taken first, so that whatever the dead one still writes is
 * refused (K1); then its commits, its branch and its tree are brought into a work tree of its own of the clone somebody stands in, or into a
 * clone made for it. Where the clone stands at its commit already, its files are put back there as anywhere (resume-tree.ts).
 */
import { basename, dirname, join, resolve } from "node:path";
import { RefloatError } from "../../model/errors.ts";
import { type BodyOf, bodyAs } from "../../model/record.ts";
import { hostId } from "../../platform/identity.ts";
import { SHORT_ID, type TravelEnd, travelInto } from "../../salvage/worktrees/travel.ts";
import { Held } from "../../session/claims.ts";
import { decideClaim } from "../../session/decide-claim.ts";
import { newRecord } from "../../session/new-record.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import { workspaceIn } from "../../store/contract/session-facts.ts";
import { livenessOfHolder } from "../../store/holder.ts";
import type { Store } from "../../store/store.ts";
import { hasAnyCommitOf } from "../../workspace/captures/bring-commits.ts";
import { isAway } from "../../workspace/captures/held-work.ts";
import { keptOf } from "../../workspace/captures/keep-commits.ts";
import { olderTree } from "../../workspace/captures/older-tree.ts";
import { readHead } from "../../workspace/git/head.ts";
import { hasCommit } from "../../workspace/git/objects.ts";
import { listWorktrees } from "../../workspace/git/worktrees.ts";
import type { GitWorkspace } from "../../workspace/opening/workspace.ts";
import { assertNotJudged } from "../../workspace/trust/judged-session.ts";
import { PUT_BACK } from "../acts/held.ts";
import type { AppPlace } from "../place/app-place.ts";
import { workspaceAt } from "../place/workspace-here.ts";
import { recover } from "../recovery/recover.ts";
import { sessionTree } from "../sessions/session-tree.ts";
import type { RefloatStore } from "../store/open-store.ts";
import type { Tell } from "../telling/news.ts";

/** Somebody who only tells something of the session may come between so often. */
const MAX_MOVE_ROUNDS = 20;

export interface TravelWish {
  /** A folder for its work tree, or for the clone made for it; null: beside the clone. */
  readonly to: string | null;
  /** The address a clone is made from; null: somebody stands in one. */
  readonly from: string | null;
}

type TravelPlan =
  | { readonly kind: "worktree"; readonly clone: GitWorkspace; readonly path: string }
  | { readonly kind: "clone"; readonly url: string; readonly path: string };

/** Where it would go on; null: where it is, or its files are put back by those who do so anywhere. Changes nothing. */
export async function planTravel(
  at: AppPlace,
  store: RefloatStore,
  row: SessionRow,
  { to, from }: TravelWish,
): Promise<TravelPlan | null> {
  const wanted = row.facts.captured_head;
  const path = to === null ? null : resolve(at.place(), to);
  if (from !== null && path !== null) return { kind: "clone", url: from, path };
  if (typeof wanted !== "string") return null;
  const isMeant = path !== null;
  if (!isMeant && !(await workedElsewhere(store, row))) return null;
  const clone = await cloneFor(at, store, row);
  if (!clone) return null;
  const repository = await clone.repository();
  const isOwn = !isAway(row, clone) && (await olderTree(store.raw, row, clone, at.env)) === null;
  if (isOwn && !isMeant) return null;
  const isAt = (await readHead(repository)).id === wanted;
  // What was not kept is put back as files on the last commit that is here.
  const canHave = keptOf(row)?.whole === wanted || (await hasCommit(repository, wanted));
  if ((isAt || !canHave) && !isMeant) return null;
  const [main] = await listWorktrees(repository);
  return { kind: "worktree", clone, path: path ?? besideOf(main?.path ?? clone.root, row) };
}

const besideOf = (root: string, { id }: SessionRow): string =>
  join(dirname(root), `${basename(root)}-${id.slice(0, SHORT_ID)}`);

/** On another machine, as the last who started its agent, or held it, says of himself. */
export async function workedElsewhere({ raw }: RefloatStore, { id: session }: SessionRow): Promise<boolean> {
  const order = { session, order: "backward", limit: 1 } as const;
  const [started] = await raw.records({ ...order, kinds: ["agent.started"] });
  const [taken] = started ? [] : await raw.records({ ...order, kinds: ["claim.taken"] });
  const host = started
    ? bodyAs(started, "agent.started")?.host
    : taken && bodyAs(taken, "claim.taken")?.owner.host;
  return host !== undefined && host !== hostId();
}

/** Null: it worked nowhere, or in a folder. E_TRAVEL_OTHER: what is here is something else. */
async function cloneFor(at: AppPlace, store: RefloatStore, row: SessionRow): Promise<GitWorkspace | null> {
  const open = (place: string) => workspaceAt(at, store, place);
  try {
    const workspace = (await sessionTree(row, at.place(), open))?.workspace;
    return workspace?.kind === "git" ? workspace : null;
  } catch (thrown) {
    if (!(thrown instanceof RefloatError) || thrown.code !== "E_WORKSPACE_GONE") throw thrown;
  }
  const other = (path: string): RefloatError => new RefloatError("E_TRAVEL_OTHER", { session: row.id, path });
  const { workspace } = await open(at.place()).catch((thrown: unknown) => {
    // His home, with the store in it: no clone of anything.
    const isHome = thrown instanceof RefloatError && thrown.code === "E_STORE_IN_WORKSPACE";
    throw isHome ? other(at.place()) : thrown;
  });
  const isOne =
    workspace.kind === "git" && (await hasAnyCommitOf(store.raw, row.id, await workspace.repository()));
  if (!isOne) throw other(workspace.root);
  return workspace;
}

/** The session as it was when it was fenced off, at its place here. */
export async function travel(
  at: AppPlace,
  store: RefloatStore,
  row: SessionRow,
  plan: TravelPlan,
  { tell }: { readonly tell: Tell },
): Promise<SessionRow> {
  const { env } = at;
  await assertNotJudged(env, store.raw, "bring a session to another machine");
  // Fenced off before anything of it is read: what comes later is not its own (K1). Nothing here is its tree.
  await recover({
    store: store.raw,
    env,
    home: await at.home(),
    where: { kind: "session", row, workspace: null },
  });
  const now = (await store.raw.session(row.id)) ?? row;
  assertFree(store.raw, now);
  const done = await carryOut(at, store, now, plan);
  const { path: to } = done;
  const body = { from: workspaceIn(now), to, reason: PUT_BACK, host: hostId() };
  await movedHere(store.raw, now, body);
  tell({ kind: "travelled", by: done, clone: plan.kind === "worktree" ? plan.clone.root : plan.url });
  return { ...now, facts: { ...now.facts, workspace: to, host: hostId() } };
}

/** Somebody may have gone on with it since it was looked at: it is his then, and nothing of it is brought here (K1). */
function assertFree({ clock }: Store, row: SessionRow): void {
  const decision = decideClaim(row.claim, livenessOfHolder(row).liveness, clock.nowMs());
  if (decision.kind === "held") throw new Held(row.id, decision);
}

/** Nobody holds the claim here: that the session is still where it was fenced off is a part of the write, else one that went on elsewhere would be called here (K1). */
export async function movedHere(
  raw: Store,
  fenced: SessionRow,
  body: BodyOf<"session.moved">,
): Promise<void> {
  for (let round = 0; round < MAX_MOVE_ROUNDS; round++) {
    const { claim, head } = (await raw.session(fenced.id)) ?? fenced;
    if (claim.attempt !== fenced.claim.attempt || claim.owner?.instance !== fenced.claim.owner?.instance)
      throw new RefloatError("E_FENCED", {
        session: fenced.id,
        attempt: fenced.claim.attempt,
        current: claim.attempt,
      });
    try {
      await raw.append(fenced.id, "anyone", [newRecord(raw.clock, "session.moved", body)], {
        expectHead: head,
      });
      return;
    } catch (thrown) {
      if (!(thrown instanceof RefloatError && thrown.code === "E_HEAD_MOVED")) throw thrown;
    }
  }
  throw new RefloatError("E_STORE_BUSY", { ms: 0 });
}

async function carryOut(
  at: AppPlace,
  store: RefloatStore,
  row: SessionRow,
  plan: TravelPlan,
): Promise<TravelEnd> {
  const { env } = at;
  if (plan.kind === "worktree") {
    const clone = await plan.clone.repository();
    return travelInto(store.raw, row, { clone, path: plan.path, env });
  }
  const { travelByClone } = await import("../../salvage/worktrees/travel-clone.ts");
  return travelByClone(store.raw, row, { url: plan.url, path: plan.path, place: at.place(), env });
}
