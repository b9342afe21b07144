/**
 * Which sessions capture their workspace by themselves: those whose workspace is a git work tree on this machine with
 * the store outside of it. The room that does it is loaded with the first such session; all others pay one look at
 * the file system, at their beginning.
 */
import { realpathSync, statSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import type { CapturesOf, SessionCaptures } from "../../conversation/session-captures.ts";
import { NO_CAPTURES } from "../../conversation/session-captures.ts";
import { RefloatError } from "../../model/errors.ts";
import type { Effect } from "../../model/record.ts";
import { errnoOf } from "../../platform/io-error.ts";
import { placeInside } from "../../platform/places.ts";
import { isPostgres, storePath } from "../../platform/store-address.ts";
import type { Store } from "../../store/store.ts";
import type { leftAloneBy as LeftAloneBy } from "../../workspace/opening/left-alone.ts";
import type { Workspace } from "../../workspace/opening/workspace.ts";

export interface StoreCaptures {
  open(of: CapturesOf, place: string, onFailed: (error: Error) => void): SessionCaptures;
  /** Where the end of a session whose owner is dead can be captured, by whoever found it (L6). */
  workspaces(): Promise<{ workspaceAt(place: string): Workspace | null }>;
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
    const { autoCaptures } = await import("../../workspace/captures/auto-captures.ts");
    const { openTrusted } = await import("../../workspace/trust/open-trusted.ts");
    const env = process.env;
    const workspace = () => openTrusted(store, place, env);
    const { leftAloneBy } = await import("../../workspace/opening/left-alone.ts");
    // As it is at the session's begin: what is committed later is for later sessions (T2).
    if (await isLeftAlone(leftAloneBy, workspace, env)) return NO_CAPTURES;
    return autoCaptures({ store, env, place, workspace, onFailed, watch }, of);
  };

  return {
    open: (of, place, onFailed) => {
      if (process.env.REFLOAT_OFF === "1" || !isCaptured(place, address)) return NO_CAPTURES;
      return onceLoaded(load(place, of, onFailed));
    },
    workspaces: async () => {
      const { openTrustedOrNull } = await import("../../workspace/trust/open-trusted.ts");
      const env = process.env;
      return {
        workspaceAt: (place) =>
          env.REFLOAT_OFF !== "1" && isCaptured(place, address) ? openTrustedOrNull(store, place, env) : null,
      };
    },
    done: async () => {
      await Promise.allSettled(underWay);
    },
  };
}

/** A workspace that cannot be opened is told of by its first capture. */
async function isLeftAlone(
  leftAloneBy: typeof LeftAloneBy,
  workspace: () => Workspace,
  env: NodeJS.ProcessEnv,
): Promise<boolean> {
  try {
    return (await leftAloneBy(workspace(), env)) !== null;
  } catch (thrown) {
    if (thrown instanceof RefloatError || errnoOf(thrown) !== null) return false;
    throw thrown;
  }
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
    operationBegan: async () => (await loading).operationBegan(),
    operationEnded: async (operation) => (await loading).operationEnded(operation),
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
  return placeInside(top, storePath(address)) !== null;
}
