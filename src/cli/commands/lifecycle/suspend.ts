/** `suspend ID`: nothing resumes it by itself until `lift`; its history stays as it is (L2, L4). */
import { findSession, summaryOf } from "../../../app/sessions/find-session.ts";
import { newRecord } from "../../../session/new-record.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { type CommandInput, textArgument, textOption } from "../../grammar/options.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { typedId } from "../../screen/typed-id.ts";

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const { store, row } = await findSession(context, textArgument(input, 0));
  const reason = textOption(input, "reason") ?? "by order";
  const isNew = typeof row.facts.suspended !== "string";
  if (isNew)
    await store.raw.append(row.id, "anyone", [newRecord(store.raw.clock, "session.suspended", { reason })]);
  const summary = await summaryOf(store, (await store.raw.session(row.id)) ?? row);
  const { dim } = context.out.style;
  const typed = await typedId(store, row.id);
  await context.out.result({
    command: "suspend",
    json: { session: row.id, state: summary.state, suspended: true, done: isNew },
    text: () => [
      isNew ? `Session ${typed} is suspended.` : `Session ${typed} was suspended already.`,
      ...(summary.state === "live" ? ["It goes on until it ends; nothing resumes it after that."] : []),
      dim(context.out.typed(`To end that: refloat lift ${typed}`)),
    ],
  });
  return EXIT.done;
}
