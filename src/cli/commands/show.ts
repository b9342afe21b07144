/** `show ID`: the session on one screen: who tried, what came of it, what is open, what to do next. */
import { RefloatError } from "../../model/errors.ts";
import { isJsonObject, type Json } from "../../model/json.ts";
import { cutToBytes } from "../../text/cut-to-bytes.ts";
import { claimFacts } from "../claim-facts.ts";
import type { Ending } from "../command-spec.ts";
import type { Context } from "../context.ts";
import { describeFound } from "../describe-found.ts";
import { EXIT } from "../exit-code.ts";
import { type CommandInput, textArgument } from "../options.ts";
import { resolveSession } from "../resolve-session.ts";
import { type Shown, showLines } from "../show-lines.ts";
import { readTimeline, type Timeline } from "../timeline.ts";
import type { TimelineCall } from "../timeline-fold.ts";

/** A call's input in the JSON of a timeline; whole inputs (a file's text) are in the log. */
const MAX_INPUT_BYTES = 4096;

export async function run(context: Context, input: CommandInput): Promise<Ending> {
  const { store, row } = await resolveSession(context, textArgument(input, 0));
  const [summary] = await describeFound(store, [row]);
  if (!summary) throw new RefloatError("E_NO_SESSION", { what: row.id });
  const { goal } = row.facts;
  const shown: Shown = {
    session: { ...summary, goal: typeof goal === "string" ? goal : null },
    claim: claimFacts(row, context.clock.nowMs()),
    timeline: settled(await readTimeline(store.raw, row), summary.state === "live"),
  };
  await context.out.result({
    command: "show",
    json: jsonOf(shown),
    text: () => showLines(context, shown),
  });
  return EXIT.done;
}

/** A call without a result whose owner is gone is running no more; whether it happened nobody knows (C4). */
function settled(timeline: Timeline, isLive: boolean): Timeline {
  if (isLive) return timeline;
  const calls = timeline.calls.map((call) =>
    call.ended_at === null ? { ...call, status: "unknown-outcome" } : call,
  );
  return { ...timeline, calls };
}

function jsonOf({ session, claim, timeline }: Shown): Record<string, unknown> {
  const { leftOut, fromSeq, attempts, turns, calls, ...rest } = timeline;
  const { session: _session, name: _name, ...held } = claim;
  return {
    session,
    claim: held,
    attempts,
    turns,
    calls: calls.map((call) => ({ ...call, ...boundedInput(call) })),
    ...rest,
    from_seq: fromSeq,
    left_out: leftOut,
  };
}

function boundedInput({ input }: TimelineCall): { input: Json; input_cut?: true } {
  const text =
    typeof input === "string"
      ? input
      : isJsonObject(input) || Array.isArray(input)
        ? JSON.stringify(input)
        : "";
  const cut = cutToBytes(text, MAX_INPUT_BYTES);
  return cut.length === text.length ? { input } : { input: cut, input_cut: true };
}
