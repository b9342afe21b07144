/** `store export`: sessions as JSON lines, to stdout or to a new file that is whole when it has its name. */
import { resolve } from "node:path";
import { findSession } from "../../../app/sessions/find-session.ts";
import { createDurableFrom } from "../../../platform/durable-stream.ts";
import { exportLines } from "../../../store/export.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { type CommandInput, isSet, listArgument, textOption } from "../../grammar/options.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { escapeJsonText } from "../../screen/json-text.ts";
import { bytesText, count, oneLine } from "../../screen/words.ts";

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const raw = isSet(input, "raw");
  const output = textOption(input, "output");
  const ids = await sessionIds(context, listArgument(input, 0));
  const store = await context.openStore();
  const lines = exportLines(store.raw, { raw, ...(ids ? { sessions: ids } : {}) });
  if (output === null || output === "-") {
    // One object a line already: with --json it is what it is without.
    const safe = context.out.isTerminal ? escapeJsonText : (line: string): string => line;
    for await (const line of lines) await context.out.write(`${safe(line)}\n`);
    return EXIT.done;
  }
  const file = resolve(output);
  let written = 0;
  const bytes = await createDurableFrom(
    file,
    counted(lines, () => written++),
  );
  await context.out.result({
    command: "store-export",
    json: { file, lines: written, bytes, raw },
    text: () => [
      `${oneLine(file)}: ${count(written, "line")}, ${bytesText(bytes)}${raw ? ", secrets and all" : ""}.`,
    ],
  });
  return EXIT.done;
}

/** Null: all of them. */
async function sessionIds(context: Context, typed: readonly string[]): Promise<string[] | null> {
  if (typed.length === 0) return null;
  const ids = new Set<string>();
  for (const one of typed) ids.add((await findSession(context, one)).row.id);
  return [...ids];
}

async function* counted(lines: AsyncIterable<string>, onLine: () => void): AsyncGenerator<string> {
  for await (const line of lines) {
    onLine();
    yield `${line}\n`;
  }
}
