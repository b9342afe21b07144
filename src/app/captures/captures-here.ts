/** What is held of this workspace, newest first, also what an act held before it changed anything. Reads only; where there is no store there are none. */
import { type PlanOfCapture, planOfCapture } from "../../acts/plans/acts-session.ts";
import type { Store } from "../../store/store.ts";
import { withoutSecrets } from "../../text/without-secrets.ts";
import { newestCaptures } from "../../workspace/captures/captures.ts";
import type { TakenCapture } from "../../workspace/captures/take-capture.ts";
import { cloneOf } from "../../workspace/opening/workspace.ts";
import { showOpen } from "../acts/show-open.ts";
import { hearHooks } from "../agents/hear-agents.ts";
import type { AppPlace } from "../place/app-place.ts";
import { sessionsHere, workspaceHere } from "../place/workspace-here.ts";
import { captureRows } from "../sessions/capture-rows.ts";
import type { Tell } from "../telling/news.ts";

export interface CaptureRow extends TakenCapture {
  /** Of one that an act took: the plan it belongs to. */
  readonly by: PlanOfCapture | null;
}

export interface ListedCaptures {
  readonly root: string;
  /** This clone: captures of another one that lay here may have another history. Null: no git. */
  readonly clone: string | null;
  readonly captures: readonly CaptureRow[];
  /** There are older ones. */
  readonly hasMore: boolean;
}

export async function capturesHere(at: AppPlace, last: number, tell: Tell): Promise<ListedCaptures> {
  // What was held before a command may still wait to be taken in.
  await hearHooks(at);
  const store = await at.findStore();
  const here = await workspaceHere(at, store);
  await showOpen(store?.raw ?? null, here.workspace, tell);
  const rows = store ? await captureRows(store, here, await sessionsHere(store, here)) : [];
  // One more than is shown tells that there are more.
  const newest = store ? await newestCaptures(store.raw, rows, last + 1) : [];
  const captures = await withPlans(store?.raw ?? null, await withSafeNotes(newest.slice(0, last)));
  const { root } = here.workspace;
  return { root, clone: cloneOf(here.workspace), captures, hasMore: newest.length > last };
}

/** A note, and the command it was taken before, are the agent's or the user's own words (T4). */
async function withSafeNotes(found: readonly TakenCapture[]): Promise<TakenCapture[]> {
  const { value: notes } = await withoutSecrets(found.map(({ capture }) => capture.note));
  const { value: befores } = await withoutSecrets(found.map(({ capture }) => capture.before ?? null));
  return found.map((taken, i) => {
    const before = befores[i] ?? null;
    const said = { note: notes[i] ?? null, ...(before === null ? {} : { before }) };
    return { ...taken, capture: { ...taken.capture, ...said } };
  });
}

async function withPlans(store: Store | null, found: readonly TakenCapture[]): Promise<CaptureRow[]> {
  const listed: CaptureRow[] = [];
  for (const taken of found) listed.push({ ...taken, by: store && (await planOfCapture(store, taken)) });
  return listed;
}
