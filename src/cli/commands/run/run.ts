/**
 * `run -- CMD`: supervises an agent. Everything up to its start fails with a code of ours; from then on the exit code
 * is the agent's, but for our timeout (DESIGN 10). stdout and stderr are the agent's, too: what we have to say goes to
 * stderr, and on a terminal only after the agent has left it.
 */

import { statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { assertNothingToFill } from "../../../app/handoff/brief-file.ts";
import { whyOff } from "../../../app/place/off.ts";
import { offLine } from "../../../app/place/off-line.ts";
import { loopSignals } from "../../../app/run/loop-signals.ts";
import { notRun, runHeard, runThroughLimits } from "../../../app/run/run.ts";
import type { RunReport } from "../../../supervise/run-report.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { type CommandInput, isSet, listArgument, textOption, usage } from "../../grammar/options.ts";
import { reportError } from "../../screen/report-error.ts";
import { runFace } from "./run-face.ts";
import { typedRun } from "./run-order.ts";
import { exitCodeOfOurs, plainly } from "./run-plainly.ts";
import { writeReport } from "./write-report.ts";

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const command = listArgument(input, 0);
  const off = await whyOff(context);
  if (off?.kind === "left-alone") context.out.narrate(offLine(off));
  if (off) return { code: await plainly(context, command) };
  const report = { path: textOption(input, "report"), isRaw: isSet(input, "raw") };
  const signals = loopSignals();
  try {
    assertNothingToFill(command);
    assertReportable(context, report.path);
    const order = await typedRun(context, input, command);
    const waits = textOption(input, "onLimit") === "wait";
    const face = runFace(context);
    const ended = await (waits ? runThroughLimits : runHeard)(context, order, face, signals);
    await writeReport(context.out, report, typedReport(context, ended.report));
    return { code: ended.exitCode };
  } catch (thrown) {
    const exitCode = exitCodeOfOurs(await reportError(thrown, context.out, input.words));
    await writeReport(context.out, report, typedReport(context, notRun(exitCode, thrown)));
    return { code: exitCode };
  } finally {
    signals.stop();
  }
}

/** T6: whoever reads it stands where the command was given. */
const typedReport = ({ out: { typed } }: Context, report: RunReport): RunReport => ({
  ...report,
  error: report.error && { ...report.error, hint: typed(report.error.hint) },
  undo: report.undo && typed(report.undo),
  next: report.next.map(typed),
});

/** Looked at before anything is started: a report nobody could write would be found missing too late. */
function assertReportable(context: Context, report: string | null): void {
  if (report === null) return;
  const folder = dirname(resolve(context.place(), report));
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw usage(`--report ${report}: there is no such folder.`);
}
