/** `lift ID`: ends a suspension; the count of its dirty ends begins anew (L2). */
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
  const isDone = typeof row.facts.suspended === "string";
  if (isDone)
    await store.raw.append(row.id, "anyone", [newRecord(store.raw.clock, "session.lifted", { reason })]);
  const [summary] = await store.describe([(await store.raw.session(row.id)) ?? row]);
  const typed = await typedId(store, row.id);
  await context.out.result({
    command: "lift",
    json: { session: row.id, state: summary?.state ?? null, suspended: false, done: isDone },
    text: () => [
      isDone
        ? `Session ${typed} is no longer suspended: it is ${summary?.state ?? "gone"}.`
        : `Session ${typed} is not suspended: nothing to lift.`,
    ],
  });
  return EXIT.done;
}
