/** What a worker is told to do, what it tells, and what it has to work with. */
import type { WorkerPolicy } from "../../fleet/policy.ts";
import type { RepositoryId } from "../../fleet/queue-place.ts";
import type { RefloatError } from "../../model/errors.ts";
import type { SessionId } from "../../model/ids.ts";
import type { Owner } from "../../model/owner.ts";
import type { GitWorkspace } from "../../workspace/opening/workspace.ts";
import type { AppPlace } from "../place/app-place.ts";
import type { SettlingNews } from "../run/loop-settle.ts";
import type { RunFace, RunNews } from "../run/run-order.ts";
import type { RefloatStore } from "../store/open-store.ts";
import type { WorkerSignals } from "./worker-signals.ts";

export interface WorkerOrder {
  /** Folders of clones. */
  readonly repos: readonly string[];
  /** Of the sessions it begins; null: they have none. */
  readonly name: string | null;
  readonly slots: number;
  readonly policy: WorkerPolicy;
  /** From a signal to the end of everything. */
  readonly drainMs: number | null;
  /** `{prompt}` and the brief's places are filled in. */
  readonly command: readonly string[];
  readonly agent: string;
  readonly limit: { readonly text: string | null; readonly code: number | null };
  /** The store as the user named it; null: by his environment. */
  readonly store: string | null;
  /** Ends when there is nothing left to do; left out: it waits for more. */
  readonly isUntilIdle?: boolean;
}

export interface WorkerRepository {
  readonly id: RepositoryId;
  readonly workspace: GitWorkspace;
  /** As if somebody stood in that clone. */
  readonly at: AppPlace;
}

export type WorkKind = "item" | "resumed";

export type WorkerNews =
  | {
      readonly kind: "ready";
      readonly repos: readonly string[];
      readonly slots: number;
      readonly account: string;
    }
  | { readonly kind: "begins"; readonly session: SessionId; readonly what: WorkKind; readonly place: string }
  | {
      readonly kind: "ended";
      readonly session: SessionId;
      readonly what: WorkKind;
      readonly code: number;
      readonly state: string | null;
      readonly cause: string | null;
      readonly ms: number;
    }
  | { readonly kind: "not-done"; readonly session: SessionId; readonly error: RefloatError }
  | { readonly kind: "paused"; readonly account: string; readonly untilMs: number }
  /** The store is not to be had just now; it is tried again. */
  | { readonly kind: "trouble"; readonly error: Error; readonly session?: SessionId }
  | { readonly kind: "drains"; readonly running: number }
  | { readonly kind: "of-session"; readonly session: SessionId; readonly news: RunNews }
  | { readonly kind: "settles"; readonly session: SessionId; readonly news: SettlingNews };

export interface WorkerFace {
  tell(news: WorkerNews): void;
  /** For one agent of many: nobody types to it, and what it prints is kept with its session. */
  streams(): RunFace["streams"];
}

export interface WorkerSetting {
  readonly at: AppPlace;
  readonly store: RefloatStore;
  readonly order: WorkerOrder;
  readonly repositories: readonly WorkerRepository[];
  readonly account: string;
  readonly owner: Owner;
  readonly face: WorkerFace;
  readonly signals: WorkerSignals;
}
