/** `transcript check`: where an agent's session stands by its own file, and what is damaged there; exit 5 when something is. */
import { type CheckedTranscript, checkTranscript } from "../../../app/agents/check-transcript.ts";
import { shellLineWord } from "../../../text/escape.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { type CommandInput, textArgument, textOption } from "../../grammar/options.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { count, oneLine } from "../../screen/words.ts";
import { callLines, damageLines, statusWords } from "./transcript-lines.ts";

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const order = { file: textArgument(input, 0) ?? "", agent: textOption(input, "agent") };
  const checked = await checkTranscript(context, order);
  const { path, agent, session, version, status, messages, calls, damage, unknown } = checked;
  await context.out.result({
    command: "transcript-check",
    json: {
      file: path,
      agent,
      version,
      session: session?.nativeId ?? null,
      workspace: session?.cwd ?? null,
      status,
      messages,
      calls,
      calls_left_out: checked.callsLeftOut,
      damage,
      damage_left_out: checked.damageLeftOut,
      unknown: [...unknown].map(([type, times]) => ({ type, times })),
    },
    text: () => lines(context, order, checked),
  });
  return damage.length > 0 ? EXIT.damaged : EXIT.done;
}

function lines(
  context: Context,
  { file, agent: said }: { file: string; agent: string | null },
  checked: CheckedTranscript,
): string[] {
  const { green, red, bold, dim } = context.out.style;
  const { agent, version, session, status, messages, calls, callsLeftOut, damage, unknown } = checked;
  const whose = `${oneLine(agent)}${version === null ? "" : ` ${oneLine(version)}`}`;
  const times = [...unknown.values()].reduce((sum, one) => sum + one, 0);
  const repair = `refloat transcript repair ${shellLineWord(file)}${said === null ? "" : ` --agent ${said}`}`;
  return [
    `${bold(`Session ${oneLine(session?.nativeId ?? "?")}`)} of ${whose}: ${statusWords(status)}`,
    ...(session?.cwd ? [dim(`in ${oneLine(session.cwd)}`)] : []),
    `${count(messages, "message")}, ${count(calls.length + callsLeftOut, "call")}`,
    ...callLines(context.out.style, calls),
    ...(times === 0 ? [] : [dim(`${count(times, "record")} of a type that this refloat does not know`)]),
    ...(damage.length === 0
      ? [green("Whole.")]
      : [
          red(`Damaged in ${count(damage.length + checked.damageLeftOut, "place")}:`),
          ...damageLines(damage, checked.damageLeftOut),
          "",
          checked.isMendable
            ? context.out.typed(`\`${repair}\` writes a copy without what can be mended.`)
            : dim("None of it can be mended: it stays as it is."),
        ]),
  ];
}
