/**
 * Settling between the sessions of a loop, by the policy the user gave (W1), with his check where he trusts one (S7). What
 * cannot be settled is said and left: the loop goes on, and somebody is told.
 */
import { trailerOf } from "../../../acts/git/commit-message.ts";
import { sessionSalvage } from "../../../app/handoff/session-brief.ts";
import { EndedBySignal } from "../../../app/run/ended-by-signal.ts";
import type { LoopSignals } from "../../../app/run/loop-signals.ts";
import type { RunsCheck } from "../../../app/salvage/salvage-of.ts";
import type { RefloatStore } from "../../../app/store/open-store.ts";
import { RefloatError } from "../../../model/errors.ts";
import type { SessionId } from "../../../model/ids.ts";
import { trailerFacts } from "../../../salvage/judging/salvage.ts";
import { chooseGroups } from "../../../salvage/settle/choose-groups.ts";
import {
  actsByPolicy,
  type Policy,
  type SettleAct,
  withoutFirstCommit,
} from "../../../salvage/settle/policy.ts";
import { type SettleOutcome, settleGroups } from "../../../salvage/settle/settle.ts";
import type { Context } from "../../context/context.ts";
import { checkedLines } from "../../screen/check-lines.ts";
import { shortId } from "../../screen/short-id.ts";
import { count } from "../../screen/words.ts";

export interface LoopSettle {
  readonly context: Context;
  readonly store: RefloatStore;
  readonly home: string;
  readonly policy: Policy;
  readonly signals: LoopSignals;
  readonly say: (line: string) => void;
  /** A configured check that nobody trusted is not run. */
  readonly onUntrusted: (command: string) => void;
}

/** Every group of the session's own. */
const ALL_OWN = { ids: [], paths: [], isSafe: false, isAll: false, isAdopted: false } as const;

export async function settleByPolicy(settle: LoopSettle, session: string): Promise<void> {
  const { context, store, home, policy, say } = settle;
  const row = await store.raw.session(session as SessionId);
  if (!row || policy === "leave") return;
  const env = process.env;
  try {
    const looking = { clock: context.clock, env, home, stands: context.place() };
    const judged = await sessionSalvage(store, row, looking, checkIn(settle));
    const { workspace, rows, found, config } = judged;
    for (const line of checkedLines(judged, context.out.columns)) say(line.trim());
    const groups = chooseGroups(found.groups, ALL_OWN).map(({ group }) => group);
    const acts = withoutFirstCommit(actsByPolicy(groups, policy), found.owned.now.reading.head);
    if (acts.every(({ act }) => act === "leave")) return;
    const order = {
      store: store.raw,
      workspace,
      env,
      rows,
      home,
      found,
      act: "settle" as const,
      message: null,
      trailer: trailerOf(config.commit?.trailer, trailerFacts(found)),
    };
    const how = { hooks: "scratch" as const, acceptsHookChanges: false, isNamed: false, onNarration: say };
    const planned = await settleGroups({ ...order, ...how, acts, isDryRun: true });
    const settled = await settleGroups({ ...order, ...how, acts: planned.acts, isDryRun: false });
    say(context.out.typed(settledWords(settled)));
  } catch (thrown) {
    if (thrown instanceof EndedBySignal)
      return say(`what it left was not settled: its check was stopped by ${thrown.signal}`);
    if (!(thrown instanceof RefloatError)) throw thrown;
    say(`what it left was not settled: ${thrown.message} ${context.out.typed(thrown.hint)}`);
  }
}

/** Null: told to end, a loop begins no check of minutes; what is not checked then is left (S7). */
function checkIn({ signals, say, onUntrusted }: LoopSettle): RunsCheck | null {
  if (signals.first !== null) return null;
  return {
    typed: null,
    isLinking: false,
    onStep: (label, done, total) => {
      if (done === 0) say(`checks what it left: ${label}, ${total} runs at most`);
    },
    onUntrusted,
    untilStopped: (work) => untilTold(signals, work),
  };
}

/** As `untilSignalled`, where the loop hears the signals: it ends by them itself. */
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

function settledWords({ acts, commit, outcome }: SettleOutcome): string {
  const of = (act: SettleAct, word: string): string[] => {
    const groups = acts.filter((one) => one.act === act).length;
    return groups === 0 ? [] : [`${count(groups, "group")} ${word}`];
  };
  const committed = `committed${commit === null ? "" : ` as ${commit.slice(0, 12)}`}`;
  const words = [
    ...of("commit", committed),
    ...of("park", "parked"),
    ...of("discard", "discarded"),
    ...of("leave", "left"),
  ];
  const undo = outcome.kind === "done" ? `. Taken back by: refloat undo --plan ${shortId(outcome.plan)}` : "";
  return `settled what it left: ${words.join(", ")}${undo}`;
}
