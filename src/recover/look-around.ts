/** Steps 2 and 3 of a recovery: what is still running, and the workspace as the session left it. Under the claim. */
import { ensureError, RefloatError } from "../model/errors.ts";
import type { SessionId } from "../model/ids.ts";
import { crashPoint } from "../platform/crash-point.ts";
import type { Environment } from "../platform/places.ts";
import type { IsSharedServer } from "../session/leftovers.ts";
import { newRecord } from "../session/new-record.ts";
import { type LeftoverEnd, stopLeftovers } from "../session/stop-leftovers.ts";
import type { SessionRow } from "../store/contract/driver.ts";
import type { Store } from "../store/store.ts";
import { isAway } from "../workspace/captures/held-work.ts";
import { takeCapture } from "../workspace/captures/take-capture.ts";
import { assertNarrow, type Workspace } from "../workspace/opening/workspace.ts";
import { recordLeft } from "../workspace/owning/left-changes.ts";
import {
  type LeftoverSource,
  type ListedProcess,
  leftoverQuery,
  listLeftovers,
  liveOwnersIn,
} from "./list-leftovers.ts";
import type { SurveyedSession } from "./survey-session.ts";
import { unsupervisedLeftovers } from "./unsupervised-leftovers.ts";

export interface AroundOptions {
  readonly env: Environment;
  /** The store's home, where run folders lie. */
  readonly home: string;
  /** Where else in the workspace sessions may have been begun. */
  readonly place?: string;
  /** Told by a room that knows agents; left out: none is. */
  readonly isSharedServer?: IsSharedServer;
  /** Stops what a dead attempt left running: only for the commands S2 names. Told before the first signal. */
  readonly stopping?: { readonly onFound: (leftovers: readonly { pid: number; command: string }[]) => void };
}

export type EndCaptureOutcome =
  | { readonly kind: "taken"; readonly id: string; readonly partial: boolean }
  /** It was taken before, or this is a folder without git that nobody ever captured. */
  | { readonly kind: "none" }
  /** Something still writes: it is owed until that ends. */
  | { readonly kind: "owed" }
  /** It could not be taken, and is owed: the next start tries again. */
  | { readonly kind: "failed"; readonly why: string };

export interface FoundAround {
  readonly leftovers: readonly ListedProcess[] | null;
  readonly stopped: readonly LeftoverEnd[];
  readonly capture: EndCaptureOutcome;
}

export async function lookAround(
  store: Store,
  workspace: Workspace | null,
  { row, story, end }: SurveyedSession,
  options: AroundOptions,
  attempt: number,
): Promise<FoundAround> {
  const source = {
    session: row.id,
    story,
    home: options.home,
    isSharedServer: options.isSharedServer,
    liveOwners: story.mark === null ? [] : await liveOwnersIn(store, row.id),
  };
  const stopped = await stopWhatIsLeft(store, source, options, attempt);
  const root = workspace?.root;
  // Nothing of an agent that nobody supervised has a mark: what it left writes on all the same, and that is not its end.
  const leftovers =
    story.mark === null && root !== undefined
      ? await unsupervisedLeftovers(store, row, { root, isSharedServer: options.isSharedServer })
      : listLeftovers(source);
  const isMoving = (leftovers ?? []).length > 0;
  // A first look at what is still being written is worth keeping; the end is captured when it has ended.
  if (isMoving && end === null) return { leftovers, stopped, capture: { kind: "owed" } };
  const { owes_end_capture, has_end_capture } = row.facts;
  const isOwed = (end !== null && has_end_capture !== true) || owes_end_capture === true;
  if (!isOwed || !isWorthCapturing(workspace, row)) return { leftovers, stopped, capture: { kind: "none" } };
  const endOf = isMoving ? null : attempt;
  const taken = await captureEnd(store, workspace, { ...options, row, endOf });
  return { leftovers, stopped, capture: isMoving ? { kind: "owed" } : taken };
}

async function stopWhatIsLeft(
  store: Store,
  source: LeftoverSource,
  { stopping }: AroundOptions,
  attempt: number,
): Promise<readonly LeftoverEnd[]> {
  const query = stopping ? leftoverQuery(source) : null;
  if (!stopping || !query) return [];
  const { liveOwners } = source;
  const ends = await stopLeftovers(query, { clock: store.clock, liveOwners, onFound: stopping.onFound });
  if (!ends || ends.length === 0) return [];
  const body = { attempt: source.story.attempt, processes: ends.map((end) => ({ ...end })) };
  const record = newRecord(store.clock, "leftovers.found", body);
  await store.append(source.session as SessionId, { attempt }, [record]);
  return ends;
}

/** Without a capture of its beginning nothing of the session's can be told apart; the bytes are worth holding all the same. */
const hasBeginning = ({ facts }: SessionRow): boolean => facts.capture !== undefined || isOnlyHeard(facts);

/** Read from the agent's own transcript, which names what is its own. */
const isOnlyHeard = ({ heard }: SessionRow["facts"]): boolean => heard !== undefined;

/**
 * A plain folder is captured only if somebody began to: each capture would read all of it. Another tree than the session worked in
 * is not how it left its own: captured as its end, it would hide what is held (W8).
 */
export const isWorthCapturing = (workspace: Workspace | null, row: SessionRow): workspace is Workspace =>
  workspace !== null && (workspace.kind === "git" || hasBeginning(row)) && !isAway(row, workspace);

interface EndCaptureOrder extends Pick<AroundOptions, "env" | "place"> {
  readonly row: SessionRow;
  /** The attempt whose end it is; null: something still writes. */
  readonly endOf: number | null;
}

/** A workspace that cannot be captured is no reason to leave its session unsettled: it is said, and tried again. */
export async function captureEnd(
  store: Store,
  workspace: Workspace,
  { env, place, row, endOf }: EndCaptureOrder,
): Promise<EndCaptureOutcome> {
  try {
    assertNarrow(workspace);
    const where = { session: row.id, place: place ?? workspace.root };
    const reason = endOf === null ? "timer" : "end";
    const taken = await takeCapture(store, workspace, { env, reason, ...where });
    crashPoint("recover.after-capture");
    if (endOf !== null && hasBeginning(row))
      await recordLeft(store, workspace, {
        ...where,
        attempt: endOf,
        capture: taken.id,
        append: (records) => store.append(row.id, "anyone", records),
      });
    return { kind: "taken", id: taken.id, partial: taken.capture.partial };
  } catch (thrown) {
    const error = ensureError(thrown);
    if (!(error instanceof RefloatError) || !MAY_PASS.has(error.code)) throw thrown;
    return { kind: "failed", why: error.message };
  }
}

/** What is wrong with the workspace, not with the store: nothing of what was settled depends on it. */
const MAY_PASS: ReadonlySet<string> = new Set([
  "E_CAPTURE_MOVING",
  "E_FOLDER_TOO_WIDE",
  "E_GIT_BARE",
  "E_GIT_FAILED",
  "E_GIT_LIMIT",
  "E_GIT_MISSING",
  "E_GIT_OWNER",
  "E_GIT_REDIRECTED",
  "E_GIT_TOO_OLD",
  "E_NO_FILE",
  "E_STORE_CAP",
]);
