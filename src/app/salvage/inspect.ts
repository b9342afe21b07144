/** What a session left, the worst first. Changes nothing, and needs no prior install (S1). */
import type { Manifest } from "../../model/manifest.ts";
import { manifestOf } from "../../salvage/manifest/manifest.ts";
import { showOpen } from "../acts/show-open.ts";
import { type AppPlace, lookingOnce } from "../place/app-place.ts";
import { chooseSession } from "../sessions/choose-session.ts";
import { assertCheck } from "./salvage-of.ts";
import { type SalvagedSession, type SalvageFace, salvageSession } from "./salvage-session.ts";

export interface InspectOrder {
  /** As it was typed; null: the newest unsettled one here, else the newest, else an implied one. */
  readonly session: string | null;
  /** The check as it was typed. */
  readonly verify: string | null;
  readonly isLinking: boolean;
  /** The one thing that a reading command may signal, and only when it is told to (W1, S2). */
  readonly stopsLeftovers: boolean;
  /** False: the check is not run; what its last run said of this very content counts (S7). Left out: it is. */
  readonly isChecking?: boolean;
}

export interface InspectFace extends SalvageFace {
  /** The judging of much work takes seconds: what it is about is there before, without its groups. */
  readonly onTold?: (manifest: Manifest) => Promise<void>;
}

export interface InspectedWork {
  readonly manifest: Manifest;
  readonly judged: SalvagedSession;
  readonly isAttentionWanted: boolean;
}

export async function inspect(
  asked: AppPlace,
  order: InspectOrder,
  face: InspectFace,
): Promise<InspectedWork> {
  // Who stops processes looks at what is there after it.
  const at = order.stopsLeftovers ? asked : lookingOnce(asked);
  const { tell, onTold } = face;
  assertCheck(order.verify);
  const session = await chooseSession(at, order.session);
  const { store, here } = session;
  const { workspace, place, env } = here;
  await showOpen(store?.raw ?? null, workspace, tell);
  tell({ kind: "about", root: workspace.root });
  if (order.stopsLeftovers && store) {
    const { recover } = await import("../recovery/recover.ts");
    await recover({
      ...{ store: store.raw, env, home: await at.home(), tell },
      where: { kind: "workspace", workspace, place },
      stops: "dead-sessions",
    });
  }
  const judged = await salvageSession(
    at,
    session,
    {
      verify: order.verify,
      isLinking: order.isLinking,
      ...(order.isChecking === undefined ? {} : { isChecking: order.isChecking }),
      ...(onTold
        ? { onTold: async (told) => onTold(await manifestOf({ ...told, groups: [], isMoving: false })) }
        : {}),
    },
    face,
  );
  const manifest = await manifestOf(judged.found);
  const isAttentionWanted = manifest.session.unsettled || manifest.leftovers.length > 0;
  return { manifest, judged, isAttentionWanted };
}
