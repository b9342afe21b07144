/** `step start|sub|done|skip|reset`: claims the step, changes the file and its companion, says where to go on. */
import { claimOwner } from "../../workflow/claim-owner.ts";
import { theStateFile } from "../../workflow/state-paths.ts";
import { actOnStep, type StepDone } from "../../workflow/step-acts.ts";
import type { StepOrder } from "../../workflow/step-transition.ts";
import type { Ending } from "../command-spec.ts";
import type { Context } from "../context.ts";
import { EXIT } from "../exit-code.ts";
import { type CommandInput, listOption, textArgument, textOption, usage } from "../options.ts";
import { oneLine } from "../words.ts";

export async function run(context: Context, input: CommandInput): Promise<Ending> {
  const order = orderOf(input);
  const file = theStateFile(context.workspace(), textOption(input, "file"));
  const store = await context.openOrMakeStore();
  const acted = await actOnStep(store.raw, file, textArgument(input, 0) ?? "", order, {
    owner: claimOwner(process.env.REFLOAT_SESSION, textOption(input, "owner")),
    token: textOption(input, "token"),
    extras: {
      artifacts: listOption(input, "artifact"),
      contextFiles: listOption(input, "context"),
      findings: listOption(input, "finding"),
      resolved: listOption(input, "resolved"),
    },
  });
  const done = { ...acted, warnings: [...acted.warnings, ...otherName(input, order, acted)] };
  for (const warning of done.warnings) context.out.narrate(`Note: ${oneLine(warning)}`);
  await context.out.result({
    command: `step-${order.kind}`,
    json: { file, ...done },
    text: () => lines(done),
  });
  return EXIT.done;
}

function orderOf(input: CommandInput): StepOrder {
  const reason = textOption(input, "reason");
  switch (input.words.at(-1)) {
    case "start":
      return { kind: "start", reason };
    case "sub":
      return { kind: "sub", name: textArgument(input, 1) ?? "", reason };
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

/** The number says which step is meant; a name beside it that is another's is a slip worth seeing. */
function otherName(input: CommandInput, { kind }: StepOrder, { step, name }: StepDone): string[] {
  const typed = kind === "sub" ? null : textArgument(input, 1);
  if (typed === null || typed.toLowerCase() === name.toLowerCase()) return [];
  return [`step ${step} is called ${name}, not ${typed}`];
}

function lines({ step, name, status, resume, from, token }: StepDone): string[] {
  const taken = from === null ? [] : [`Taken over from ${oneLine(from)}, who was gone.`];
  const first = `Step ${step} (${oneLine(name)}) is ${status.replace("_", " ")}.`;
  if (status !== "in_progress") return [first];
  const where =
    resume.kind === "after"
      ? [
          `Go on behind ${oneLine(resume.subStep)}; these were read already: ${resume.alreadyRead.map(oneLine).join(", ") || "none"}.`,
        ]
      : resume.kind === "restart"
        ? ["It had been begun and has no checkpoint: from its beginning."]
        : [];
  return [first, ...taken, ...where, ...(token === null ? [] : [`Token: ${token}`])];
}
