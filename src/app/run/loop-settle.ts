/**
 * Settling between the sessions of a loop, by the policy the user gave (W1), with his check where he trusts one (S7): as
 * `settle --yes --policy` does it. What cannot be settled is told and left: the loop goes on.
 */
import { RefloatError } from "../../model/errors.ts";
import type { Policy } from "../../salvage/settle/policy.ts";
import type { AppPlace } from "../place/app-place.ts";
import { settle } from "../salvage/settle.ts";
import type { EndedSettle, SettleHow, SettleRequest } from "../salvage/settle-order.ts";
import { type AppNews, type Tell, tellOnce } from "../telling/news.ts";
import { EndedBySignal } from "./ended-by-signal.ts";
import type { LoopSignals } from "./loop-signals.ts";

export type SettlingNews =
  | { readonly kind: "settling"; readonly news: AppNews }
  | { readonly kind: "settled"; readonly ended: EndedSettle }
  | { readonly kind: "not-settled"; readonly error: RefloatError }
  /** The check that would have judged it was stopped. */
  | { readonly kind: "settling-stopped"; readonly signal: NodeJS.Signals };

export interface LoopSettle {
  readonly policy: Policy;
  readonly signals: LoopSignals;
  tell(news: SettlingNews): void;
}

export type SettleByPolicy = (session: string) => Promise<void>;

/** For all sessions of a loop. */
export function settlesByPolicy(at: AppPlace, { policy, signals, tell }: LoopSettle): SettleByPolicy {
  const told: Tell = (news) => tell({ kind: "settling", news });
  const once = tellOnce(told);
  const how: SettleHow = {
    // The policy was the user's yes (W1).
    ...{ mayAct: true, ask: agreed, askPutBack: agreed, review: null },
    // That a check is not trusted every session would say again.
    tell: (news) => (news.kind === "check-untrusted" ? once : told)(news),
    // A log needs no bar.
    progress: { onProgress: () => undefined, end: () => undefined },
    untilStopped: (work) => untilTold(signals, work),
  };
  return async (session) => {
    if (policy === "leave") return;
    try {
      tell({ kind: "settled", ended: await settle(at, how, requestFor(session, policy, signals)) });
    } catch (thrown) {
      if (thrown instanceof EndedBySignal) tell({ kind: "settling-stopped", signal: thrown.signal });
      else if (thrown instanceof RefloatError) tell({ kind: "not-settled", error: thrown });
      else throw thrown;
    }
  };
}

const agreed = async (): Promise<"yes"> => "yes";

/** Every group of the session's own. */
const requestFor = (session: string, policy: Policy, signals: LoopSignals): SettleRequest => ({
  session,
  does: { kind: "settle", policy },
  selection: { ids: [], isSafe: false, isAll: false, isAdopted: false },
  paths: () => [],
  isDryRun: false,
  message: null,
  branch: null,
  hooks: "scratch",
  acceptsHookChanges: false,
  isLinking: false,
  // Told to end, a loop begins no check of minutes; what is not checked then is left (S7).
  isChecking: signals.first === null,
  // A config that cannot be read stops no loop: then nothing is called safe.
  toleratesConfig: true,
  // What they left running the loop has stopped before.
  stops: null,
  isOfEnded: false,
  order: null,
  agreed: null,
});

/** The loop hears the signals, and ends by them itself. */
async function untilTold<Result>(
  signals: LoopSignals,
  work: (stop: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const stop = new AbortController();
  const heard = signals.forSession();
  heard.listen((signal) => stop.abort(new EndedBySignal(signal)));
  try {
    const result = await work(stop.signal);
    stop.signal.throwIfAborted();
    return result;
  } finally {
    heard.stop();
  }
}
