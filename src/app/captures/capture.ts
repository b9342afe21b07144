/** Holding a tree as it is, on somebody's word: the command's, a session's own, and at an operation's begin and end. */
import { RefloatError } from "../../model/errors.ts";
import type { SessionId } from "../../model/ids.ts";
import type { PathName } from "../../model/path-name.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Store } from "../../store/store.ts";
import {
  type CaptureOptions,
  type TakenCapture,
  takeCapture,
} from "../../workspace/captures/take-capture.ts";
import { hashingSink } from "../../workspace/files/contents-sink.ts";
import { sessionForCapture } from "../../workspace/sessions/capture-session.ts";
import { readTree } from "../../workspace/tree/read-tree.ts";
import { readingJson } from "../../workspace/tree/reading.ts";
import type { WorkspaceHere } from "../place/workspace-here.ts";

type CaptureAbout = Omit<CaptureOptions, "env" | "place">;

/** With where it was asked for: sessions may have been begun there. */
export const captureAt = (
  store: Store,
  { workspace, place, env }: WorkspaceHere,
  about: CaptureAbout,
): Promise<TakenCapture> => takeCapture(store, workspace, { ...about, env, place });

export interface CaptureOrder {
  /** Empty: all of it. */
  readonly paths: readonly PathName[];
  readonly precious: readonly string[];
  readonly note: string | null;
  readonly onProgress: (done: number, total: number) => void;
}

export interface CaptureOutcome {
  readonly reading: ReturnType<typeof readingJson>;
  /** Null: it was only looked what would be held. */
  readonly taken: TakenCapture | null;
}

/** Into the session that is meant (DESIGN 10). `store`: null: it is read all the same, and held nowhere. */
export async function capture(
  store: Store | null,
  here: WorkspaceHere,
  clock: Clock,
  { paths, precious, note, onProgress }: CaptureOrder,
): Promise<CaptureOutcome> {
  const { workspace, place, env } = here;
  const looking = { paths, precious, onProgress };
  if (!store) {
    const reading = await readTree(workspace, hashingSink(), { ...looking, env, clock });
    return { reading: readingJson(reading), taken: null };
  }
  const session = await sessionForCapture(store, workspace.root, place, env);
  const taken = await captureAt(store, here, { ...looking, session, note, reason: "manual" });
  return { reading: taken.capture, taken };
}

/**
 * What is there when an operation begins or ends, held before the command returns: the agent waits for it, so that nothing of its
 * work comes between (T2). That it could not be held changes nothing about the operation. Null: it is not held.
 */
export async function captureOperation(
  store: Store,
  here: WorkspaceHere,
  about: Pick<CaptureOptions, "reason" | "ended"> & { readonly session: SessionId },
  onFailed: (error: RefloatError) => void,
): Promise<string | null> {
  if (here.workspace.kind !== "git") return null;
  try {
    return (await captureAt(store, here, about)).id;
  } catch (thrown) {
    if (!(thrown instanceof RefloatError)) throw thrown;
    onFailed(thrown);
    return null;
  }
}
