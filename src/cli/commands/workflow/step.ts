/** `step start|sub|done|skip|reset`: claims the step, changes the file and its companion, says where to go on. */
import { shellWord } from "../../../text/escape.ts";
import { claimOwner } from "../../../workflow/claim-owner.ts";
import { actOnStep, type StepDone } from "../../../workflow/step-acts.ts";
import type { StepOrder } from "../../../workflow/step-transition.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { type CommandInput, listOption, textArgument, textOption, usage } from "../../grammar/options.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { oneLine } from "../../screen/words.ts";
import { oneFile, oneFileOrNew } from "./state-files.ts";

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const order = orderOf(input);
  const named = textOption(input, "file");
  const file = order.kind === "start" ? await oneFileOrNew(context, named) : await oneFile(context, named);
  const store = await context.openOrMakeStore();
  const acted = await actOnStep(store.raw, file, textArgument(input, 0) ?? "", order, {
    owner: claimOwner(process.env.REFLOAT_SESSION, textOption(input, "owner")),
    token: textOption(input, "token"),
    named: textOption(input, "file"),
    extras: {
      artifacts: listOption(input, "artifact"),
      contextFiles: listOption(input, "context"),
      findings: listOption(input, "finding"),
      resolved: listOption(input, "resolved"),
    },
  });
  const done = { ...acted, warnings: [...acted.warnings, ...otherName(input, order, acted)] };
  if (done.created) context.out.narrate(`A new state file: ${oneLine(file)}`);
  for (const warning of done.warnings) context.out.narrate(`Note: ${oneLine(warning)}`);
  await context.out.result({
    command: `step-${order.kind}`,
    json: { file, ...done },
    text: () => lines(done, textOption(input, "file")).map((line) => context.out.typed(line)),
  });
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

/** The number says which step is meant; a name beside it that is another's is a slip worth seeing. */
function otherName(input: CommandInput, { kind }: StepOrder, { step, name }: StepDone): string[] {
  const typed = kind === "sub" ? null : textArgument(input, 1);
  if (typed === null || typed.toLowerCase() === name.toLowerCase()) return [];
  return [`step ${step} is called ${name}, not ${typed}`];
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
