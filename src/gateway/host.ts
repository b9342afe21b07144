/** What a conversation needs of the gateway it belongs to. */
import type { SessionId } from "../model/ids.ts";
import type { Owner } from "../model/owner.ts";
import type { Store } from "../store/store.ts";
import type { InboxPlace } from "./inbox.ts";
import type { InstanceEnd } from "./name-instance-end.ts";
import type { GatewayNotice, GatewayOptions } from "./options.ts";
import type { GatewayPolicy } from "./policy.ts";
import type { AloneSlot, TurnSlots } from "./slots.ts";

export interface Host {
  readonly store: Store;
  readonly options: GatewayOptions;
  readonly policy: GatewayPolicy;
  readonly workspace: string;
  readonly place: InboxPlace;
  readonly window: number;
  readonly instance: string;
  readonly slots: TurnSlots;
  /** For turns whose next dirty end would be held against them. */
  readonly alone: AloneSlot;
  /** Interrupted turns that are forgiven their last end: found before anything of their process was closed. */
  readonly sharedEnds: Set<string>;
  /** Resolves when recovery is done: no turn begins before. */
  opened(): Promise<unknown>;
  /** False while a drain is under way: what is queued waits for the next start. */
  mayBeginTurns(): boolean;
  isDraining(): boolean;
  /** A person ended this process on purpose: what its drain cuts off is no dirty end. */
  isEndAsked(): boolean;
  trouble(session: string | null, error: Error): void;
  notice(notice: GatewayNotice): void;
  /** There may be something to do in that conversation. */
  wake(session: SessionId): void;
  /** How the process of a dead owner ended; null: it was no instance of this gateway. */
  endOf(owner: Owner): Promise<InstanceEnd | null>;
}
