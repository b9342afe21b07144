/**
 * What a session has that lies outside its journal is put into it before it is sent: the tree as it is, by a capture, the commits that no remote has,
 * and what is parked of it. Under its claim.
 */
import { statSync } from "node:fs";
import { contentsOfParked } from "../../acts/plans/parked.ts";
import { type Plan, planBody } from "../../acts/plans/plans.ts";
import type { ContentHash, SessionId } from "../../model/ids.ts";
import { pathFromJson } from "../../model/path-name.ts";
import type { PlanBody } from "../../model/plan.ts";
import { type BodyOf, bodyAs } from "../../model/record.ts";
import { newRecord } from "../../session/new-record.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import { workspaceIn } from "../../store/contract/session-facts.ts";
import type { Store } from "../../store/store.ts";
import { shownPath } from "../../text/shown-path.ts";
import { isAway } from "../../workspace/captures/held-work.ts";
import { keptOf } from "../../workspace/captures/keep-commits.ts";
import { olderTree } from "../../workspace/captures/older-tree.ts";
import { takeCapture } from "../../workspace/captures/take-capture.ts";
import { finishOpenUnlessBusy } from "../acts/finish-open.ts";
import { type ParkedHere, parkedInReach, parkedOfGone } from "../acts/parked.ts";
import { hearPlaces } from "../agents/hear-agents.ts";
import type { AppPlace } from "../place/app-place.ts";
import { workspaceAt } from "../place/workspace-here.ts";
import { rowNow } from "../sessions/find-session.ts";
import type { RefloatStore } from "../store/open-store.ts";
import type { Tell } from "../telling/news.ts";

/** What stays here, by name and why. */
export interface LeftBehind {
  /** Null: its tree is not here, and what was held of it goes along. */
  readonly tree: string | null;
  readonly paths: readonly { readonly path: string; readonly why: string }[];
  /** Why commits that no remote has do not go along; null: they do, or there are none. */
  readonly commits: string | null;
}

const NOTE = "as it was sent";

export async function prepareToSend(
  at: AppPlace,
  store: RefloatStore,
  { session, attempt }: { readonly session: SessionId; readonly attempt: number },
  tell: Tell,
): Promise<LeftBehind> {
  const row = await rowNow(store, session);
  const place = workspaceIn(row);
  const isThere = place !== "" && statSync(place, { throwIfNoEntry: false })?.isDirectory() === true;
  const tree = isThere ? await ownTree(at, store, row, place) : null;
  const { raw } = store;
  if (!tree) {
    await carryParked(raw, await parkedOfGone(raw, place, session), { session, attempt });
    return { tree: null, paths: [], commits: keptOf(row)?.leftOut ?? null };
  }
  await hearPlaces(at, [tree.root]);
  await finishOpenUnlessBusy({ store: raw, workspace: tree, env: at.env }, tell);
  const { capture } = await takeCapture(raw, tree, {
    ...{ env: at.env, session, place, reason: "manual", note: NOTE, keepsCommits: true },
    append: (records) => raw.append(session, { attempt }, records),
  });
  await carryParked(raw, await parkedInReach(raw, tree), { session, attempt });
  const paths = capture.gaps.map(({ detail, ...path }) => ({
    path: shownPath(pathFromJson(path)),
    why: detail,
  }));
  return { tree: tree.root, paths, commits: keptOf(await rowNow(store, session))?.leftOut ?? null };
}

/** Of its own, with the bytes it takes to bring them back; what was brought back since the last time goes as little as what never was. */
async function carryParked(
  raw: Store,
  { parked, plans }: ParkedHere,
  { session, attempt }: { readonly session: SessionId; readonly attempt: number },
): Promise<void> {
  const own = parked.filter((one) => one.session === session);
  const before = (await raw.session(session))?.facts.carries_parked === true;
  if (own.length === 0 && !before) return;
  const carried: BodyOf<"parked.carried">["plans"] = [];
  const contents: { hash: ContentHash; path: string }[] = [];
  for (const plan of plans) {
    const names = own.filter((one) => one.plan === plan.id);
    const body = names.length === 0 ? null : await bodyOf(raw, session, plan);
    if (!body) continue;
    const isStill = new Set(names.map(({ name }) => name));
    const back = [...body.puts, ...body.index].flatMap(({ group }) => (isStill.has(group) ? [] : [group]));
    carried.push({ plan: body, back: [...new Set([...plan.back, ...back])], at_ms: plan.atMs });
    for (const one of names)
      for (const hash of contentsOfParked(one, plan).hashes) contents.push({ hash, path: one.name });
  }
  const record = newRecord(raw.clock, "parked.carried", { plans: carried });
  await raw.append(session, { attempt }, [{ ...record, contents }]);
}

/** From the journal of the tree it was parked in, or from the session that brought it along. */
async function bodyOf(store: Store, session: SessionId, { id, path: root }: Plan): Promise<PlanBody | null> {
  const query = { session, kinds: ["parked.carried"], order: "backward", limit: 1 } as const;
  const [record] = await store.records(query);
  const carried =
    record && bodyAs(record, "parked.carried")?.plans.find(({ plan }) => plan.plan === id)?.plan;
  return carried ?? (await planBody(store, { kind: "folder", root }, id));
}

/** Null: what lies there is another tree, or older than what is held of it: captured, it would hide that (W8). */
async function ownTree(at: AppPlace, store: RefloatStore, row: SessionRow, place: string) {
  const { workspace } = await workspaceAt(at, store, place);
  if (isAway(row, workspace)) return null;
  if (workspace.kind === "git" && (await olderTree(store.raw, row, workspace, at.env)) !== null) return null;
  return workspace;
}
