/** Whether somebody sits there who can be shown one group after the other. */
import type { Environment } from "../../platform/places.ts";
import type { Context } from "../context/context.ts";

export function canReview({ flags }: Context, env: Environment): boolean {
  const { stdin, stdout, stderr } = process;
  const isTerminal = stdin.isTTY === true && stdout.isTTY === true && stderr.isTTY === true;
  const isWanted = flags.mayAsk && !flags.isJson && !flags.isYes;
  return isTerminal && isWanted && env.TERM !== "dumb" && !isCi(env);
}

/** A build machine may have a terminal; nobody sits at it. */
const isCi = ({ CI }: Environment): boolean => Boolean(CI) && CI !== "false" && CI !== "0";
