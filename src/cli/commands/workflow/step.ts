/** `step start|sub|done|skip|reset`: says where to go on. `claim keep`: until it is stopped or the claim is gone. */
import { keepStep, stepOrSay } from "../../../app/workflow/step.ts";
import { HEARTBEAT_INTERVAL_MS, MAX_STEP_PAUSE_MS } from "../../../model/limits.ts";
import { shellWord } from "../../../text/escape.ts";
import { stateMarker, stepMarker } from "../../../text/marker-line.ts";
import type { StepDone } from "../../../workflow/step-acts.ts";
import type { StepOrder } from "../../../workflow/step-transition.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { untilSignalled } from "../../context/until-signalled.ts";
import {
  type CommandInput,
  countOption,
  listOption,
  textArgument,
  textOption,
  usage,
} from "../../grammar/options.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { STEP_NOT_RECORDED } from "../../screen/not-recorded.ts";
import { oneLine } from "../../screen/words.ts";

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const does = orderOf(input);
  const outcome = await stepOrSay(context, {
    ...meantBy(input),
    does,
    name: does.kind === "sub" ? null : textArgument(input, 1),
    token: textOption(input, "token"),
    extras: {
      artifacts: listOption(input, "artifact"),
      contextFiles: listOption(input, "context"),
      findings: listOption(input, "finding"),
      resolved: listOption(input, "resolved"),
    },
  });
  if (outcome.kind === "said") return said(context, input, does, outcome.file);
  const { done } = outcome;
  if (done.created) context.out.narrate(`A new state file: ${oneLine(done.file)}`);
  for (const warning of done.warnings) context.out.narrate(`Note: ${oneLine(warning)}`);
  await context.out.result({
    command: `step-${does.kind}`,
    json: { ...done },
    text: () => lines(done, textOption(input, "file")).map((line) => context.out.typed(line)),
  });
  return EXIT.done;
}

/** The markers on stdout are what is left of it. */
async function said(
  { out }: Context,
  input: CommandInput,
  does: StepOrder,
  file: string,
): Promise<CommandEnd> {
  const { step } = meantBy(input);
  const part = does.kind === "sub" ? does.name : null;
  const marker = stepMarker({ does: does.kind, step, part, reason: does.reason ?? null });
  await out.result({
    command: `step-${does.kind}`,
    json: { file, step, recorded: false, marker, state_marker: stateMarker(file) },
    text: () => [stateMarker(file), marker],
  });
  out.narrate(STEP_NOT_RECORDED);
  return EXIT.done;
}

const meantBy = (input: CommandInput) => ({
  step: textArgument(input, 0) ?? "",
  file: textOption(input, "file"),
  owner: textOption(input, "owner"),
});

export async function keep(context: Context, input: CommandInput): Promise<CommandEnd> {
  const meant = meantBy(input);
  const seconds = countOption(input, "every", MAX_STEP_PAUSE_MS / 1000) ?? HEARTBEAT_INTERVAL_MS / 1000;
  const onKept = (owner: string): void =>
    context.out.narrate(`Step ${oneLine(meant.step)} is kept for ${oneLine(owner)}.`);
  await untilSignalled((stop) => keepStep(context, { ...meant, everyMs: seconds * 1000 }, { stop, onKept }));
  return EXIT.done;
}

function orderOf(input: CommandInput): StepOrder {
  const reason = textOption(input, "reason");
  switch (input.words.at(-1)) {
    case "start":
      return { kind: "start", reason };
    case "sub":
      return { kind: "sub", name: partNamed(textArgument(input, 1)), reason };
    case "done":
      return { kind: "done", reason };
    case "skip":
      return { kind: "skip", reason };
    case "reset":
      return { kind: "reset", reason };
    default:
      throw usage("There is no such step command.");
  }
}

function partNamed(typed: string | null): string {
  const name = typed?.trim() ?? "";
  if (name === "") throw usage("A checkpoint needs the name of the part that is finished.");
  return name;
}

function lines(done: StepDone, file: string | null): string[] {
  const { step, name, status, resume, from, token } = done;
  const taken = from === null ? [] : [`Taken over from ${oneLine(from)}, who was gone.`];
  const first = `Step ${step} (${oneLine(name)}) is ${status.replace("_", " ")}.`;
  if (status !== "in_progress") return [first, nextLine(done, file)];
  return [first, ...taken, ...whereLines(resume), ...(token === null ? [] : [`Token: ${token}`])];
}

function whereLines(resume: StepDone["resume"]): string[] {
  switch (resume.kind) {
    case "after": {
      const read = resume.alreadyRead.map(oneLine).join(", ") || "none";
      return [`Go on behind ${oneLine(resume.subStep)}; these were read already: ${read}.`];
    }
    case "restart": {
      const since = resume.since === null ? "" : ` at ${oneLine(resume.since)}`;
      return [`It had been begun${since} and has no checkpoint: from its beginning.`];
    }
    case "fresh":
      return [];
    default:
      return resume satisfies never;
  }
}

/** A finished step leads to the next one; a pending one to its start. */
function nextLine({ next }: StepDone, file: string | null): string {
  if (next === null) return "Every step is complete or skipped.";
  const which = `step ${next.step} (${oneLine(next.name)})`;
  const named = file === null ? "" : ` --file ${shellWord(file)}`;
  return next.status === "in_progress"
    ? `At work is ${which}.`
    : `Next is ${which}: refloat step start ${next.step}${named}`;
}
