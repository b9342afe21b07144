/** `lift ID`: ends a suspension, or voids that a turn was left; the count of its dirty ends begins anew (L2). */
import { newRecord } from "../../session/new-record.ts";
import { assertNotJudgedAs } from "../../workspace/judged-session.ts";
import type { Ending } from "../command-spec.ts";
import type { Context } from "../context.ts";
import { EXIT } from "../exit-code.ts";
import { type CommandInput, textArgument, textOption } from "../options.ts";
import { resolveSession } from "../resolve-session.ts";
import { typedId } from "../typed-id.ts";

export async function run(context: Context, input: CommandInput): Promise<Ending> {
  const { store, row } = await resolveSession(context, textArgument(input, 0));
  assertNotJudgedAs(process.env, row.id, "lift its own suspension");
  const reason = textOption(input, "reason") ?? "by order";
  const isSuspended = typeof row.facts.suspended === "string";
  // A turn that a gateway left is taken up by it again: the running one, or its next start.
  const isTurnLeft = typeof row.facts.turn_left === "string";
  const isDone = isSuspended || isTurnLeft;
  if (isDone)
    await store.raw.append(row.id, "anyone", [newRecord(store.raw.clock, "session.lifted", { reason })]);
  const [summary] = await store.describe([(await store.raw.session(row.id)) ?? row]);
  const typed = await typedId(store, row.id);
  await context.out.result({
    command: "lift",
    json: { session: row.id, state: summary?.state ?? null, suspended: false, done: isDone },
    text: () => [
      isSuspended
        ? `Session ${typed} is no longer suspended: it is ${summary?.state ?? "gone"}.`
        : isTurnLeft
          ? `Session ${typed} was not suspended; its gateway takes the turn up that it left.`
          : `Session ${typed} is not suspended: nothing to lift.`,
    ],
  });
  return EXIT.done;
}
