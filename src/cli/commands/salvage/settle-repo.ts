/**
 * `settle --repo`: every unsettled session of the repository, its work trees included, by one policy, asked once (DESIGN 10):
 * what is asked and said of all of them.
 */

import { conflictJson } from "../../../app/acts/told-act.ts";
import type { SettleDecision } from "../../../app/salvage/settle-order.ts";
import { type SettledSession, settleRepo } from "../../../app/salvage/settle-repo.ts";
import { planId, settledActs } from "../../../app/salvage/told-settle.ts";
import type { RefloatError } from "../../../model/errors.ts";
import type { SettleOutcome } from "../../../salvage/settle/settle.ts";
import type { SessionSummary } from "../../../session/describe.ts";
import { shellLineWord } from "../../../text/escape.ts";
import { tellAbout } from "../../context/about.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import { confirmed } from "../../context/confirm.ts";
import type { Context } from "../../context/context.ts";
import { type CommandInput, isSet, listOption, usage } from "../../grammar/options.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { errorLines } from "../../screen/report-error.ts";
import { shortId } from "../../screen/short-id.ts";
import { count, oneLine } from "../../screen/words.ts";
import { settleLines } from "../plans/settle-view.ts";
import { settleHow, settleRequest, type TypedSettle, viewOf } from "./settle-run.ts";

export async function runSettleRepo(
  context: Context,
  input: CommandInput,
  typed: TypedSettle,
): Promise<CommandEnd> {
  if (typed.session !== null || isSet(input, "adopt") || listOption(input, "group").length > 0)
    throw usage(
      "--repo means every unsettled session of the repository: it takes no ID, --group or --adopt.",
    );
  const request = settleRequest(input, typed);
  const { does } = request;
  const agreed = { ...context, flags: { ...context.flags, isYes: true } };
  const ended = await settleRepo(
    context,
    {
      each: settleHow(agreed, request),
      onEach: () => context.out.isAbout(null),
      ask: async (planned) => {
        const said = planned.map((one) => saidSession(context, does, one));
        const plan = { json: planJson(said, null), text: () => linesOf(context, said) };
        return (await confirmed(context, plan)) ? "yes" : "no";
      },
    },
    request,
  );
  switch (ended.kind) {
    case "nothing":
      return tell(context, [], { kind: "done", order: null });
    case "planned":
    case "declined":
    case "done": {
      const said = ended.sessions.map((one) => saidSession(context, does, one));
      return tell(context, said, { kind: ended.kind, order: ended.kind === "done" ? ended.order : null });
    }
    default:
      return ended satisfies never;
  }
}

/** One session, as it is said. */
interface SaidSession {
  readonly session: SessionSummary;
  /** Null: it failed. */
  readonly settled: SettleOutcome | null;
  readonly lines: readonly string[];
  readonly error: RefloatError | null;
}

/** Commands in its lines are typed for the work tree it is about (T6). */
function saidSession(context: Context, does: SettleDecision, { session, part }: SettledSession): SaidSession {
  if (part.kind === "refused")
    return { session, settled: null, lines: errorLines(part.error), error: part.error };
  const { kind, here, settled } = part;
  try {
    tellAbout(context, here.workspace.root);
    const view = viewOf(does, part, kind === "done" || kind === "nothing");
    return { session, settled, lines: settleLines(context, view), error: null };
  } finally {
    context.out.isAbout(null);
  }
}

const planJson = (all: readonly SaidSession[], order: string | null): Record<string, unknown> => ({
  id: order,
  session: null,
  acts: all.flatMap(({ session, settled }) =>
    (settled ? settledActs(settled) : []).map((act) => ({
      ...act,
      session: session.id,
      workspace: session.workspace,
    })),
  ),
});

function linesOf(context: Context, all: readonly SaidSession[]): string[] {
  const { bold, dim } = context.out.style;
  return all.flatMap(({ session, lines }) => [
    `${bold(`Session ${shortId(session.id)}`)} (${oneLine(session.agent ?? "?")})  ${dim(oneLine(session.workspace ?? ""))}`,
    ...lines.map((line) => `  ${line}`),
    "",
  ]);
}

async function tell(
  context: Context,
  all: readonly SaidSession[],
  { kind, order }: { readonly kind: "planned" | "declined" | "done"; readonly order: string | null },
): Promise<CommandEnd> {
  const isDone = kind === "done";
  const isChanged = order !== null && all.some(({ settled }) => settled !== null && planId(settled) !== null);
  const undo = isChanged ? context.out.typed(`refloat undo --plan ${shellLineWord(order)}`) : null;
  const conflicts = all.flatMap(({ settled }) => settled?.conflicts ?? []);
  const failed = all.flatMap(({ session, error }) => (error ? [{ session: session.id, error }] : []));
  await context.out.result({
    command: "settle",
    json: {
      plan: planJson(all, isChanged ? order : null),
      done: isDone && failed.length === 0,
      conflicts: conflicts.map(conflictJson),
      commit: null,
      commits: all.flatMap(({ session: { id, workspace }, settled }) =>
        settled && settled.commit !== null ? [{ session: id, workspace, commit: settled.commit }] : [],
      ),
      undo,
      failed: failed.map(({ session, error: { code, message, hint } }) => ({ session, code, message, hint })),
    },
    text: () => (kind === "declined" ? ["Nothing was changed."] : saidLines()),
  });
  if (kind === "declined" || failed.length > 0) return EXIT.failed;
  return isDone && conflicts.length > 0 ? EXIT.attention : EXIT.done;

  function saidLines(): string[] {
    return [
      ...linesOf(context, all),
      `${count(all.length, "session")} of this repository ${all.length === 1 ? "was" : "were"} unsettled.`,
      ...(undo === null ? [] : [context.out.style.dim(`All of it is taken back by: ${undo}`)]),
    ];
  }
}
