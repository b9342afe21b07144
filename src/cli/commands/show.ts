/** `show ID`: the session on one screen: who tried, what came of it, what is open, what to do next. */
import { RefloatError } from "../../model/errors.ts";
import { cutToBytes } from "../../text/cut-to-bytes.ts";
import { jsonOrText, tellingText } from "../../text/telling-text.ts";
import { MAX_INPUT_CHARS } from "../call-text.ts";
import { claimFacts } from "../claim-facts.ts";
import type { Ending } from "../command-spec.ts";
import type { Context } from "../context.ts";
import { describeFound } from "../describe-found.ts";
import { EXIT } from "../exit-code.ts";
import { type CommandInput, isSet, textArgument } from "../options.ts";
import { resolveSession } from "../resolve-session.ts";
import { type Shown, showLines } from "../show-lines.ts";
import { readTimeline, type Timeline } from "../timeline.ts";
import type { TimelineCall } from "../timeline-fold.ts";
import { SECRET_MARGIN_CHARS, sayTakenOut, withoutSecrets } from "../without-secrets.ts";

/** A call's input in the JSON of a timeline; whole inputs (a file's text) are in the log. */
const MAX_INPUT_BYTES = 4096;

export async function run(context: Context, input: CommandInput): Promise<Ending> {
  const { store, row } = await resolveSession(context, textArgument(input, 0));
  const [summary] = await describeFound(store, [row]);
  if (!summary) throw new RefloatError("E_NO_SESSION", { what: row.id });
  const goal = typeof row.facts.goal === "string" ? row.facts.goal : null;
  const whole = settled(await readTimeline(store.raw, row), summary.state === "live");
  const timeline = { ...whole, calls: whole.calls.map(context.out.isJson ? inputForJson : inputForScreen) };
  const { value, count } = await withoutSecrets({ goal, timeline }, isSet(input, "raw"));
  sayTakenOut(context, count);
  const shown: Shown = {
    session: { ...summary, goal: value.goal },
    claim: claimFacts(row, context.clock.nowMs()),
    timeline: value.timeline,
  };
  await context.out.result({
    command: "show",
    json: { ...jsonOf(shown), redacted: count },
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
    calls: calls.map(cutInput),
    ...rest,
    from_seq: fromSeq,
    left_out: leftOut,
  };
}

/** A long input as the beginning of its text, with some more of it than is shown: secrets are looked for before the cut. */
function inputForJson(call: TimelineCall): TimelineCall {
  const text = jsonOrText(call.input);
  if (cutToBytes(text, MAX_INPUT_BYTES).length === text.length) return call;
  return { ...call, input: text.slice(0, MAX_INPUT_BYTES + SECRET_MARGIN_CHARS), input_cut: true };
}

/** What a screen says of it; nobody pays for searching what is not shown. */
const inputForScreen = (call: TimelineCall): TimelineCall => ({
  ...call,
  input: tellingText(call.input).slice(0, MAX_INPUT_CHARS + SECRET_MARGIN_CHARS),
});

const cutInput = (call: TimelineCall): TimelineCall =>
  call.input_cut ? { ...call, input: cutToBytes(jsonOrText(call.input), MAX_INPUT_BYTES) } : call;
