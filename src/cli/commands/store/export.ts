/** `store export`: sessions as JSON lines, to stdout or to a new file that is whole when it has its name. */
import { resolve } from "node:path";
import { exportSessions, exportToFile } from "../../../app/upkeep/export.ts";
import { escapeJsonText } from "../../../text/json-text.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { type CommandInput, isSet, listArgument, textOption } from "../../grammar/options.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { bytesText, count, oneLine } from "../../screen/words.ts";

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const raw = isSet(input, "raw");
  const output = textOption(input, "output");
  const order = { sessions: listArgument(input, 0), isRaw: raw };
  if (output === null || output === "-") {
    // One object a line already: with --json it is what it is without.
    const safe = context.out.isTerminal ? escapeJsonText : (line: string): string => line;
    for await (const line of await exportSessions(context, order)) await context.out.write(`${safe(line)}\n`);
    return EXIT.done;
  }
  const file = resolve(output);
  const { lines, bytes } = await exportToFile(context, order, file);
  await context.out.result({
    command: "store-export",
    json: { file, lines, bytes, raw },
    text: () => [
      `${oneLine(file)}: ${count(lines, "line")}, ${bytesText(bytes)}${raw ? ", secrets and all" : ""}.`,
    ],
  });
  return EXIT.done;
}
