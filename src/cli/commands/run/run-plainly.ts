/** REFLOAT_OFF=1: `run` and `loop` start the command once, as if refloat were not there, and end with its code. */
import { programOf } from "../../../app/run/run-order.ts";
import { plainRun } from "../../../supervise/plain-run.ts";
import type { Context } from "../../context/context.ts";
import { reportError } from "../../screen/report-error.ts";

/** Codes of the catalogue that mean the same for `run` and `loop`; everything else of ours is 125. */
const OWN_CODES: ReadonlySet<number> = new Set([4, 64, 125, 126, 127]);
const OUR_FAILURE = 125;

export const exitCodeOfOurs = (code: number): number => (OWN_CODES.has(code) ? code : OUR_FAILURE);

export async function runPlainly(
  context: Context,
  command: readonly string[],
  cwd = context.place(),
): Promise<number> {
  try {
    const { env } = process;
    return await plainRun({ file: programOf(command, cwd, env), args: command.slice(1), cwd, env });
  } catch (thrown) {
    return exitCodeOfOurs(await reportError(thrown, context.out, ["run"]));
  }
}
