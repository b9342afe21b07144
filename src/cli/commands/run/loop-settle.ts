/**
 * Settling between the sessions of a loop, by the policy the user gave (W1), with his check where he trusts one (S7): as
 * `settle --yes --policy` does it. What cannot be settled is said and left: the loop goes on, and somebody is told.
 */
import type { Conflict } from "../../../acts/plans/outcome.ts";
import { EndedBySignal } from "../../../app/run/ended-by-signal.ts";
import type { LoopSignals } from "../../../app/run/loop-signals.ts";
import { settle } from "../../../app/salvage/settle.ts";
import type { EndedSettle, SettleHow, SettleRequest } from "../../../app/salvage/settle-order.ts";
import type { RefloatStore } from "../../../app/store/open-store.ts";
import type { AppNews } from "../../../app/telling/news.ts";
import { RefloatError } from "../../../model/errors.ts";
import type { Policy, SettleAct } from "../../../salvage/settle/policy.ts";
import type { SettleOutcome } from "../../../salvage/settle/settle.ts";
import { shownPath } from "../../../text/shown-path.ts";
import type { Context } from "../../context/context.ts";
import { newsLines } from "../../screen/news-lines.ts";
import { shortId } from "../../screen/short-id.ts";
import { count, oneLine } from "../../screen/words.ts";

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

export async function settleByPolicy(loop: LoopSettle, session: string): Promise<void> {
  const { context, policy, say } = loop;
  if (policy === "leave") return;
  try {
    const ended = await settle(context, howIn(loop), requestFor(session, loop));
    for (const line of endedLines(ended)) say(context.out.typed(line));
  } catch (thrown) {
    if (thrown instanceof EndedBySignal)
      return say(`what it left was not settled: its check was stopped by ${thrown.signal}`);
    if (!(thrown instanceof RefloatError)) throw thrown;
    say(`what it left was not settled: ${thrown.message} ${context.out.typed(thrown.hint)}`);
  }
}

/** Every group of the session's own. */
const requestFor = (session: string, { policy, signals }: LoopSettle): SettleRequest => ({
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

/** The policy was the user's yes (W1). */
function howIn({ context, signals, say, onUntrusted }: LoopSettle): SettleHow {
  const agreed = async (): Promise<"yes"> => "yes";
  return {
    mayAct: true,
    ask: agreed,
    askPutBack: agreed,
    review: null,
    tell: (news) => {
      if (news.kind === "check-untrusted") onUntrusted(news.command);
      else for (const line of linesOf(context, news)) say(line);
    },
    // A log needs no bar.
    progress: { onProgress: () => undefined, end: () => undefined },
    untilStopped: (work) => untilTold(signals, work),
  };
}

/** A log is shorter than a screen; a loop stays in its workspace, and whoever wrote its config was told at its start. */
function linesOf({ out }: Context, news: AppNews): string[] {
  switch (news.kind) {
    case "check-step":
      return news.done === 0 ? [`checks what it left: ${news.label}, ${news.total} runs at most`] : [];
    case "unknown-key":
      return [];
    default:
      return newsLines(news, out).map((line) => line.trim());
  }
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

function endedLines(ended: EndedSettle): string[] {
  switch (ended.kind) {
    case "done":
      return [settledWords(ended.settled), ...conflictLines(ended.settled)];
    case "nothing":
      return conflictLines(ended.settled);
    // Nobody is asked, and no review begins.
    case "planned":
    case "declined":
    case "signal":
      return [];
    default:
      return ended satisfies never;
  }
}

/** Paths named of what is left in conflict; the manifest has them all. */
const MAX_CONFLICTS = 3;

/** T1: what the policy would have settled, and did not. */
function conflictLines({ conflicts }: SettleOutcome): string[] {
  if (conflicts.length === 0) return [];
  const word = ({ path, why }: Conflict): string =>
    `${shownPath(path)}: ${oneLine(why ?? "it changed meanwhile")}`;
  const rest = conflicts.length - MAX_CONFLICTS;
  const more = rest > 0 ? `; and ${count(rest, "more", "more")}` : "";
  return [`left whole, in conflict: ${conflicts.slice(0, MAX_CONFLICTS).map(word).join("; ")}${more}`];
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
