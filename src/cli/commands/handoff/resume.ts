/**
 * `resume [ID] [--all] [--agent A] [--print] [--recreate]`: goes on with a session that was cut off. What died is recovered, what is
 * different is shown, and the agent is started again in the same session, as its next try, with the brief. A call that
 * may have happened is never run again by us (C4). From the start on the exit code is the agent's, as with `run`.
 */

import { finishOpenUnlessBusy } from "../../../app/acts/finish-open.ts";
import {
  type GivenHandoff,
  typedWithHandoff,
  withHandoff,
  writeHandoffFile,
} from "../../../app/handoff/brief-file.ts";
import { sessionsHere, workspaceHere } from "../../../app/place/workspace-here.ts";
import { recover } from "../../../app/recovery/recover.ts";
import { loopSignals } from "../../../app/run/loop-signals.ts";
import {
  assertResumable,
  commandOf,
  differencesNow,
  isFromElsewhere,
  placeOf,
} from "../../../app/run/resumable.ts";
import { findSession, summaryOf } from "../../../app/sessions/find-session.ts";
import type { RefloatStore } from "../../../app/store/open-store.ts";
import { RefloatError } from "../../../model/errors.ts";
import type { SessionId } from "../../../model/ids.ts";
import type { RecreateLook } from "../../../salvage/worktrees/gather-recreate.ts";
import type { SessionRow } from "../../../store/contract/driver.ts";
import type { Difference } from "../../../supervise/decide-resume.ts";
import { shellWord } from "../../../text/shell-word.ts";
import { usersSessions } from "../../../workflow/own-journal.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import { confirmed } from "../../context/confirm.ts";
import type { Context } from "../../context/context.ts";
import { teller } from "../../context/tell.ts";
import { type CommandInput, isSet, textArgument, textOption, usage } from "../../grammar/options.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { shortId } from "../../screen/short-id.ts";
import { oneLine } from "../../screen/words.ts";
import { orderFor } from "../run/run-order.ts";
import { runPlainly } from "../run/run-plainly.ts";
import { runSession } from "../run/run-session.ts";
import { heldAway, putBackForResume } from "./resume-held.ts";
import {
  assertMayGoOn,
  isLinkedTree,
  recreateJson,
  recreateLine,
  recreatePlan,
  removedHere,
} from "./resume-recreate.ts";

interface PreparedResume extends GivenHandoff {
  readonly row: SessionRow;
  readonly place: string;
  readonly differences: readonly Difference[];
  /** Its work tree would be brought back first. */
  readonly recreate?: RecreateLook;
  /** Its work is held and not in the tree: it would be put back first. */
  readonly isHeld?: boolean;
}

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const typed = textArgument(input, 0);
  if (typed !== null && isSet(input, "all")) throw usage("Name a session, or give --all.");
  const store = await context.findStore();
  // Where nothing was ever recorded there is no session of that name, and none to leave out (DESIGN 10).
  if (!store) throw new RefloatError("E_NO_SESSION", { what: typed ?? `of ${context.place()}` });
  const rows =
    typed === null && !isSet(input, "all") && isSet(input, "recreate")
      ? await removedHere(context, store)
      : await chosen(context, store, typed, isSet(input, "all"));
  if (isSet(input, "print")) return print(context, input, store, rows, typed !== null);
  const isOff = process.env.REFLOAT_OFF === "1";
  let ending: CommandEnd = EXIT.done;
  let unanswered: RefloatError | null = null;
  for (const row of rows) {
    try {
      const went = await (isOff ? goOnPlainly : goOn)(context, input, store, row, typed !== null);
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

/** Typed: that one. `--all`: every one that was cut off. Left out: the newest of this workspace that was. */
async function chosen(
  context: Context,
  store: RefloatStore,
  typed: string | null,
  isAll: boolean,
): Promise<SessionRow[]> {
  if (typed !== null) return [(await findSession(context, typed)).row];
  const here = isAll ? null : await workspaceHere(context, store);
  const rows = here ? await sessionsHere(store, here) : usersSessions(await store.raw.sessions({}));
  if (here && rows.length === 0)
    throw new RefloatError("E_NO_SESSION", { what: `of ${here.workspace.root}` });
  const known = await store.describe(rows);
  const continued = new Set(rows.map(({ facts }) => facts.continues));
  const cutOff = known.filter(({ id, state }) => state === "interrupted" && !continued.has(id));
  const wanted = isAll ? cutOff : cutOff.slice(0, 1);
  if (wanted.length === 0) throw new RefloatError("E_RESUME_NONE", { where: isAll ? "anywhere" : "here" });
  return wanted.flatMap(({ id }) => rows.find((row) => row.id === id) ?? []);
}

/** REFLOAT_OFF=1: its command as it was started, where it was, and nothing else: not recovered, not told, not recorded. */
async function goOnPlainly(
  context: Context,
  input: CommandInput,
  store: RefloatStore,
  row: SessionRow,
  isNamed: boolean,
): Promise<CommandEnd> {
  const place = placeOf(row);
  assertResumable(row, await summaryOf(store, row), await store.raw.sessions({}), isNamed);
  const command = await startedWith(input, store, row);
  if (!(await isWanted(context, { row, command, differences: [] }, await isForeign(input, store, row))))
    return EXIT.failed;
  process.chdir(place);
  return { code: await runPlainly(context, command) };
}

async function prepare(
  context: Context,
  input: CommandInput,
  store: RefloatStore,
  row: SessionRow,
  isNamed: boolean,
): Promise<PreparedResume> {
  const place = placeOf(row);
  process.chdir(place);
  const here = await workspaceHere(context, store);
  const rows = await sessionsHere(store, here);
  assertResumable(row, await summaryOf(store, row), rows, isNamed);
  const command = await startedWith(input, store, row);
  const name = typeof row.facts.name === "string" ? row.facts.name : row.id;
  const brief = await writeHandoffFile(
    store,
    { home: await context.home(), workspace: here.workspace.root, name },
    row,
  );
  return {
    row,
    place,
    ...withHandoff(command, brief),
    differences: await differencesNow(store, row, here.workspace),
  };
}

async function startedWith(
  input: CommandInput,
  store: RefloatStore,
  row: SessionRow,
): Promise<readonly string[]> {
  const other = textOption(input, "agent");
  return other === null ? commandOf(store, row) : [other];
}

/** What the user names himself is his, whoever's the session is. */
const isForeign = async (input: CommandInput, store: RefloatStore, row: SessionRow): Promise<boolean> =>
  textOption(input, "agent") === null && (await isFromElsewhere(store, row));

async function goOn(
  context: Context,
  input: CommandInput,
  store: RefloatStore,
  first: SessionRow,
  isNamed: boolean,
): Promise<CommandEnd> {
  await assertMayGoOn(store, first, isNamed);
  const row = await putBackForResume(context, input, store, first, isNamed);
  process.chdir(placeOf(row));
  const { workspace, place } = await workspaceHere(context, store);
  await finishOpenUnlessBusy({ store: store.raw, workspace, env: context.env }, teller(context));
  const tell = teller(context);
  await recover({
    ...{ store: store.raw, env: context.env, home: await context.home() },
    where: { kind: "workspace", workspace, place },
    stops: "resumed-session",
    tell: (news) => (news.kind === "recovery" ? undefined : tell(news)),
  });
  const now = await store.raw.session(row.id as SessionId);
  const prepared = await prepare(context, input, store, now ?? row, isNamed);
  for (const line of prepared.differences.map(differenceLine)) context.out.narrate(`refloat: ${line}`);
  if (!(await isWanted(context, prepared, await isForeign(input, store, now ?? row)))) return EXIT.failed;
  context.out.narrate(
    `refloat: goes on with session ${shortId(row.id)}: ${prepared.typed.map(shellWord).join(" ")}`,
  );
  const agent = textOption(input, "agent") ?? String(row.facts.agent ?? "");
  const order = {
    ...(await orderFor(context, prepared.command, agent)),
    typed: prepared.typed,
    childEnv: prepared.childEnv,
    resumes: row.id,
  };
  const signals = loopSignals();
  try {
    const { exitCode } = await runSession(context, order, signals.forSession());
    return { code: exitCode };
  } finally {
    signals.stop();
  }
}

/**
 * Another branch, or another history: nobody goes on there by accident. A command that was started elsewhere may be
 * somebody else's, and is shown as it would run: it needs a yes, and where nobody sits here the yes of --yes (T2).
 */
async function isWanted(
  context: Context,
  { row, command, differences }: Pick<PreparedResume, "row" | "command" | "differences">,
  isElsewhere: boolean,
): Promise<boolean> {
  const foreign = isElsewhere
    ? [
        `Session ${shortId(row.id)} was started elsewhere; this command came here with it:`,
        `  ${oneLine(command.map(shellWord).join(" "))}`,
      ]
    : [];
  const isGrave = differences.some((one) => one.isGrave);
  if (!isGrave && !isElsewhere) return true;
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

function differenceLine({ what, was, is }: Difference): string {
  const shown = (value: string | null): string => (value === null ? "none" : oneLine(value.slice(0, 60)));
  const words = { branch: "the branch", head: "HEAD", history: "the repository's first commit" }[what];
  return `${words} is not what it was: ${shown(was)} then, ${shown(is)} now`;
}

async function print(
  context: Context,
  input: CommandInput,
  store: RefloatStore,
  rows: readonly SessionRow[],
  isNamed: boolean,
): Promise<CommandEnd> {
  const all: PreparedResume[] = [];
  for (const row of rows) {
    const isRecreated = isSet(input, "recreate") && (await isLinkedTree(store, row));
    const recreate = isRecreated ? await recreatePlan(store, row, isNamed) : null;
    const away = recreate ? null : await heldAway(context, store, row);
    if (recreate) all.push(await unprepared(input, store, row, recreate));
    else if (away) all.push(await unputBack(input, store, row, away.workspace.root));
    else all.push(await prepare(context, input, store, row, isNamed));
  }
  await context.out.result({
    command: "resume",
    json: {
      sessions: all.map(({ row, place, command, childEnv, differences, recreate, isHeld }) => ({
        ...{ session: row.id, workspace: place, command, environment: childEnv, differences },
        ...(recreate ? { recreate: recreateJson(recreate) } : {}),
        ...(isHeld ? { held: true } : {}),
      })),
    },
    text: () => all.flatMap((one) => printLines(context, one)),
  });
  return EXIT.done;
}

/** Its brief cannot be written before its tree is there. */
async function unprepared(
  input: CommandInput,
  store: RefloatStore,
  row: SessionRow,
  recreate: RecreateLook,
): Promise<PreparedResume> {
  const command = await startedWith(input, store, row);
  return {
    row,
    place: recreate.facts.path,
    command,
    typed: command,
    childEnv: {},
    differences: [],
    recreate,
  };
}

/** Nor before its work is: it would tell of a tree that is another then. */
async function unputBack(
  input: CommandInput,
  store: RefloatStore,
  row: SessionRow,
  place: string,
): Promise<PreparedResume> {
  const command = await startedWith(input, store, row);
  return { row, place, command, typed: command, childEnv: {}, differences: [], isHeld: true };
}

function printLines({ out }: Context, prepared: PreparedResume): string[] {
  const { row, place, differences, recreate, isHeld } = prepared;
  return [
    `# session ${oneLine(row.id)}`,
    ...(recreate ? [recreateLine(recreate)] : []),
    ...(isHeld
      ? [
          out.typed(
            `# its work is held and not there; this puts it back first: refloat resume ${oneLine(row.id)} --recreate`,
          ),
        ]
      : []),
    ...differences.map((one) => `# ${differenceLine(one)}`),
    `cd ${oneLine(shellWord(place))} && ${oneLine(typedWithHandoff(prepared))}`,
  ];
}
