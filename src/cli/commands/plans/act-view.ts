/** A plan and what came of it: as the contract's JSON, and as lines of a screen. */

import type { LeftAlone } from "../../../acts/compilers/put-back.ts";
import type { ActOutcome } from "../../../acts/plans/outcome.ts";
import type { CompiledAct } from "../../../app/acts/compiled-act.ts";
import {
  conflictsOf,
  pathsOf,
  splitsOf,
  toldCommits,
  toldConflicts,
  toldLeft,
  toldPlan,
} from "../../../app/acts/told-act.ts";
import type { WorkspaceHere } from "../../../app/place/workspace-here.ts";
import type { PathState } from "../../../model/path-state.ts";
import { shellLineWord, shellWord } from "../../../text/escape.ts";
import { shownPath } from "../../../text/shown-path.ts";
import { displayWidth, wrapToWidth } from "../../../text/width.ts";
import type { Context } from "../../context/context.ts";
import { shortId } from "../../screen/short-id.ts";
import { count, oneLine } from "../../screen/words.ts";
import { actNotes, actTitle, conflictWords, SHOWN_ID_CHARS, withoutText } from "./act-words.ts";
import { splitJson, splitLines } from "./split-groups.ts";

/** Lines of one kind on a screen; the JSON has them all. */
const MAX_SHOWN = 40;
const HANGING = "      ";

export interface ActView {
  /** The command's words joined by "-". */
  readonly command: string;
  /** Where it is done. */
  readonly here: WorkspaceHere;
  readonly compiled: CompiledAct;
  readonly outcome: ActOutcome;
  /** The reversing commit, once it is made (W2). */
  readonly commit: string | null;
  /** Commands in it as they can be typed where it is printed (T6). */
  readonly typed: (text: string) => string;
  /** There was nothing to do, and nothing stood in the way: it is as it was asked for. */
  readonly isNothing?: boolean;
}

export function actJson(view: ActView): Record<string, unknown> {
  const { compiled, outcome } = view;
  const isDone = outcome.kind === "done";
  return {
    plan: toldPlan(view),
    done: isDone || view.isNothing === true,
    conflicts: toldConflicts(view),
    commit: isDone ? view.commit : null,
    ...toldCommits(compiled),
    undo: isDone ? undoCommand(view, outcome.plan) : null,
    ...toldLeft(view),
    ...(compiled.groups ? { splits: splitsOf(view).map(splitJson) } : {}),
  };
}

const undoCommand = ({ compiled, typed }: ActView, plan: string): string =>
  typed(compiled.draft.act === "undo" ? "refloat redo" : `refloat undo --plan ${shellLineWord(plan)}`);

const wholeCommand = ({ compiled, typed }: ActView, group: string): string => {
  const { act, session } = compiled.draft;
  return typed(`refloat ${act}${session === null ? "" : ` ${shellWord(session)}`} --group ${group}`);
};

export const planLines = (context: Context, view: ActView): string[] =>
  fitted(context, allPlanLines(context, view));

export const doneLines = (context: Context, view: ActView): string[] =>
  fitted(context, allDoneLines(context, view));

/** What is too wide goes on below, further in; painted lines are short. */
function fitted({ out }: Context, lines: readonly string[]): string[] {
  return lines.flatMap((line) => {
    if (displayWidth(line) <= out.columns) return [line];
    // A command that is broken over two lines cannot be typed (T6).
    if (line.includes("refloat ")) return [line];
    const indent = /^ */.exec(line)?.[0] ?? "";
    const [first = "", ...rest] = wrapToWidth(line.trimStart(), out.columns - HANGING.length);
    return [`${indent}${first}`, ...rest.map((piece) => `${HANGING}${piece.trimStart()}`)];
  });
}

/** Of an act that changes no file: what it does all the same. */
function withoutPaths({ compiled, outcome }: ActView): string[] {
  const { paths, conflicts } = pathsOf(outcome);
  const without = withoutText(compiled);
  return without === null || paths.length + conflicts.length > 0 ? [] : [without];
}

function amount(view: ActView): string {
  const { paths, conflicts } = pathsOf(view.outcome);
  if (paths.length > 0) return `: ${count(paths.length, "path")}`;
  // A branch that moves is something; the notes say what.
  const isRef = (view.compiled.draft.refs ?? []).length > 0 && conflicts.length === 0;
  return isRef || withoutPaths(view).length > 0 ? "" : ": nothing to do";
}

function allPlanLines(context: Context, view: ActView): string[] {
  const { compiled, outcome } = view;
  const { paths } = pathsOf(outcome);
  const { bold } = context.out.style;
  const puts = new Map(compiled.draft.puts.map((put) => [put.path, put]));
  const shown = paths.slice(0, MAX_SHOWN).map(({ path }) => {
    const put = puts.get(path);
    return `  ${verb(put?.expect ?? null, put?.put ?? null)}  ${shownPath(path)}`;
  });
  return [
    `${bold(actTitle(compiled, context.clock.nowMs()))}${amount(view)}${paths.length > 0 ? "" : "."}`,
    ...withoutPaths(view),
    ...shown,
    ...more(paths.length),
    ...conflictLines(context, view),
    ...leftLines(context, compiled.leftAlone),
    ...splitLines(splitsOf(view), (group) => wholeCommand(view, group)),
    ...actNotes(compiled),
  ];
}

function allDoneLines(context: Context, view: ActView): string[] {
  const { compiled, outcome } = view;
  const { green, dim } = context.out.style;
  if (outcome.kind !== "done") return allPlanLines(context, view);
  return [
    `${green("Done.")} ${actTitle(compiled, context.clock.nowMs())}${amount(view)}.`,
    ...withoutPaths(view),
    ...conflictLines(context, view),
    ...leftLines(context, compiled.leftAlone),
    ...splitLines(splitsOf(view), null),
    ...actNotes(compiled),
    ...(view.commit === null ? [] : [`The reversing commit is ${view.commit.slice(0, SHOWN_ID_CHARS)}.`]),
    dim(`Taken back by: ${undoCommand(view, shortId(outcome.plan))}`),
  ];
}

function verb(now: PathState, put: PathState): string {
  const word = put === null ? "remove" : now === null ? "bring back" : "put back";
  return word.padEnd("bring back".length);
}

const more = (all: number): string[] =>
  all > MAX_SHOWN ? [`  and ${count(all - MAX_SHOWN, "more", "more")} (--json has them all)`] : [];

function conflictLines(context: Context, view: ActView): string[] {
  const conflicts = conflictsOf(view);
  if (conflicts.length === 0) return [];
  const { here, compiled } = view;
  const { stuck = [] } = compiled;
  const paths = conflicts.map(({ path }) => path);
  const said = conflictWords(compiled, here, paths).map(context.out.typed);
  const untouched = new Set([...stuck.map(({ group }) => group), ...pathsOf(view.outcome).untouched]);
  const { yellow } = context.out.style;
  const shown = conflicts.slice(0, MAX_SHOWN).map(({ path, expected, found, why }) => {
    const reason = why ?? `expected ${stateWord(expected)}, found ${stateWord(found)}`;
    return `  ${shownPath(path)}: ${oneLine(reason)}`;
  });
  const whole = `${count(untouched.size, "group")} left whole and untouched`;
  return [yellow(`In conflict, ${whole}:`), ...shown, ...more(conflicts.length), ...said];
}

export function leftLines(context: Context, left: readonly LeftAlone[]): string[] {
  if (left.length === 0) return [];
  const shown = left.slice(0, MAX_SHOWN).map(({ path, why }) => `  ${shownPath(path)}: ${oneLine(why)}`);
  return [context.out.style.dim("Left alone:"), ...shown, ...more(left.length)];
}

function stateWord(state: PathState): string {
  if (state === null) return "nothing";
  if (state.kind === "symlink") return `a symlink to ${state.target ?? "?"}`;
  if (state.kind !== "file") return `a ${state.kind}`;
  const mode = state.mode.toString(8).padStart(4, "0");
  return `a file ${mode} ${state.hash?.slice(0, 8) ?? "(not read)"}`;
}
