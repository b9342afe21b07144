/** `transcript repair`: a copy without the damage beside the file, which stays as it is. */
import { type RepairedTranscript, repairTranscript } from "../../../app/agents/repair-transcript.ts";
import { shellLineWord } from "../../../text/escape.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { type CommandInput, textArgument, textOption } from "../../grammar/options.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { bytesText, count, oneLine } from "../../screen/words.ts";
import { damageLines } from "./transcript-lines.ts";

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const order = { file: textArgument(input, 0) ?? "", agent: textOption(input, "agent") };
  const repaired = await repairTranscript(context, order);
  const { path, agent, status, copy, mended, left, damageLeftOut } = repaired;
  await context.out.result({
    command: "transcript-repair",
    json: {
      file: path,
      agent,
      status,
      copy: copy?.path ?? null,
      bytes: copy?.bytes ?? null,
      mended,
      left,
      damage_left_out: damageLeftOut,
    },
    text: () => lines(repaired),
  });
  return EXIT.done;
}

function lines({ path, status, copy, mended, left, damageLeftOut }: RepairedTranscript): string[] {
  const stays = left.length === 0 ? [] : ["Stays as it is:", ...damageLines(left, 0)];
  if (copy === null) return [`${oneLine(path)}: nothing to mend. No copy was written.`, ...stays];
  const [from, to] = [shellLineWord(path), shellLineWord(copy.path)];
  return [
    `${oneLine(copy.path)}: ${bytesText(copy.bytes)}, ${count(mended.length + damageLeftOut, "place")} mended:`,
    ...damageLines(mended, damageLeftOut),
    ...stays,
    `${oneLine(path)} is as it was.`,
    "",
    // -n: nothing that has the name is written over, and then the copy stays where it is.
    status === "live"
      ? "Its agent lives: what it writes from now on is not in the copy."
      : `In its place: mv -n ${from} ${from}.damaged && mv -n ${to} ${from}`,
  ];
}
