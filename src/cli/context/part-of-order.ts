/**
 * One order that is several commands, one after the other, each in its own work tree (`settle --repo`, and its undo): each
 * is run as if it had been typed there, what it says is collected, and the order says it once. No second wiring of any of them.
 */
import { RefloatError } from "../../model/errors.ts";
import type { CommandInput } from "../grammar/options.ts";
import type { Result } from "../screen/output.ts";
import type { CommandEnd } from "./command-spec.ts";
import type { Context } from "./context.ts";

export interface OrderPart {
  /** Empty: it failed. */
  readonly json: Readonly<Record<string, unknown>>;
  readonly lines: readonly string[];
  /** Why it could not be done; null: it could. */
  readonly error: RefloatError | null;
}

type RunCommand = (context: Context, input: CommandInput) => Promise<CommandEnd>;

/** `isYes`: the whole order was agreed to. A part that fails leaves the others to go on. */
export async function runPart(
  context: Context,
  input: CommandInput,
  options: Readonly<Record<string, unknown>>,
  run: RunCommand,
): Promise<OrderPart> {
  let said: OrderPart = { json: {}, lines: [], error: null };
  const result = async ({ json, text }: Result): Promise<void> => {
    // The lines are made now: commands in them are typed for the work tree this part is about (T6).
    said = { json, lines: [...text()], error: null };
  };
  const flags = { ...context.flags, isYes: options.dryRun !== true };
  const part = { ...context, flags, out: { ...context.out, result } };
  try {
    await run(part, { ...input, options: { ...input.options, ...options } });
    return said;
  } catch (thrown) {
    if (!(thrown instanceof RefloatError)) throw thrown;
    return { json: {}, lines: [`${thrown.message} (${thrown.code})`, `  ${thrown.hint}`], error: thrown };
  } finally {
    context.out.isAbout(null);
  }
}

/** Of every part, one list after the other. */
export const allOf = (parts: readonly OrderPart[], name: string): unknown[] =>
  parts.flatMap(({ json }) => (Array.isArray(json[name]) ? (json[name] as unknown[]) : []));
