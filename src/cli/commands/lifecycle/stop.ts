/**
 * `stop ID`: asks the session to stop, and waits until it has. One whose owner is gone is finished at once, cause
 * `signal`; an agent whose supervisor is dead is ended by its own identity.
 */

import { STOP_WAIT_MS, type StopNews, type StopOutcome, stopSession } from "../../../app/run/stop.ts";
import { findSession } from "../../../app/sessions/find-session.ts";
import { RefloatError } from "../../../model/errors.ts";
import { shellLineWord } from "../../../text/escape.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { teller } from "../../context/tell.ts";
import { type CommandInput, textArgument, textOption } from "../../grammar/options.ts";
import { parseDuration } from "../../grammar/parse-duration.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { leftoverLines } from "../../screen/leftover-lines.ts";
import { shortId } from "../../screen/short-id.ts";
import { count } from "../../screen/words.ts";

/** Processes on a screen; the JSON has them all. */
const MAX_LEFT = 5;

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const { store, row } = await findSession(context, textArgument(input, 0));
  const typed = textOption(input, "wait");
  const waitMs = typed === null ? STOP_WAIT_MS : parseDuration("--wait", typed);
  const outcome = await stopSession(context, store, row, {
    reason: textOption(input, "reason") ?? "refloat stop",
    waitMs,
    tell: stopTeller(context),
  });
  if (outcome.kind === "still-running")
    throw new RefloatError("E_NOT_STOPPED", { session: shortId(row.id), seconds: Math.round(waitMs / 1000) });
  return tell(context, outcome);
}

function stopTeller(context: Context): (news: StopNews) => void {
  const { narrate } = context.out;
  const tellApp = teller(context);
  return (news) => {
    switch (news.kind) {
      case "asked":
        return narrate(`Asked ${shortId(news.session)} to stop ...`);
      case "still-running":
        return narrate(`... still running after ${count(Math.round(news.ms / 1000), "second")}`);
      case "ends-agent":
        return narrate(`Its supervisor is gone: ${news.signal} to the agent itself, pid ${news.pid} ...`);
      default:
        return tellApp(news);
    }
  };
}

/** T1: what its agent started and left running is not stopped by this (S2), and is said. */
async function tell(context: Context, outcome: StopOutcome): Promise<CommandEnd> {
  const { summary: session, dropped, leftovers: left } = outcome;
  const done = outcome.kind === "stopped";
  const id = shortId(session.id);
  const stopped =
    left.length === 0 ? `Session ${id} has stopped.` : `The agent of session ${id} has stopped.`;
  await context.out.result({
    command: "stop",
    json: {
      session: session.id,
      state: session.state,
      cause: session.cause,
      unsettled: session.unsettled,
      leftovers: left.map(({ startedAt, ...one }) => ({ ...one, started_at: startedAt })),
      dropped,
      done,
    },
    text: () => [
      done ? stopped : `Session ${id} has ended already.`,
      ...(dropped.length === 0
        ? []
        : [`What waited for it is not begun: ${count(dropped.length, "input")} dropped.`]),
      ...(left.length === 0
        ? []
        : [
            `${count(left.length, "process", "processes")} of it still ${left.length === 1 ? "runs" : "run"}, and may write:`,
            ...leftoverLines(left.slice(0, MAX_LEFT), context.out.columns),
            ...(left.some(({ kept }) => kept === null)
              ? [
                  context.out.typed(
                    `This stops what is plainly its own: refloat inspect ${shellLineWord(id)} --stop-leftovers`,
                  ),
                ]
              : []),
          ]),
      ...(session.unsettled
        ? [context.out.style.dim(context.out.typed(`What it left: refloat inspect ${shellLineWord(id)}`))]
        : []),
    ],
  });
  return EXIT.done;
}
