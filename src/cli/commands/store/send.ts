/** `send ID TARGET`: one session whole into another store; `--take-back`: it never arrived (app/transfer/). */

import { typedId } from "../../../app/sessions/typed-id.ts";
import { type SendOutcome, sendSession } from "../../../app/transfer/send.ts";
import { takeBack } from "../../../app/transfer/take-back.ts";
import { shellLineWord } from "../../../text/escape.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { type CommandInput, isSet, textArgument, textOption, usage } from "../../grammar/options.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { newsLines } from "../../screen/news-lines.ts";
import { count, oneLine } from "../../screen/words.ts";

/** Paths named on a screen; JSON has them all. */
const MAX_SHOWN = 10;

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const session = textArgument(input, 0);
  const target = textArgument(input, 1);
  const program = textOption(input, "program");
  const gone = textOption(input, "gone");
  if (isSet(input, "takeBack")) {
    if (target !== null) throw usage("Where it was sent is recorded: --take-back takes the session alone.");
    return back(context, { session, gone, program });
  }
  if (gone !== null) throw usage("--gone goes with --take-back.");
  if (session === null || target === null)
    throw usage("send wants a session, and ssh://HOST/PATH or a file.");
  const order = { session, target, forStore: textOption(input, "for"), program };
  const outcome = await sendSession(context, order, (news) => {
    for (const line of newsLines(news, context.out)) context.out.narrate(line);
  });
  const { left, target: _target, isFinishing, ...told } = outcome;
  await context.out.result({
    command: "send",
    json: { ...told, done: true, finished_earlier: isFinishing, left_behind: left },
    text: () => sentLines(context, outcome),
  });
  return EXIT.done;
}

function sentLines({ out }: Context, outcome: SendOutcome): string[] {
  const { session, to, target, records, left } = outcome;
  const there =
    target.kind === "ssh"
      ? [
          `It goes on there and nowhere else: on ${oneLine(target.host)}, in a clone of its repository,`,
          `  refloat resume ${shellLineWord(session)} --recreate`,
        ]
      : [
          "It goes on where this file is taken in, once:",
          `  refloat store import ${shellLineWord(target.path)}`,
          `  refloat resume ${shellLineWord(session)} --recreate`,
          "Everything is in it as it is, secrets too.",
        ];
  const paths = left?.paths ?? [];
  return [
    `Session ${oneLine(session)} was sent to ${oneLine(to)}: ${count(records, "record")}.`,
    ...there,
    ...(left?.tree ? [`Its files stay in ${oneLine(left.tree)} as they are; they are copies now.`] : []),
    ...(paths.length === 0 ? [] : [`${count(paths.length, "path")} could not go along:`]),
    ...paths.slice(0, MAX_SHOWN).map(({ path, why }) => `  ${oneLine(path)}: ${oneLine(why)}`),
    ...(paths.length > MAX_SHOWN ? [`  ... and ${paths.length - MAX_SHOWN} more (--json)`] : []),
    ...(left?.commits
      ? [`Commits that no remote has could not go along: ${oneLine(left.commits)}. git push brings them.`]
      : []),
    out.style.dim(out.typed(`If it never arrives: refloat send ${shellLineWord(session)} --take-back`)),
  ];
}

async function back(context: Context, order: Parameters<typeof takeBack>[1]): Promise<CommandEnd> {
  const { row, to, reason } = await takeBack(context, order);
  const store = await context.openStore();
  const typed = await typedId(store, row.id);
  await context.out.result({
    command: "send",
    json: { session: row.id, taken_back: true, to, reason },
    text: () => [
      `Session ${typed} goes on here: ${oneLine(reason)}.`,
      context.out.style.dim(context.out.typed(`To go on with it: refloat resume ${shellLineWord(typed)}`)),
    ],
  });
  return EXIT.done;
}
