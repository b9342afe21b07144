/**
 * `resume [ID] [--all] [--agent A] [--print] [--recreate]`: goes on with a session that was cut off (app/run/resume.ts). From the
 * start on the exit code is the agent's, as with `run`.
 */
import { typedWithHandoff } from "../../../app/handoff/brief-file.ts";
import { loopSignals } from "../../../app/run/loop-signals.ts";
import {
  planResume,
  type ResumeFace,
  type ResumeOrder,
  type ResumePlan,
  type ResumeQuestion,
  resume,
  resumePlainly,
  sessionsToResume,
} from "../../../app/run/resume.ts";
import type { RefloatStore } from "../../../app/store/open-store.ts";
import { RefloatError } from "../../../model/errors.ts";
import { pathForDisplay } from "../../../model/path-name.ts";
import type { RecreateLook } from "../../../salvage/worktrees/gather-recreate.ts";
import type { SessionRow } from "../../../store/contract/driver.ts";
import { shellLineWord, shellWord } from "../../../text/escape.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import { confirmed, mayAct } from "../../context/confirm.ts";
import type { Context } from "../../context/context.ts";
import { type CommandInput, isSet, textArgument, textOption, usage } from "../../grammar/options.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { shortId } from "../../screen/short-id.ts";
import { count, oneLine } from "../../screen/words.ts";
import { putBackFirst } from "../plans/put-back-first.ts";
import { differenceLine, runFace } from "../run/run-face.ts";
import { plainly } from "../run/run-plainly.ts";

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const order: ResumeOrder = {
    named: textArgument(input, 0),
    isAll: isSet(input, "all"),
    isRecreated: isSet(input, "recreate"),
    agent: textOption(input, "agent"),
    acceptsOlder: isSet(input, "acceptOlder"),
    travel: { to: textOption(input, "to"), from: textOption(input, "from") },
    store: context.flags.store,
  };
  if (order.named !== null && order.isAll) throw usage("Name a session, or give --all.");
  const { to, from } = order.travel;
  if ((to !== null || from !== null) && order.isAll) throw usage("--to and --from are for one session.");
  if (from !== null && to === null) throw usage("Where the clone shall be: --to DIR.");
  const { store, rows } = await sessionsToResume(context, order);
  if (isSet(input, "print")) return print(context, store, rows, order);
  let ending: CommandEnd = EXIT.done;
  let unanswered: RefloatError | null = null;
  for (const row of rows) {
    try {
      const went = await goOn(context, store, row, order);
      if (ending === EXIT.done) ending = went;
    } catch (thrown) {
      // With --all the others are not kept waiting for a yes that this one needs.
      if (!(thrown instanceof RefloatError) || thrown.code !== "E_NEEDS_YES") throw thrown;
      unanswered ??= thrown;
    }
  }
  if (unanswered) throw unanswered;
  return ending;
}

async function goOn(
  context: Context,
  store: RefloatStore,
  row: SessionRow,
  order: ResumeOrder,
): Promise<CommandEnd> {
  const face = resumeFace(context);
  const isOff = context.env.REFLOAT_OFF === "1";
  // Heard from when the agent is about to start: until then a signal ends the command as any other.
  let signals: ReturnType<typeof loopSignals> | null = null;
  const hear = () => {
    signals = loopSignals();
    return signals.forSession();
  };
  try {
    const outcome = await (isOff
      ? resumePlainly(store, row, order, face)
      : resume(context, store, row, order, face, hear));
    switch (outcome.kind) {
      case "refused-by-user":
        return EXIT.failed;
      case "plain":
        return { code: await plainly(context, outcome.command, outcome.place) };
      case "ran":
        return { code: outcome.exitCode };
      default:
        return outcome satisfies never;
    }
  } finally {
    (signals as ReturnType<typeof loopSignals> | null)?.stop();
  }
}

function resumeFace(context: Context): ResumeFace {
  return {
    run: runFace(context),
    mayAct: mayAct(context),
    ask: (question) => isWanted(context, question),
    putBack: (store, here, row, isTold) => putBackFirst(context, { store, here }, row, { isTold }),
  };
}

/** A command that was started elsewhere is shown as it would run: where nobody sits here it needs the yes of --yes (T2). */
async function isWanted(context: Context, question: ResumeQuestion): Promise<boolean> {
  const { row, command, differences, isElsewhere } = question;
  const foreign = isElsewhere
    ? [
        `Session ${shortId(row.id)} was started elsewhere; this command came here with it:`,
        `  ${oneLine(command.map(shellWord).join(" "))}`,
      ]
    : [];
  const isGrave = differences.some((one) => one.isGrave);
  if (context.flags.isYes) for (const line of foreign) context.out.narrate(`refloat: ${line}`);
  const json = { session: row.id, command, differences, elsewhere: isElsewhere };
  return confirmed(context, {
    json,
    text: () => [
      ...differences.map(differenceLine),
      ...foreign,
      ...(isGrave ? ["Go on there all the same?"] : ["Start it here?"]),
    ],
  });
}

async function print(
  context: Context,
  store: RefloatStore,
  rows: readonly SessionRow[],
  order: ResumeOrder,
): Promise<CommandEnd> {
  const all: ResumePlan[] = [];
  for (const row of rows) all.push(await planResume(context, store, row, order));
  await context.out.result({
    command: "resume",
    json: { sessions: all.map(planJson) },
    text: () => all.flatMap((one) => printLines(context, one)),
  });
  return EXIT.done;
}

const planJson = ({ row, place, command, childEnv, differences, first }: ResumePlan) => ({
  ...{ session: row.id, workspace: place, command, environment: childEnv, differences },
  ...(first?.kind === "recreate" ? { recreate: recreateJson(first.look) } : {}),
  ...(first?.kind === "put-back" ? { held: true } : {}),
  ...(first?.kind === "moves" ? { moves: true } : {}),
});

function printLines({ out }: Context, plan: ResumePlan): string[] {
  const { row, place, differences, first } = plan;
  return [
    `# session ${oneLine(row.id)}`,
    ...(first?.kind === "recreate" ? [recreateLine(first.look)] : []),
    ...(first?.kind === "put-back"
      ? [
          out.typed(
            `# its work is held and not there; this puts it back first: refloat resume ${shellLineWord(row.id)} --recreate`,
          ),
        ]
      : []),
    ...(first?.kind === "moves"
      ? [
          out.typed(
            `# its own clone is gone, and all that was done in it is there; this goes on there: refloat resume ${shellLineWord(row.id)} --recreate`,
          ),
        ]
      : []),
    ...differences.map((one) => `# ${differenceLine(one)}`),
    `cd ${shellLineWord(place)} && ${typedWithHandoff(plan)}`,
  ];
}

const recreateJson = ({ facts, captured }: RecreateLook): Record<string, unknown> => ({
  branch: facts.branch,
  head: facts.head,
  capture: facts.capture,
  paths: captured.reading.entries.length,
  gaps: captured.reading.gaps.map(({ path, detail }) => ({ path: pathForDisplay(path), why: detail })),
});

function recreateLine({ facts, captured }: RecreateLook): string {
  const where = facts.branch === null ? `detached at ${facts.head.slice(0, 12)}` : `on ${facts.branch}`;
  const files = count(captured.reading.entries.length, "path");
  return `# the work tree is gone; it would be brought back ${oneLine(where)}, with ${files} of capture ${shortId(facts.capture)}`;
}
