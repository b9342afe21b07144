/**
 * `lift ID`: ends a suspension, or voids that a turn was left; the count of its dirty ends begins anew (L2). Of a conversation
 * that was begun anew it is about where that goes on: in the old session nothing does.
 */
import { findSession, summaryOf } from "../../../app/sessions/find-session.ts";
import { currentSession } from "../../../gateway/renewal.ts";
import { newRecord } from "../../../session/new-record.ts";
import type { SessionRow } from "../../../store/contract/driver.ts";
import { assertNotJudgedAs } from "../../../workspace/trust/judged-session.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { type CommandInput, textArgument, textOption } from "../../grammar/options.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { typedId } from "../../screen/typed-id.ts";

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const { store, row: meant } = await findSession(context, textArgument(input, 0));
  const { id, row } = await currentSession(store.raw, meant.id);
  for (const one of [meant.id, id]) assertNotJudgedAs(process.env, one, "lift its own suspension");
  const reason = textOption(input, "reason") ?? "by order";
  const held = row ? heldBy(row) : "nothing";
  const isDone = held !== "nothing";
  if (isDone)
    await store.raw.append(id, "anyone", [newRecord(store.raw.clock, "session.lifted", { reason })]);
  const now = await store.raw.session(id);
  const summary = now && (await summaryOf(store, now));
  const state = summary?.state ?? null;
  const typed = await typedId(store, id);
  const isLedOn = id !== meant.id;
  const old = isLedOn ? await typedId(store, meant.id) : "";
  await context.out.result({
    command: "lift",
    json: {
      session: id,
      state,
      suspended: false,
      done: isDone,
      ...(isLedOn ? { renewed_from: meant.id } : {}),
    },
    text: () => [
      ...(isLedOn ? [`Session ${old} was begun anew as ${typed}; in the old one nothing goes on.`] : []),
      row ? liftedText(typed, held, state) : `Its next input begins ${typed}: nothing to lift.`,
    ],
  });
  return EXIT.done;
}

type HeldBy = "suspension" | "left-turn" | "nothing";

/** A turn that a gateway left is taken up by it again: the running one, or its next start. */
function heldBy({ facts }: SessionRow): HeldBy {
  if (typeof facts.suspended === "string") return "suspension";
  return typeof facts.turn_left === "string" ? "left-turn" : "nothing";
}

function liftedText(typed: string, held: HeldBy, state: string | null): string {
  switch (held) {
    case "suspension":
      return `Session ${typed} is no longer suspended: it is ${state ?? "gone"}.`;
    case "left-turn":
      return `Session ${typed} was not suspended; its gateway takes the turn up that it left.`;
    case "nothing":
      return `Session ${typed} is not suspended: nothing to lift.`;
    default:
      return held satisfies never;
  }
}
