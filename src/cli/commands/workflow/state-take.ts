/** `state take`: what was said of the workflow from inside a sandbox, and what became of it. */
import type { SaidOfFile } from "../../../app/inbox/said-in.ts";
import { takeSaidOrders } from "../../../app/workflow/state-take.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { type CommandInput, isSet } from "../../grammar/options.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { refusedLine, saidWords, waitingLine } from "../../screen/said-lines.ts";
import { oneLine } from "../../screen/words.ts";

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const { done, left } = await takeSaidOrders(context, { isDryRun: isSet(input, "dryRun") });
  await context.out.result({
    command: "state-take",
    json: {
      done: done.map(({ file, order }) => ({ file, order })),
      waiting: left.flatMap(({ file, waiting }) => waiting.map(({ order }) => ({ file, order }))),
      refused: left.flatMap(({ file, refused }) => refused.map(({ order, why }) => ({ file, order, why }))),
    },
    text: () => [
      ...done.map(({ file, order }) => `${saidWords(order)}: done in ${oneLine(file)}.`),
      ...left.flatMap(leftLines),
      ...(done.length + left.length === 0 ? ["Nothing was said that is not done."] : []),
    ],
  });
  return EXIT.done;
}

const leftLines = ({ file, waiting, refused }: SaidOfFile): string[] => [
  ...refused.map((one) => refusedLine(file, one)),
  ...waiting.map((one) => waitingLine(file, one)),
];
