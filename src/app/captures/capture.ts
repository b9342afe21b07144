/** Holding a tree as it is, on somebody's word. */
import type { Plan } from "../../acts/plans/plans.ts";
import { RefloatError } from "../../model/errors.ts";
import type { PathName } from "../../model/path-name.ts";
import type { Store } from "../../store/store.ts";
import {
  type CaptureOptions,
  type TakenCapture,
  takeCapture,
} from "../../workspace/captures/take-capture.ts";
import { hashingSink } from "../../workspace/files/contents-sink.ts";
import { headConfig } from "../../workspace/opening/config.ts";
import { assertNotLeftAlone } from "../../workspace/opening/left-alone.ts";
import { sessionForCapture } from "../../workspace/sessions/capture-session.ts";
import { readTree } from "../../workspace/tree/read-tree.ts";
import { readingJson } from "../../workspace/tree/reading.ts";
import type { Progress } from "../acts/act.ts";
import { showOpen } from "../acts/show-open.ts";
import { hearHooks } from "../agents/hear-agents.ts";
import type { AppPlace } from "../place/app-place.ts";
import { isOff } from "../place/off.ts";
import { type WorkspaceHere, workspaceHere } from "../place/workspace-here.ts";
import { type Tell, tellOnce } from "../telling/news.ts";

type CaptureAbout = Omit<CaptureOptions, "env" | "place">;

/** With where it was asked for: sessions may have been begun there. */
export const captureAt = (
  store: Store,
  { workspace, place, env }: WorkspaceHere,
  about: CaptureAbout,
): Promise<TakenCapture> => takeCapture(store, workspace, { ...about, env, place });

export interface CaptureOrder {
  /** None: all of it. */
  readonly paths: (here: WorkspaceHere) => readonly PathName[];
  readonly precious: readonly string[];
  readonly note: string | null;
  /** It is read all the same, and held nowhere. */
  readonly isDryRun: boolean;
}

export interface CaptureOutcome {
  readonly root: string;
  readonly reading: ReturnType<typeof readingJson>;
  /** Null: it was only looked what would be held. */
  readonly taken: TakenCapture | null;
  /** It may hold a tree in the middle of these. */
  readonly open: readonly Plan[];
}

export interface CaptureFace {
  readonly tell: Tell;
  readonly progress: Progress;
}

/** Into the session that is meant (DESIGN 10). */
export async function capture(
  at: AppPlace,
  { tell, progress }: CaptureFace,
  { paths: meant, precious, note, isDryRun }: CaptureOrder,
): Promise<CaptureOutcome> {
  if (!isDryRun && isOff(at.env)) throw new RefloatError("E_OFF", { what: "capture" });
  const store = isDryRun ? await at.findStore() : await at.openOrMakeStore();
  const here = await workspaceHere(at, store);
  const { workspace, place, env } = here;
  if (!isDryRun) await assertNotLeftAlone(workspace, env, "nothing was captured");
  const paths = meant(here);
  if (paths.length === 0) await tellOfConfig(here, tell);
  const open = await showOpen(store?.raw ?? null, workspace, tell);
  const looking = { paths, precious, onProgress: progress.onProgress };
  try {
    if (!store || isDryRun) {
      const reading = await readTree(workspace, hashingSink(), { ...looking, env, clock: at.clock });
      return { root: workspace.root, reading: readingJson(reading), taken: null, open };
    }
    await hearHooks(at);
    const session = await sessionForCapture(store.raw, workspace.root, place, env);
    const taken = await captureAt(store.raw, here, { ...looking, session, note, reason: "manual" });
    return { root: workspace.root, reading: taken.capture, taken, open };
  } finally {
    progress.end();
  }
}

/** A config that does not parse names no precious files: the capture goes on without them, and that is told. */
async function tellOfConfig({ workspace, env }: WorkspaceHere, tell: Tell): Promise<void> {
  const told = tellOnce(tell);
  try {
    if (workspace.kind === "git")
      await headConfig(workspace, env, (key) => told({ kind: "unknown-key", key }));
  } catch (thrown) {
    if (!(thrown instanceof RefloatError) || thrown.code !== "E_BAD_CONFIG") throw thrown;
    tell({ kind: "nothing-precious", error: thrown });
  }
}
