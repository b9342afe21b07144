/**
 * Which sessions capture their workspace by themselves: those whose workspace is a git work tree on this machine with
 * the store outside of it. The room that does it is loaded with the first such session; all others pay one look at
 * the file system, at their beginning.
 */
import { realpathSync, statSync } from "node:fs";
import { dirname, isAbsolute, join, relative } from "node:path";
import type { CapturesOf, SessionCaptures } from "../conversation/session-captures.ts";
import { NO_CAPTURES } from "../conversation/session-captures.ts";
import type { SessionId } from "../model/ids.ts";
import type { Effect } from "../model/record.ts";
import { isPostgres, storePath } from "../store/open-raw-store.ts";
import type { Store } from "../store/store.ts";

export interface StoreCaptures {
  open(of: CapturesOf, place: string, onFailed: (error: Error) => void): SessionCaptures;
  /** The end capture of a session whose owner is dead, taken by whoever found it (L6). */
  atDeath(session: string): Promise<void>;
  /** Resolves when no capture is under way any more. */
  done(): Promise<void>;
}

export function capturesFor(store: Store, address: string): StoreCaptures {
  const underWay = new Set<Promise<unknown>>();
  const watch = <T>(work: Promise<T>): Promise<T> => {
    underWay.add(work);
    void work.finally(() => underWay.delete(work));
    return work;
  };

  const load = async (place: string, of: CapturesOf, onFailed: (error: Error) => void) => {
    const { autoCaptures } = await import("../workspace/auto-captures.ts");
    const { openWorkspace } = await import("../workspace/workspace.ts");
    const { isTrusted } = await import("../workspace/trust.ts");
    const env = process.env;
    const workspace = () =>
      openWorkspace(place, { env, isTrusted: (at, digest) => isTrusted(store, at, digest) });
    return autoCaptures({ store, env, place, workspace, onFailed, watch }, of);
  };

  return {
    open: (of, place, onFailed) => {
      if (process.env.REFLOAT_OFF === "1" || !isCaptured(place, address)) return NO_CAPTURES;
      return onceLoaded(load(place, of, onFailed));
    },
    atDeath: async (session) => {
      const row = await store.session(session as SessionId);
      const place = row?.facts.workspace;
      // Never captured while it lived: then nothing could be told apart now.
      if (!row || typeof place !== "string" || row.facts.capture === undefined) return;
      if (!isCaptured(place, address)) return;
      const append: CapturesOf["append"] = (records) => store.append(session as SessionId, "anyone", records);
      const captures = await load(place, { session, attempt: row.claim.attempt, append }, () => undefined);
      await captures.ending();
    },
    done: async () => {
      await Promise.allSettled(underWay);
    },
  };
}

/** The moments reach the room once it is loaded, in their order. */
function onceLoaded(loading: Promise<SessionCaptures>): SessionCaptures {
  const then = (tell: (captures: SessionCaptures) => void): void => {
    void loading.then(tell);
  };
  return {
    begun: async () => (await loading).begun(),
    turnBegan: () => then((captures) => captures.turnBegan()),
    callStarts: async (effect: Effect) => (await loading).callStarts(effect),
    callEnded: (call) => then((captures) => captures.callEnded(call)),
    operationEnded: () => then((captures) => captures.operationEnded()),
    turnEnded: () => then((captures) => captures.turnEnded()),
    ending: async () => (await loading).ending(),
  };
}

/** A path that means nothing here, a plain folder (every capture would read all of it) and a store inside are left alone. */
function isCaptured(place: string, address: string): boolean {
  if (!isAbsolute(place) || !statSync(place, { throwIfNoEntry: false })?.isDirectory()) return false;
  const top = topOfWorkTree(realpathSync(place));
  return top !== null && !isStoreInside(top, address);
}

/** Where `.git` is, without asking git: whether it may be entered is decided when it is. */
function topOfWorkTree(directory: string): string | null {
  for (let at = directory; ; at = dirname(at)) {
    if (statSync(join(at, ".git"), { throwIfNoEntry: false })) return at;
    if (dirname(at) === at) return null;
  }
}

function isStoreInside(top: string, address: string): boolean {
  if (isPostgres(address)) return false;
  const inside = relative(top, storePath(address));
  return !inside.startsWith("..") && !isAbsolute(inside);
}
