/**
 * Heartbeats in state files for the sessions of this process, one timer for all of them: a tool that one of them started
 * may hold a step in its name (K5). The workflow's room is loaded when somebody holds one; most processes never need it.
 */
import { ensureError } from "../../model/errors.ts";
import { WORKFLOW_PREFIX } from "../../model/ids.ts";
import { HEARTBEAT_INTERVAL_MS } from "../../model/limits.ts";
import { every } from "../../platform/clock.ts";
import type { Store } from "../../store/store.ts";

export interface SessionSteps {
  /** A session of this process has begun. */
  begun(): void;
  stop(): Promise<void>;
}

export function sessionSteps(store: Store): SessionSteps {
  let looking: Promise<void> | null = null;
  let timer: { stop(): void } | null = null;
  const told = new Set<string>();
  // Told once for each reason: the next beat tries again, and a file that stays broken is no news.
  const tell = (error: Error): void => {
    if (told.has(error.message)) return;
    told.add(error.message);
    process.emitWarning(`A step's heartbeat was not written: ${error.message}`, "RefloatWarning");
  };
  const look = async (): Promise<void> => {
    const rows = await store.sessions({ prefix: WORKFLOW_PREFIX });
    if (rows.every(({ claim }) => claim.owner === null)) return;
    const { renewOwnSteps } = await import("../../workflow/renew-steps.ts");
    await renewOwnSteps(store, tell);
  };
  return {
    begun: () => {
      timer ??= every(HEARTBEAT_INTERVAL_MS, () => {
        looking ??= look()
          .catch((thrown: unknown) => tell(ensureError(thrown)))
          .finally(() => {
            looking = null;
          });
      });
    },
    stop: async () => {
      timer?.stop();
      await looking;
    },
  };
}
