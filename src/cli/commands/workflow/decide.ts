/** `decide`: records a decision where it is made, or shows one. `decisions`: all of them, oldest first. */
import { whyOff } from "../../../app/place/off.ts";
import {
  type DecisionOrder,
  type DecisionRow,
  decide,
  decidedValue,
  decisions as listed,
} from "../../../app/workflow/decide.ts";
import { decisionMarker, toldDecision } from "../../../app/workflow/told-decision.ts";
import { shellWord } from "../../../text/escape.ts";
import { stateMarker } from "../../../text/marker-line.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { sayOff } from "../../context/say-off.ts";
import { sayTakenOut } from "../../context/without-secrets.ts";
import { type CommandInput, isSet, textArgument, textOption } from "../../grammar/options.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { notRecorded } from "../../screen/not-recorded.ts";
import { shortId } from "../../screen/short-id.ts";
import { oneLine } from "../../screen/words.ts";

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const about = { key: textArgument(input, 0) ?? "", file: textOption(input, "file") };
  const value = textArgument(input, 1);
  if (value === null) return show(context, about);
  const [reason, step] = [textOption(input, "reason"), textOption(input, "step")];
  return record(context, { ...about, value, reason, step });
}

async function record(context: Context, order: DecisionOrder): Promise<CommandEnd> {
  const { out } = context;
  const is = `${oneLine(order.key)} is ${oneLine(order.value)}`;
  const outcome = await decide(context, order);
  const json = { ...toldDecision(outcome, order) };
  switch (outcome.kind) {
    case "in-file": {
      const { made } = outcome;
      for (const warning of made.warnings) out.narrate(`Note: ${oneLine(warning)}`);
      const where = made.step === null ? "" : `, decided in step ${made.step}`;
      await out.result({ command: "decide", json, text: () => [`${is}${where}.`] });
      return EXIT.done;
    }
    case "in-session": {
      const { session } = outcome;
      const text = () => [`${is}, decided in session ${shortId(session)}.`];
      await out.result({ command: "decide", json, text });
      return EXIT.done;
    }
    case "unrecorded": {
      // The marker on stdout is what is left of it.
      const { file } = outcome;
      const of = file === null ? [] : [stateMarker(file)];
      await out.result({ command: "decide", json, text: () => [...of, decisionMarker(order)] });
      out.narrate(notRecorded(await whyOff(context)));
      return EXIT.done;
    }
    default:
      return outcome satisfies never;
  }
}

async function show(context: Context, about: Pick<DecisionOrder, "key" | "file">): Promise<CommandEnd> {
  const { file, session, value } = await decidedValue(context, about);
  const { key } = about;
  await sayOff(context);
  await context.out.result({
    command: "decide",
    json: { file, session, key, value },
    text: () => [value === null ? `${oneLine(key)} is not decided.` : valueText(value)],
  });
  return value === null ? EXIT.failed : EXIT.done;
}

const valueText = (value: unknown): string =>
  oneLine(typeof value === "string" ? value : JSON.stringify(value));

export async function decisions(context: Context, input: CommandInput): Promise<CommandEnd> {
  const { out } = context;
  const how = { file: textOption(input, "file"), isRaw: isSet(input, "raw") };
  const { isEdited, ...found } = await listed(context, how);
  if (isEdited)
    out.narrate(
      out.typed(`Note: the log was changed by hand: refloat state validate ${shellWord(found.file ?? "")}`),
    );
  await sayOff(context);
  sayTakenOut(context, found.redacted);
  const rows = found.decisions;
  await out.result({
    command: "decisions",
    json: { ...found },
    text: () => (rows.length === 0 ? ["Nothing was decided yet."] : rows.flatMap(lines)),
  });
  return EXIT.done;
}

function lines({ step, key, value, reason, by_hand }: DecisionRow): string[] {
  const said = value === key ? oneLine(key) : `${oneLine(key)}: ${valueText(value)}`;
  return [
    `${step === null ? "" : `step ${oneLine(step)}  `}${said}${by_hand ? " (written over another by hand)" : ""}`,
    ...(reason === null ? [] : [`  ${oneLine(reason)}`]),
  ];
}
