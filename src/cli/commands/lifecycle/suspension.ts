/** `suspend ID`: nothing resumes it by itself until `lift ID`, which ends that, or voids that a turn was left (app/sessions/suspension.ts). */

import { type LiftOutcome, liftSession, suspendSession } from "../../../app/sessions/suspension.ts";
import { typedId } from "../../../app/sessions/typed-id.ts";
import { shellLineWord } from "../../../text/escape.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { type CommandInput, textArgument, textOption } from "../../grammar/options.ts";
import { EXIT } from "../../screen/exit-code.ts";

export async function suspend(context: Context, input: CommandInput): Promise<CommandEnd> {
  const suspended = await suspendSession(context, textArgument(input, 0), textOption(input, "reason"));
  const { store, summary, isNew } = suspended;
  const { dim } = context.out.style;
  const typed = await typedId(store, summary.id);
  await context.out.result({
    command: "suspend",
    json: { session: summary.id, state: summary.state, suspended: true, done: isNew },
    text: () => [
      isNew ? `Session ${typed} is suspended.` : `Session ${typed} was suspended already.`,
      ...(summary.state === "live" ? ["It goes on until it ends; nothing resumes it after that."] : []),
      dim(context.out.typed(`To end that: refloat lift ${shellLineWord(typed)}`)),
    ],
  });
  return EXIT.done;
}

export async function lift(context: Context, input: CommandInput): Promise<CommandEnd> {
  const lifted = await liftSession(context, textArgument(input, 0), textOption(input, "reason"));
  const { store, session, renewedFrom, from, state } = lifted;
  const typed = await typedId(store, session);
  const old = renewedFrom === null ? null : await typedId(store, renewedFrom);
  await context.out.result({
    command: "lift",
    json: {
      ...{ session, state, suspended: false },
      done: from === "suspension" || from === "left-turn",
      ...(renewedFrom === null ? {} : { renewed_from: renewedFrom }),
    },
    text: () => [
      ...(old === null ? [] : [`Session ${old} was begun anew as ${typed}; in the old one nothing goes on.`]),
      liftedText(typed, lifted),
    ],
  });
  return EXIT.done;
}

function liftedText(typed: string, { from, state }: LiftOutcome): string {
  switch (from) {
    case "suspension":
      return `Session ${typed} is no longer suspended: it is ${state ?? "gone"}.`;
    case "left-turn":
      return `Session ${typed} was not suspended; its gateway takes the turn up that it left.`;
    case "nothing":
      return `Session ${typed} is not suspended: nothing to lift.`;
    case "not-begun":
      return `Its next input begins ${typed}: nothing to lift.`;
    default:
      return from satisfies never;
  }
}
