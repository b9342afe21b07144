/** The proof that everything is there that captures, plans and parked groups of this workspace name. Reads only. */
import { actsSessionOf } from "../../acts/plans/acts-session.ts";
import { contentsOfParked } from "../../acts/plans/parked.ts";
import { type Proof, prove } from "../../acts/plans/prove.ts";
import type { AppPlace } from "../place/app-place.ts";
import { sessionsHere, workspaceHere } from "../place/workspace-here.ts";
import type { Progress } from "./act.ts";
import { parkedHere } from "./parked.ts";

export interface ProvenWorkspace {
  readonly root: string;
  readonly proof: Proof;
  /** Nothing is lost. */
  readonly isWhole: boolean;
}

export async function proveHere(at: AppPlace, progress: Progress): Promise<ProvenWorkspace> {
  const store = await at.openStore();
  const here = await workspaceHere(at, store);
  const { workspace, env } = here;
  const sessions = await sessionsHere(store, here);
  const acts = await store.raw.session(actsSessionOf(workspace));
  const { parked, plans } = await parkedHere(store.raw, workspace);
  try {
    const proof = await prove({
      ...{ store: store.raw, workspace, env, onProgress: progress.onProgress },
      rows: acts ? [...sessions, acts] : sessions,
      parked: parked.flatMap((one) => {
        const plan = plans.find(({ id }) => id === one.plan);
        return plan ? [contentsOfParked(one, plan)] : [];
      }),
    });
    return { root: workspace.root, proof, isWhole: proof.lost.length === 0 };
  } finally {
    progress.end();
  }
}
