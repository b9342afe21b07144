/**
 * Where a use case is asked for, and all it knows of whoever asks: the directory he stands in, his environment, the clock and the
 * door to his store. A face hands one in; the command line's `Context` is one.
 */
import type { Clock } from "../../platform/clock.ts";
import { type LookedTrees, lookedTrees } from "../../workspace/trust/open-trusted.ts";
import type { RefloatStore } from "../store/open-store.ts";
import type { Tell } from "../telling/news.ts";

export interface AppPlace extends StoreDoor {
  /** The directory somebody stands in, without symlinks. */
  place(): string;
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  /** Who is told what no outcome has room for; left out: nobody. */
  readonly tell?: Tell;
  /** Sessions whose mark whoever asks stands, or once stood, under, where `env` does not tell; left out: it does (T2). */
  readonly standsUnder?: () => readonly string[];
  /** Whoever asks works on this repository's sessions alone: others are not found, by their full id neither (T2). */
  readonly isConfined?: boolean;
  /** Of one look that only reads (`lookingOnce`); left out: every tree is opened when it is looked at. */
  readonly trees?: LookedTrees;
}

/** For one question that changes nothing: each tree is opened once, and git is asked once what differs in it. */
export const lookingOnce = (at: AppPlace): AppPlace => ({ ...at, trees: at.trees ?? lookedTrees(at.env) });

/** Opened when it is first asked for, and the same one from then on; whoever made the place closes it. */
export interface StoreDoor {
  /** A path, or postgres://... */
  storeAddress(): Promise<string>;
  /** The store's folder on this machine, where run folders and scratch trees lie. */
  home(): Promise<string>;
  /** Null: nothing is there. Whoever only reads never makes one. */
  findStore(options?: StoreDoorOptions): Promise<RefloatStore | null>;
  /** Throws E_NO_STORE where nothing is there. */
  openStore(options?: StoreDoorOptions): Promise<RefloatStore>;
  openOrMakeStore(options?: StoreDoorOptions): Promise<RefloatStore>;
}

export interface StoreDoorOptions {
  readonly acceptLoss?: boolean;
  /** For a command that lives long: a sync then stops nothing else. */
  readonly thread?: boolean;
}
