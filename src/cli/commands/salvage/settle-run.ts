/** What settle, commit, park and discard by group hand to `settle` (DESIGN 10), and what they say of what came of it. */
import type { HookMode } from "../../../acts/git/commit-hooks.ts";
import { settle } from "../../../app/salvage/settle.ts";
import {
  type EndedSettle,
  isSelected,
  type PlannedSettle,
  type SettleDecision,
  type SettleHow,
  type SettleRequest,
} from "../../../app/salvage/settle-order.ts";
import { saysLeft, toldSettle } from "../../../app/salvage/told-settle.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import { confirmed, mayAct } from "../../context/confirm.ts";
import type { Context } from "../../context/context.ts";
import { pathHere } from "../../context/path-here.ts";
import { type CommandInput, isSet, listOption, textOption, usage } from "../../grammar/options.ts";
import { canReview } from "../../review/can-review.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { asks } from "../plans/act.ts";
import { type SettleView, settleJson, settleLines } from "../plans/settle-view.ts";
import { salvageFace } from "./salvage-here.ts";

export interface TypedSettle {
  readonly does: SettleDecision;
  /** As it was typed; null: left out. */
  readonly session: string | null;
  readonly paths: readonly string[];
  /** Stops what dead attempts left running (S2). */
  readonly stopsLeftovers?: boolean;
  /** Only what ended operations left, and that while the session lives, too. */
  readonly isOfEnded?: boolean;
}

export async function runSettle(
  context: Context,
  input: CommandInput,
  typed: TypedSettle,
): Promise<CommandEnd> {
  const request = settleRequest(input, typed);
  return tell(context, input, request, await settle(context, settleHow(context, request), request));
}

export function settleRequest(input: CommandInput, typed: TypedSettle): SettleRequest {
  return {
    session: typed.session,
    does: typed.does,
    selection: selectionIn(input),
    paths: (here) => typed.paths.map((path) => pathHere(here, path)),
    isDryRun: isSet(input, "dryRun"),
    message: messageOption(input),
    branch: textOption(input, "branch"),
    hooks: (textOption(input, "hooks") ?? "scratch") as HookMode,
    acceptsHookChanges: isSet(input, "acceptHookChanges"),
    isLinking: isSet(input, "linkDeps"),
    isChecking: true,
    toleratesConfig: false,
    stops: typed.stopsLeftovers ? "dead-sessions" : null,
    isOfEnded: typed.isOfEnded ?? false,
    order: null,
    agreed: null,
  };
}

const selectionIn = (input: CommandInput): SettleRequest["selection"] => ({
  ids: listOption(input, "group"),
  isSafe: isSet(input, "safe"),
  isAll: isSet(input, "all"),
  isAdopted: isSet(input, "adopt"),
});

/** Git makes no commit without a message; who gives none gets one. */
function messageOption(input: CommandInput): string | null {
  const message = textOption(input, "message");
  if (message?.trim() === "") throw usage("The message is empty. Without -m there is one of the files.");
  return message;
}

export function settleHow(context: Context, { does }: SettleRequest): SettleHow {
  return {
    mayAct: mayAct(context),
    ask: async (planned) => {
      const view = viewOf(does, planned, false);
      const plan = { json: { ...toldSettle(view) }, text: () => settleLines(context, view) };
      return (await confirmed(context, plan)) ? "yes" : "no";
    },
    askPutBack: asks(context, "restore"),
    review: canReview(context, context.env)
      ? async (asked) => {
          const { reviewGroups } = await import("../../review/review-groups.ts");
          return reviewGroups({ context, ...asked });
        }
      : null,
    ...salvageFace(context),
  };
}

export const viewOf = (
  does: SettleDecision,
  { found, settled }: PlannedSettle,
  isDone: boolean,
): SettleView => ({
  found,
  settled,
  isDone,
  saysLeft: saysLeft(does, found),
});

async function tell(
  context: Context,
  input: CommandInput,
  { does }: SettleRequest,
  ended: EndedSettle,
): Promise<CommandEnd> {
  if (ended.kind === "signal") return { signal: ended.signal };
  const { kind, settled } = ended;
  const view = viewOf(does, ended, kind === "done" || kind === "nothing");
  await context.out.result({
    command: input.words.join("-"),
    json: settleJson(context, view),
    text: () => (kind === "declined" ? ["Nothing was changed."] : settleLines(context, view)),
  });
  if (kind === "declined") return EXIT.failed;
  return kind !== "planned" && settled.conflicts.length > 0 ? EXIT.attention : EXIT.done;
}

/** Nothing is acted on because somebody forgot to say what. */
export function assertSelected(input: CommandInput, paths: readonly string[], what: string): void {
  if (!isChosen(input, paths)) throw usage(`Say what to ${what}: --group G, --safe, --all, or paths.`);
}

export const isChosen = (input: CommandInput, paths: readonly string[]): boolean =>
  isSelected(selectionIn(input), paths);
