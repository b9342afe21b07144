/** REFLOAT_OFF=1: `run` and `loop` start the command once, as if refloat were not there, and end with its code. */
import { runPlainly } from "../../../app/run/run.ts";
import type { Context } from "../../context/context.ts";
import { reportError } from "../../screen/report-error.ts";

/** Codes of the catalogue that mean the same for `run` and `loop`; everything else of ours is 125. */
const OWN_CODES: ReadonlySet<number> = new Set([4, 64, 125, 126, 127]);
const OUR_FAILURE = 125;

export const exitCodeOfOurs = (code: number): number => (OWN_CODES.has(code) ? code : OUR_FAILURE);

export async function plainly(
  context: Context,
  command: readonly string[],
  cwd = context.place(),
): Promise<number> {
  try {
    return await runPlainly(context, command, cwd);
  } catch (thrown) {
    return exitCodeOfOurs(await reportError(thrown, context.out, ["run"]));
  }
}
