/**
 * `op begin LABEL`: a named stretch of work begins; what changes until its end belongs together. Where it names no paths, the tree
 * is captured first of all: what was half done before is not the operation's, and its end does not vouch for it (T2).
 */
import { sayHere } from "../../../app/sessions/say-here.ts";
import { randomId } from "../../../platform/random.ts";
import { newRecord } from "../../../session/new-record.ts";
import { shellWord } from "../../../text/escape.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { type CommandInput, listOption, textArgument, usage } from "../../grammar/options.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { markerLine, notRecorded } from "../../screen/marker-line.ts";
import { shortId } from "../../screen/short-id.ts";
import { oneLine } from "../../screen/words.ts";
import { operationCapture } from "./operation-capture.ts";

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const label = textArgument(input, 0)?.trim() ?? "";
  if (label === "") throw usage("An operation needs a label.");
  const paths = listOption(input, "path");
  const operation = { id: randomId(), label, paths: paths.length > 0 ? [...paths] : null };
  const said = await sayHere(context, (store) => (_session, from) => {
    const body = { operation: operation.id, label, paths: operation.paths, from };
    return newRecord(store.clock, "operation.began", body, `operation:${operation.id}`);
  });
  const marker = markerLine("BEGIN", label);
  const isRecorded = said.kind === "recorded";
  const isOfAll = isRecorded && operation.paths === null;
  const capture = isOfAll
    ? await operationCapture(context, said.written, { reason: "operation-begin" })
    : null;
  await context.out.result({
    command: "op-begin",
    json: {
      recorded: isRecorded,
      session: isRecorded ? said.written.session : null,
      attempt: isRecorded ? said.written.attempt : null,
      operation: { ...operation, state: "open" },
      capture,
      marker,
    },
    text: () =>
      isRecorded
        ? [`Began ${oneLine(label)} in session ${shortId(said.written.session)}.`, endHint(context, label)]
        : [marker],
  });
  if (!isRecorded) context.out.narrate(notRecorded());
  return EXIT.done;
}

const endHint = (context: Context, label: string): string =>
  context.out.style.dim(context.out.typed(`When it is whole: refloat op end ${shellWord(oneLine(label))}`));
