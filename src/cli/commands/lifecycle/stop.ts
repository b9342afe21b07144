/**
 * `stop ID`: asks the session to stop, and waits until it has. One whose owner is gone is finished at once, cause
 * `signal`; an agent whose supervisor is dead is ended by its own identity.
 */

import { recover } from "../../../app/recovery/recover.ts";
import { leftoversOf } from "../../../app/salvage/leftovers-of.ts";
import { type FoundSession, findSession, rowNow, summaryOf } from "../../../app/sessions/find-session.ts";
import { orderStop } from "../../../conversation/order-stop.ts";
import { RefloatError } from "../../../model/errors.ts";
import { endAgent, finishStopped, loneAgent } from "../../../recover/stop-session.ts";
import type { SessionSummary } from "../../../session/describe.ts";
import type { SessionRow } from "../../../store/contract/driver.ts";
import { isWorkflowSession } from "../../../workflow/claim-ids.ts";
import { sessionOf } from "../../../workflow/claim-owner.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { teller } from "../../context/tell.ts";
import { type CommandInput, textArgument, textOption, usage } from "../../grammar/options.ts";
import { parseDuration } from "../../grammar/parse-duration.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { leftoverLines } from "../../screen/leftover-lines.ts";
import { shortId } from "../../screen/short-id.ts";
import { count } from "../../screen/words.ts";

/** A drain takes 20 s by default, and the capture after it a while: longer than this is not normal. */
const WAIT_MS = 120_000;
const LOOK_AGAIN_MS = 100;
/** Processes on a screen; the JSON has them all. */
const MAX_LEFT = 5;
/** How often somebody who waits is told so. */
const TELL_EVERY_MS = 5000;

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const found = await findSession(context, textArgument(input, 0));
  const { row } = found;
  if (isWorkflowSession(row.id)) throw notASession(row);
  const store = found.store.raw;
  const typed = textOption(input, "wait");
  const waitMs = typed === null ? WAIT_MS : parseDuration("--wait", typed);
  const before = await summaryNow(found);
  if (before.state === "finished") return tell(context, found, before, { done: false, dropped: [] });
  const dropped = await orderStop(store, row.id, textOption(input, "reason") ?? "refloat stop");
  const agent = loneAgent(row);
  if (agent)
    await endAgent(agent, context.clock, (signal) =>
      context.out.narrate(`Its supervisor is gone: ${signal} to the agent itself, pid ${agent.pid} ...`),
    );
  else if (before.state === "live") await waitForEnd(context, found, waitMs);
  await recover({
    ...{ store, env: context.env, home: await context.home() },
    where: { kind: "session", row: await rowNow(found.store, row.id) },
    tell: teller(context),
  });
  const after = await summaryNow(found);
  if (after.state === "live")
    throw new RefloatError("E_NOT_STOPPED", { session: shortId(row.id), seconds: Math.round(waitMs / 1000) });
  if (after.state !== "finished") await finishStopped(store, row.id);
  return tell(context, found, await summaryNow(found), { done: true, dropped });
}

/** A state file's row, or a step's: nothing runs under it that could be stopped. */
function notASession({ id, claim: { owner } }: SessionRow): RefloatError {
  const holder = owner && sessionOf(owner);
  const instead = holder
    ? `the session that holds it: \`refloat stop ${holder.session}\`.`
    : `\`refloat claim break ${id} --reason WHY\` ends its claim.`;
  return usage(`${id} is a workflow's, and no session that runs: ${instead}`);
}

async function waitForEnd(context: Context, found: FoundSession, waitMs: number): Promise<void> {
  const { clock, out } = context;
  const fromMs = clock.monotonicMs();
  let toldMs = fromMs;
  out.narrate(`Asked ${shortId(found.row.id)} to stop ...`);
  while (clock.monotonicMs() - fromMs < waitMs) {
    if ((await summaryNow(found)).state !== "live") return;
    const nowMs = clock.monotonicMs();
    if (nowMs - toldMs >= TELL_EVERY_MS) {
      toldMs = nowMs;
      out.narrate(`... still running after ${count(Math.round((nowMs - fromMs) / 1000), "second")}`);
    }
    await clock.sleep(LOOK_AGAIN_MS);
  }
}

const summaryNow = async ({ store, row }: FoundSession): Promise<SessionSummary> =>
  summaryOf(store, await rowNow(store, row.id));

/** T1: what its agent started and left running is not stopped by this (S2), and is said. */
async function tell(
  context: Context,
  { store, row }: FoundSession,
  session: SessionSummary,
  { done, dropped }: { readonly done: boolean; readonly dropped: readonly string[] },
): Promise<CommandEnd> {
  const id = shortId(session.id);
  const root = typeof row.facts.workspace === "string" ? row.facts.workspace : context.place();
  const left = await leftoversOf(store, await rowNow(store, row.id), root, await context.home());
  const stopped =
    left.length === 0 ? `Session ${id} has stopped.` : `The agent of session ${id} has stopped.`;
  await context.out.result({
    command: "stop",
    json: {
      session: session.id,
      state: session.state,
      cause: session.cause,
      unsettled: session.unsettled,
      leftovers: left.map(({ startedAt, ...one }) => ({ ...one, started_at: startedAt })),
      dropped,
      done,
    },
    text: () => [
      done ? stopped : `Session ${id} has ended already.`,
      ...(dropped.length === 0
        ? []
        : [`What waited for it is not begun: ${count(dropped.length, "input")} dropped.`]),
      ...(left.length === 0
        ? []
        : [
            `${count(left.length, "process", "processes")} of it still ${left.length === 1 ? "runs" : "run"}, and may write:`,
            ...leftoverLines(left.slice(0, MAX_LEFT), context.out.columns),
            ...(left.some(({ kept }) => kept === null)
              ? [
                  context.out.typed(
                    `This stops what is plainly its own: refloat inspect ${id} --stop-leftovers`,
                  ),
                ]
              : []),
          ]),
      ...(session.unsettled
        ? [context.out.style.dim(context.out.typed(`What it left: refloat inspect ${id}`))]
        : []),
    ],
  });
  return EXIT.done;
}
