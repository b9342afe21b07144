/** `op end [LABEL] [--abort]`: the newest open operation ends, of this label if one is given; the tree is captured as it is then. */
import { sayHere } from "../../../app/sessions/say-here.ts";
import { newRecord } from "../../../session/new-record.ts";
import { type ListedOperation, openOperation } from "../../../workspace/sessions/operations.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { type CommandInput, isSet, textArgument } from "../../grammar/options.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { markerLine, notRecorded } from "../../screen/marker-line.ts";
import { oneLine } from "../../screen/words.ts";
import { operationCapture } from "./operation-capture.ts";

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const label = textArgument(input, 0);
  const aborted = isSet(input, "abort");
  let found: ListedOperation | null = null;
  const said = await sayHere(context, (store) => async (session, from) => {
    found = await openOperation(store, session, label);
    const body = { operation: found.id, aborted, from };
    return newRecord(store.clock, "operation.ended", body, `operation-end:${found.id}`);
  });
  const operation = found as ListedOperation | null;
  const marker = markerLine(aborted ? "ABORT" : "END", operation?.label ?? label ?? "");
  const written = said.kind === "recorded" ? said.written : null;
  const ended = operation && !aborted ? [operation.id] : [];
  const capture = written
    ? await operationCapture(context, written, { reason: "operation-end", ended })
    : null;
  await context.out.result({
    command: "op-end",
    json: {
      recorded: written !== null,
      session: written?.session ?? null,
      attempt: written?.attempt ?? null,
      operation: operation && {
        id: operation.id,
        label: operation.label,
        paths: operation.paths,
        state: aborted ? "aborted" : "ended",
      },
      capture,
      marker,
    },
    text: () =>
      written && operation ? [`${aborted ? "Aborted" : "Ended"} ${oneLine(operation.label)}.`] : [marker],
  });
  if (!written) context.out.narrate(notRecorded());
  return EXIT.done;
}
