/** `doctor`: what is wrong, each finding with its command, and what --fix did. */
import { doctor } from "../../../app/workflow/doctor.ts";
import type { DoctorFinding } from "../../../doctor/checks.ts";
import type { FixedCheck } from "../../../doctor/fix.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { type CommandInput, isSet } from "../../grammar/options.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { count, oneLine } from "../../screen/words.ts";

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const order = { fixes: isSet(input, "fix"), isStoreNamed: context.flags.store !== null };
  const { findings: found, fixed } = await doctor(context, order);
  const findings = found.map((one) => ({ ...one, command: context.out.typed(one.command) }));
  await context.out.result({
    command: "doctor",
    json: { findings, fixed },
    text: () => lines(context, findings, fixed),
  });
  return isSet(input, "exitCode") && findings.some(({ severity }) => severity !== "info")
    ? EXIT.attention
    : EXIT.done;
}

function lines({ out }: Context, findings: readonly DoctorFinding[], fixed: readonly FixedCheck[]): string[] {
  const { green, red, yellow, dim } = out.style;
  const paint = { error: red, warning: yellow, info: dim } as const;
  const done = fixed.map(({ message }) => `${green("fixed")} ${oneLine(message)}`);
  if (findings.length === 0) return [...done, `${green("Sound.")} Nothing is wrong here.`];
  return [
    ...done,
    ...findings.flatMap(({ check, severity, message, command }) => [
      `${paint[severity](severity)} ${check}: ${oneLine(message)}`,
      `  ${dim(oneLine(command))}`,
    ]),
    "",
    `${count(findings.length, "finding")}.`,
  ];
}
