/**
 * Heartbeats in the state files, by a timer, for the steps that a session holds: other stores and other tools have no other
 * word of it, and a long step is no silence (K2, K5). A file is written only when a quarter of its threshold has
 * passed since it was, so the writes are bounded by time, not by how often somebody looks (T5).
 */

import { ensureError } from "../model/errors.ts";
import { STEP_LOOK_MS } from "../model/limits.ts";
import type { Owner } from "../model/owner.ts";
import { every } from "../platform/clock.ts";
import type { Store } from "../store/store.ts";
import type { KeeperEars } from "./renew-steps.ts";

export interface StepKeeper {
  /** Resolves when nothing is written any more. */
  stop(): Promise<void>;
}

/** Keeps what this owner holds, now or later, until it is stopped. The timer does not keep the process alive. */
export function keepSteps(store: Store, owner: Owner, ears: KeeperEars = {}): StepKeeper {
  let looking: Promise<void> | null = null;
  const told = new Set<string>();
  const look = async (): Promise<void> => {
    // With the first beat: a run that ends before it never needs what changes state files.
    const { renewSteps } = await import("./renew-steps.ts");
    for (const lost of await renewSteps(store, owner, ears.onTrouble)) {
      const key = `${lost.file} ${lost.step} ${lost.by}`;
      if (!told.has(key)) ears.onLost?.(lost);
      told.add(key);
    }
  };
  const timer = every(STEP_LOOK_MS, () => {
    // What fails now is tried again at the next beat, as the session's own is.
    looking ??= look()
      .catch((thrown: unknown) => ears.onTrouble?.(ensureError(thrown)))
      .finally(() => {
        looking = null;
      });
  });
  return {
    stop: async () => {
      timer.stop();
      await looking;
    },
  };
}
