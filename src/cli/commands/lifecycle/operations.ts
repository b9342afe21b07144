/** `op begin LABEL`, `op end [LABEL] [--abort]`, `op list` (app/captures/operations.ts); where nothing can be recorded, the text marker is left (DESIGN 10). */

import {
  beginOperation,
  endOperation,
  type OperationOutcome,
  operationsHere,
} from "../../../app/captures/operations.ts";
import { toldOperation } from "../../../app/captures/told-operation.ts";
import { whyOff } from "../../../app/place/off.ts";
import type { RefloatError } from "../../../model/errors.ts";
import { shellLineWord } from "../../../text/escape.ts";
import type { OperationState } from "../../../triage/facts/known/triage-facts.ts";
import type { ListedOperation } from "../../../workspace/sessions/operations.ts";
import type { WrittenRecord } from "../../../workspace/sessions/write-into.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { sayOff } from "../../context/say-off.ts";
import { type CommandInput, isSet, listOption, textArgument, usage } from "../../grammar/options.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { notRecorded } from "../../screen/not-recorded.ts";
import { shortId } from "../../screen/short-id.ts";
import { tableLines } from "../../screen/table.ts";
import { agoText, oneLine } from "../../screen/words.ts";

/** Rows on a screen; JSON has them all. */
const MAX_SHOWN = 50;

export async function begin(context: Context, input: CommandInput): Promise<CommandEnd> {
  const label = textArgument(input, 0)?.trim() ?? "";
  if (label === "") throw usage("An operation needs a label.");
  const order = { label, paths: listOption(input, "path") };
  const outcome = await beginOperation(context, order, notHeld(context));
  const hint = context.out.typed(`When it is whole: refloat op end ${shellLineWord(label)}`);
  return showOperation(context, outcome, {
    command: "op-begin",
    ...{ label, state: "open" },
    text: ({ session }) => [
      `Began ${oneLine(label)} in session ${shortId(session)}.`,
      context.out.style.dim(hint),
    ],
  });
}

export async function end(context: Context, input: CommandInput): Promise<CommandEnd> {
  const typed = textArgument(input, 0);
  const isAborted = isSet(input, "abort");
  const outcome = await endOperation(context, { label: typed, isAborted }, notHeld(context));
  const label = outcome.operation?.label ?? typed ?? "";
  return showOperation(context, outcome, {
    command: "op-end",
    ...{ label, state: isAborted ? "aborted" : "ended" },
    text: () => [`${isAborted ? "Aborted" : "Ended"} ${oneLine(label)}.`],
  });
}

const notHeld =
  ({ out }: Context) =>
  ({ message }: RefloatError): void =>
    out.narrate(`The tree was not captured: ${message}`);

interface OperationWords {
  readonly command: "op-begin" | "op-end";
  readonly label: string;
  readonly state: OperationState;
  readonly text: (written: WrittenRecord) => readonly string[];
}

async function showOperation(
  context: Context,
  outcome: OperationOutcome,
  { command, label, state, text }: OperationWords,
): Promise<CommandEnd> {
  const { out } = context;
  const recorded = outcome.kind === "recorded" ? outcome : null;
  const told = toldOperation(outcome, label, state);
  await out.result({
    command,
    json: { ...told },
    text: () => (recorded ? text(recorded.written) : [told.marker]),
  });
  if (!recorded) out.narrate(notRecorded(await whyOff(context)));
  return EXIT.done;
}

/** `op list`: open ones first. Reads only. */
export async function list(context: Context): Promise<CommandEnd> {
  const { root, operations } = await operationsHere(context);
  await sayOff(context);
  await context.out.result({
    command: "op-list",
    json: { workspace: root, operations },
    text: () => (operations.length === 0 ? ["No operations here."] : listLines(context, operations)),
  });
  return EXIT.done;
}

function listLines(context: Context, operations: readonly ListedOperation[]): string[] {
  const { style, columns } = context.out;
  const nowMs = context.clock.nowMs();
  const ids = operations.map(({ session }) => session);
  return tableLines(
    [
      { title: "STATE", paint: (text) => (text.trim() === "open" ? style.yellow(text) : text) },
      { title: "LABEL", shrinkTo: 12, paint: style.bold },
      { title: "PATHS", shrinkTo: 8 },
      { title: "SESSION", shrinkTo: 8 },
      { title: "BEGAN" },
    ],
    operations
      .slice(0, MAX_SHOWN)
      .map(({ state, label, paths, session, at }) => [
        state,
        oneLine(label),
        paths === null ? "-" : oneLine(paths.join(" ")),
        shortId(session, ids),
        agoText(Date.parse(at), nowMs),
      ]),
    columns,
    style.dim,
  );
}
