/** `undo` of an order that made several plans, each in its own work tree (`settle --repo`): what is asked and said of all of them. */
import type { ActHow } from "../../../app/acts/act.ts";
import { type UndonePart, undoOrder } from "../../../app/acts/undo.ts";
import type { RefloatError } from "../../../model/errors.ts";
import { tellAbout } from "../../context/about.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import { confirmed } from "../../context/confirm.ts";
import type { Context } from "../../context/context.ts";
import { type CommandInput, isSet } from "../../grammar/options.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { errorLines } from "../../screen/report-error.ts";
import { actHow, endedLines, endedView } from "../plans/act.ts";
import { actJson } from "../plans/act-view.ts";

/** One plan, as it is said. */
interface SaidPart {
  /** Empty: it failed. */
  readonly json: Readonly<Record<string, unknown>>;
  readonly lines: readonly string[];
  readonly error: RefloatError | null;
}

export async function runUndoOrder(
  context: Context,
  input: CommandInput,
  plans: readonly string[],
): Promise<CommandEnd> {
  const each = async (isDryRun: boolean): Promise<SaidPart[]> => {
    const how = agreedHow(context, input, isDryRun);
    const parts = await undoOrder(context, how, plans).finally(() => context.out.isAbout(null));
    return parts.map((part) => saidPart(context, part));
  };
  const planned = await each(true);
  if (isSet(input, "dryRun")) return tell(context, planned, "planned");
  const plan = { json: planJson(planned), text: () => linesOf(planned) };
  if (!(await confirmed(context, plan))) return tell(context, planned, "declined");
  return tell(context, await each(false), "done");
}

/** The whole order is asked about, not each of its parts. */
function agreedHow(context: Context, input: CommandInput, isDryRun: boolean): ActHow {
  const agreed = { ...context, flags: { ...context.flags, isYes: !isDryRun } };
  return actHow(agreed, { ...input, options: { ...input.options, dryRun: isDryRun } });
}

/** Commands in its lines are typed for the work tree it is about (T6). */
function saidPart(context: Context, part: UndonePart): SaidPart {
  if (part.kind === "refused") return { json: {}, lines: errorLines(part.error), error: part.error };
  try {
    tellAbout(context, part.here.workspace.root);
    const view = endedView(context, "undo", part);
    return { json: actJson(view), lines: endedLines(context, part.kind, view), error: null };
  } finally {
    context.out.isAbout(null);
  }
}

const planJson = (parts: readonly SaidPart[]): Record<string, unknown> => ({
  id: null,
  session: null,
  acts: parts.flatMap(
    ({ json }) => ((json.plan as { acts?: unknown[] } | undefined)?.acts ?? []) as unknown[],
  ),
});

const linesOf = (parts: readonly SaidPart[]): string[] => parts.flatMap(({ lines }) => [...lines, ""]);

/** Of every part, one list after the other. */
const allOf = (parts: readonly SaidPart[], name: string): unknown[] =>
  parts.flatMap(({ json }) => (Array.isArray(json[name]) ? (json[name] as unknown[]) : []));

async function tell(
  context: Context,
  parts: readonly SaidPart[],
  kind: "planned" | "declined" | "done",
): Promise<CommandEnd> {
  const isDone = kind === "done";
  const conflicts = allOf(parts, "conflicts");
  const failed = parts.flatMap(({ error }) => (error ? [{ code: error.code, message: error.message }] : []));
  await context.out.result({
    command: "undo",
    json: {
      plan: planJson(parts),
      done: isDone && failed.length === 0,
      conflicts,
      commit: null,
      undo: null,
      left: allOf(parts, "left"),
      already: allOf(parts, "already"),
      ...(failed.length > 0 ? { failed } : {}),
    },
    text: () => (kind === "declined" ? ["Nothing was changed."] : linesOf(parts)),
  });
  if (kind === "declined" || failed.length > 0) return EXIT.failed;
  return isDone && conflicts.length > 0 ? EXIT.attention : EXIT.done;
}
