/** `transcript restore`: an agent's file as it was when its session ended, or what is kept of it. */
import { resolve } from "node:path";
import { type KeptOutline, keptOf, restoreTranscript } from "../../../app/upkeep/restore-transcript.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { type CommandInput, textArgument, textOption, usage } from "../../grammar/options.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { bytesText, oneLine } from "../../screen/words.ts";

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const session = textArgument(input, 0);
  const [to, nativeId] = [textOption(input, "to"), textOption(input, "native")];
  if (to === "") throw usage("--to wants a file.");
  if (to !== null) return restored(context, { session, nativeId, to: resolve(context.place(), to) });
  const { session: id, kept } = await keptOf(context, session);
  const meant = kept.filter((one) => nativeId === null || one.nativeId === nativeId);
  await context.out.result({
    command: "transcript-restore",
    json: { session: id, to: null, kept: meant.map(keptJson) },
    text: () => [
      ...(meant.length === 0 ? [`No transcript of session ${oneLine(id)} is kept.`] : []),
      ...meant.map(
        (one) =>
          `${oneLine(one.nativeId)}  ${oneLine(one.agent)}${one.isChild ? ", a subagent's" : ""}${one.isRows ? ", its rows" : ""}  ${bytesText(one.bytes)}, ${bytesText(one.stored)} in the store  ${oneLine(one.path)}`,
      ),
    ],
  });
  return EXIT.done;
}

async function restored(
  context: Context,
  order: Parameters<typeof restoreTranscript>[1],
): Promise<CommandEnd> {
  const done = await restoreTranscript(context, order);
  await context.out.result({
    command: "transcript-restore",
    json: { session: done.session, to: done.to, kept: [keptJson(done)] },
    text: () => [
      done.isRows
        ? `${oneLine(done.to)}: ${bytesText(done.bytes)}, the session's rows of ${oneLine(done.path)}, a line of JSON each.`
        : `${oneLine(done.to)}: ${bytesText(done.bytes)}, as ${oneLine(done.agent)} had it in ${oneLine(done.path)}.`,
    ],
  });
  return EXIT.done;
}

const keptJson = ({ agent, nativeId, path, bytes, stored, keptAtMs, isChild, isRows }: KeptOutline) => ({
  ...{ agent, native_id: nativeId, path, bytes, stored_bytes: stored },
  ...{ kept_at: new Date(keptAtMs).toISOString(), child: isChild, rows: isRows },
});
