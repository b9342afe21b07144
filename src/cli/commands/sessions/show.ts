/** `show ID`: the session on one screen: who tried, what came of it, what is open, what to do next. */

import { showSession } from "../../../app/sessions/show.ts";
import { typedId } from "../../../app/sessions/typed-id.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { sayTakenOut } from "../../context/without-secrets.ts";
import { type CommandInput, isSet, textArgument } from "../../grammar/options.ts";
import { MAX_INPUT_CHARS } from "../../screen/call-text.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { type SessionScreen, showLines } from "./show-lines.ts";

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  if (isSet(input, "web"))
    return (await import("../protocols/web.ts")).onThePage(context, {
      session: textArgument(input, 0),
      view: "life",
    });
  const found = await showSession(context, textArgument(input, 0), {
    isRaw: isSet(input, "raw"),
    inputChars: context.out.isJson ? null : MAX_INPUT_CHARS,
  });
  sayTakenOut(context, found.redacted);
  const shown: SessionScreen = { ...found, typedId: await typedId(found.store, found.session.id) };
  await context.out.result({
    command: "show",
    json: { ...jsonOf(shown), redacted: found.redacted },
    text: () => showLines(context, shown),
  });
  return EXIT.done;
}

function jsonOf({
  session,
  claim,
  timeline,
  hooks,
  commits,
  children,
}: SessionScreen): Record<string, unknown> {
  const { leftOut, fromSeq, attempts, turns, calls, ...rest } = timeline;
  const { session: _session, name: _name, heldBy: _heldBy, ...held } = claim;
  return {
    session,
    claim: held,
    attempts,
    turns,
    calls,
    ...rest,
    from_seq: fromSeq,
    left_out: leftOut,
    ...(hooks === null ? {} : { hooks }),
    ...(commits === null ? {} : { commits }),
    ...(children.length === 0 ? {} : { children }),
  };
}
