/** `show ID`: the session on one screen: who tried, what came of it, what is open, what to do next. */

import { findSession, summaryOf } from "../../../app/sessions/find-session.ts";
import { readTimeline, type Timeline } from "../../../app/sessions/timeline.ts";
import type { TimelineCall } from "../../../app/sessions/timeline-fold.ts";
import type { SessionId } from "../../../model/ids.ts";
import type { Store } from "../../../store/store.ts";
import { boundedInputs, redactBeginnings } from "../../../text/redact-part.ts";
import { tellingText } from "../../../text/telling-text.ts";
import { type RedactedValue, withoutSecrets } from "../../../text/without-secrets.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { sayTakenOut } from "../../context/without-secrets.ts";
import { type CommandInput, isSet, textArgument } from "../../grammar/options.ts";
import { MAX_INPUT_CHARS } from "../../screen/call-text.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { typedId } from "../../screen/typed-id.ts";
import { claimFacts } from "./claim-facts.ts";
import { type SessionScreen, showLines } from "./show-lines.ts";

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const { store, row } = await findSession(context, textArgument(input, 0));
  const summary = await summaryOf(store, row);
  const goal = typeof row.facts.goal === "string" ? row.facts.goal : null;
  const whole = settled(await readTimeline(store.raw, row), summary.state === "live");
  const isRaw = isSet(input, "raw");
  const calls = context.out.isJson
    ? await inputsForJson(whole.calls, isRaw)
    : await inputsForScreen(whole.calls, isRaw);
  const { suspended_for: why } = summary;
  const told = { goal, ...(why === undefined ? {} : { suspended_for: why }) };
  const rest = await withoutSecrets({ told, timeline: { ...whole, calls: calls.value } }, isRaw);
  const { value, count } = { value: rest.value, count: rest.count + calls.count };
  sayTakenOut(context, count);
  const shown: SessionScreen = {
    session: { ...summary, ...value.told },
    claim: await claimFacts(store.raw, row),
    timeline: value.timeline,
    typedId: await typedId(store, row.id),
    hasConversation: await hasConversation(store.raw, row.id),
    isOfGateway: typeof row.facts.gateway === "string",
  };
  await context.out.result({
    command: "show",
    json: { ...jsonOf(shown), redacted: count },
    text: () => showLines(context, shown),
  });
  return EXIT.done;
}

const hasConversation = async (store: Store, session: SessionId): Promise<boolean> =>
  (await store.records({ session, kinds: SAID, limit: 1 })).length > 0;

const SAID = ["message.added", "message.opened", "input.taken", "call.started"] as const;

/** A call without a result whose owner is gone is running no more; whether it happened nobody knows (C4). */
function settled(timeline: Timeline, isLive: boolean): Timeline {
  if (isLive) return timeline;
  const calls = timeline.calls.map((call) =>
    call.ended_at === null ? { ...call, status: "unknown-outcome" } : call,
  );
  return { ...timeline, calls };
}

function jsonOf({ session, claim, timeline }: SessionScreen): Record<string, unknown> {
  const { leftOut, fromSeq, attempts, turns, calls, ...rest } = timeline;
  const { session: _session, name: _name, ...held } = claim;
  return {
    session,
    claim: held,
    attempts,
    turns,
    calls,
    ...rest,
    from_seq: fromSeq,
    left_out: leftOut,
  };
}

/** Long ones cut, with `input_cut`; secrets are looked for before the cut (T4). */
async function inputsForJson(
  calls: readonly TimelineCall[],
  isRaw: boolean,
): Promise<RedactedValue<TimelineCall[]>> {
  const inputs = await boundedInputs(
    calls.map(({ input }) => input),
    isRaw,
  );
  const value = calls.map((call, at): TimelineCall => {
    const bounded = inputs[at];
    return bounded?.isCut ? { ...call, input: bounded.input, input_cut: true } : call;
  });
  return { value, count: inputs.reduce((sum, { count }) => sum + count, 0) };
}

/** What a screen says of it; nobody pays for searching what is not shown. */
async function inputsForScreen(
  calls: readonly TimelineCall[],
  isRaw: boolean,
): Promise<RedactedValue<TimelineCall[]>> {
  const texts = calls.map(({ input }) => ({ text: tellingText(input), chars: MAX_INPUT_CHARS }));
  if (isRaw) return { value: calls.map((call, at) => ({ ...call, input: texts[at]?.text ?? "" })), count: 0 };
  const redacted = await redactBeginnings(texts);
  const value = calls.map((call, at) => ({ ...call, input: redacted[at]?.text ?? "" }));
  return { value, count: redacted.reduce((sum, { found }) => sum + found.length, 0) };
}
