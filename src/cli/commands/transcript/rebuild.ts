/** `rebuild`: files from an agent's transcript alone, each with what is known of it and by which calls. */
import type { PlacedFile } from "../../../app/agents/rebuild.ts";
import { type RebuiltSession, rebuildSession } from "../../../app/salvage/rebuild-session.ts";
import { pathJson } from "../../../model/path-name.ts";
import { shownPath } from "../../../text/shown-path.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { type CommandInput, isSet, textArgument, textOption, usage } from "../../grammar/options.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { bytesText, count, oneLine } from "../../screen/words.ts";

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const to = textOption(input, "to");
  if (to === null) throw usage("rebuild wants --to DIR: a folder that is not there yet, or an empty one.");
  const isDryRun = isSet(input, "dryRun");
  const done = await rebuildSession(context, {
    session: textArgument(input, 0),
    file: textOption(input, "file"),
    agent: textOption(input, "agent"),
    atCall: textOption(input, "at"),
    to,
    isDryRun,
  });
  const { session, sources, rebuilt } = done;
  await context.out.result({
    command: "rebuild",
    json: {
      session,
      agent: sources.at(-1)?.adapter.name ?? null,
      transcripts: sources.map(({ path }) => path),
      workspace: rebuilt.folder,
      to: rebuilt.to,
      done: !isDryRun,
      files: rebuilt.files.map(fileJson),
      gone: rebuilt.gone.map(fileJson),
      refused: rebuilt.refused,
      files_left_out: rebuilt.filesLeftOut,
    },
    text: () => lines(context, done, isDryRun),
  });
  return EXIT.done;
}

const bytesOf = ({ text }: PlacedFile): number | null => (text === null ? null : Buffer.byteLength(text));

const fileJson = (file: PlacedFile) => ({
  ...pathJson(file.place),
  was: file.path,
  label: file.label,
  why: file.why,
  bytes: bytesOf(file),
  calls: file.calls,
  calls_left_out: file.callsLeftOut,
});

/** Files shown by name; JSON has them all. */
const MAX_SHOWN = 200;

function lines(context: Context, { rebuilt }: RebuiltSession, isDryRun: boolean): string[] {
  const { green, yellow, red, bold } = context.out.style;
  const { files, gone, refused, to } = rebuilt;
  const written = files.filter(({ text }) => text !== null);
  const colour = { exact: green, partial: yellow, contradicted: red };
  const more = files.length - MAX_SHOWN;
  return [
    bold(`${isDryRun ? "Would write" : "Wrote"} ${count(written.length, "file")} to ${oneLine(to)}.`),
    ...files.slice(0, MAX_SHOWN).map((file) => {
      const bytes = bytesOf(file);
      const size = bytes === null ? "not written" : bytesText(bytes);
      const why = file.why === null ? "" : `: ${oneLine(file.why)}`;
      return `  ${colour[file.label](file.label)}  ${shownPath(file.place)}, ${size}${why}`;
    }),
    ...(more > 0 ? [`  and ${count(more, "file")} more (--json lists them)`] : []),
    ...(gone.length > 0 ? [`${count(gone.length, "file")} deleted or moved away by the agent.`] : []),
    ...refused.slice(0, MAX_SHOWN).map(({ path, why }) => `  refused: ${oneLine(path)}: ${oneLine(why)}`),
  ];
}
