/**
 * `run -- CMD`: supervises an agent. Everything up to its start fails with a code of ours; from then on the exit code
 * is the agent's, but for our timeout (DESIGN 10). stdout and stderr are the agent's, too: what we have to say goes to
 * stderr, and on a terminal only after the agent has left it.
 */

import { statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { ensureError, RefloatError } from "../../model/errors.ts";
import { writeDurable } from "../../platform/durable-file.ts";
import { failedReport, type RunReport } from "../../supervise/run-report.ts";
import type { Ending } from "../command-spec.ts";
import type { Context } from "../context.ts";
import { loopSignals } from "../loop-signals.ts";
import { type CommandInput, listArgument, textOption, usage } from "../options.ts";
import { reportError } from "../report-error.ts";
import { runOrder } from "../run-order.ts";
import { exitCodeOfOurs, runPlainly } from "../run-plainly.ts";
import { runSession } from "../run-session.ts";
import { runThroughLimits } from "../wait-for-limit.ts";

export async function run(context: Context, input: CommandInput): Promise<Ending> {
  const command = listArgument(input, 0);
  if (process.env.REFLOAT_OFF === "1") return { code: await runPlainly(context, command) };
  const report = textOption(input, "report");
  const signals = loopSignals();
  try {
    assertReportable(context, report);
    const order = await runOrder(context, input, command);
    const waits = textOption(input, "onLimit") === "wait";
    const ended = waits
      ? await runThroughLimits(context, order, signals)
      : await runSession(context, order, signals.forSession());
    writeReport(context, report, ended.report);
    return { code: ended.exitCode };
  } catch (thrown) {
    const exitCode = exitCodeOfOurs(await reportError(thrown, context.out, input.words));
    writeReport(context, report, failedReport(exitCode, thrown instanceof RefloatError ? thrown : null));
    return { code: exitCode };
  } finally {
    signals.stop();
  }
}

/** Looked at before anything is started: a report nobody could write would be found missing too late. */
function assertReportable(context: Context, report: string | null): void {
  if (report === null) return;
  const folder = dirname(resolve(context.workspace(), report));
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw usage(`--report ${report}: there is no such folder.`);
}

/** A report that cannot be written is said; the exit code stays what it is. */
function writeReport(context: Context, path: string | null, report: RunReport): void {
  if (path === null) return;
  try {
    writeDurable(resolve(path), `${JSON.stringify(report, null, 2)}\n`, { mode: 0o644 });
  } catch (thrown) {
    context.out.complain(`refloat: the report was not written: ${ensureError(thrown).message}`);
  }
}
