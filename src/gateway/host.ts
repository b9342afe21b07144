/** What a conversation needs of the gateway it belongs to. */
import type { Store } from "../store/store.ts";
import type { GatewayOptions } from "./options.ts";
import type { GatewayPolicy } from "./policy.ts";
import type { Slots } from "./slots.ts";

export interface Host {
  readonly store: Store;
  readonly options: GatewayOptions;
  readonly policy: GatewayPolicy;
  readonly workspace: string;
  readonly window: number;
  readonly instance: string;
  readonly slots: Slots;
  /** The loop guard has tripped at this start: nothing is resumed by itself. */
  isLoop(): boolean;
  /** Resolves when recovery is done: no turn begins before. */
  opened(): Promise<unknown>;
  /** False while a drain is under way: what is queued waits for the next start. */
  mayBeginTurns(): boolean;
  isDraining(): boolean;
  /** A person ended this process on purpose: what its drain cuts off is no dirty end. */
  isEndAsked(): boolean;
  trouble(session: string | null, error: Error): void;
  /** A turn resumed by itself has ended. */
  resumeEnded(session: string, isCompleted: boolean): void;
}
