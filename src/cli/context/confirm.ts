/**
 * Acting commands show their plan first. With --yes they go on; at a terminal they ask; otherwise they change
 * nothing and say E_NEEDS_YES, with the plan in the error (DESIGN 10). A prompt never waits for nobody.
 */
import { createInterface } from "node:readline/promises";
import { RefloatError } from "../../model/errors.ts";
import type { Context } from "./context.ts";

class NeedsYes extends RefloatError {
  readonly plan: Readonly<Record<string, unknown>>;

  constructor(plan: Readonly<Record<string, unknown>>) {
    super("E_NEEDS_YES");
    this.plan = plan;
  }
}

export interface ShownPlan {
  readonly json: Readonly<Record<string, unknown>>;
  readonly text: () => readonly string[];
}

/** True: do it. False: the user said no. Throws NeedsYes when nobody can be asked. */
export async function confirmed(context: Context, plan: ShownPlan): Promise<boolean> {
  const { flags, out } = context;
  if (flags.isYes) return true;
  if (!canAsk(context)) {
    if (!flags.isJson) await out.write(`${plan.text().join("\n")}\n`);
    throw new NeedsYes(plan.json);
  }
  for (const line of plan.text()) out.complain(line);
  return ask("Do it? [y/N] ");
}

const canAsk = ({ flags }: Context): boolean =>
  flags.mayAsk && !flags.isJson && process.stdin.isTTY === true && process.stderr.isTTY === true;

/** False: the command will show its plan and change nothing, whatever it finds. */
export const mayAct = (context: Context): boolean => context.flags.isYes || canAsk(context);

async function ask(question: string): Promise<boolean> {
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    // Ctrl-D is no answer: it means no.
    const closed = new Promise<string>((resolve) => terminal.once("close", () => resolve("")));
    const answer = await Promise.race([terminal.question(question), closed]);
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    terminal.close();
  }
}
