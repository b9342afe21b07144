/** The screen of `show`. Everything that came from a session is escaped on its way in (T3). */

import type { ClaimView } from "../../../app/sessions/claim-facts.ts";
import type { ShownSession } from "../../../app/sessions/show.ts";
import type { TimelineAttempt, TimelineCall, TimelineTurn } from "../../../app/sessions/timeline-fold.ts";
import type { BriefChild } from "../../../handoff/brief-facts.ts";
import { beforeWords } from "../../../text/before-words.ts";
import { shellLineWord } from "../../../text/escape.ts";
import { padToWidth, truncateToWidth } from "../../../text/width.ts";
import type { Context } from "../../context/context.ts";
import { callInputText } from "../../screen/call-text.ts";
import { factLines } from "../../screen/fact-lines.ts";
import { hanging } from "../../screen/hanging.ts";
import { stateText, statusText, statusWords, whyWords } from "../../screen/state-text.ts";
import { agoText, bytesText, count, oneLine, ordinal, shortTimeText, timeText } from "../../screen/words.ts";
import { livenessText, ownerText } from "./claim-words.ts";

export interface SessionScreen extends ShownSession {
  /** Its id as it can be typed. */
  readonly typedId: string;
}

/** What fits a few screens; JSON and `log` have the rest. */
const MAX_ATTEMPTS = 10;
const MAX_TURNS = 15;
const MAX_CALLS_PER_TURN = 12;
const MAX_CHILDREN = 10;
const MAX_OTHERS = 10;
const STATUS_COLUMNS = 17;

export function showLines(context: Context, shown: SessionScreen): string[] {
  const nowMs = context.clock.nowMs();
  return [
    ...headLines(context, shown, nowMs),
    ...attemptLines(context, shown, nowMs),
    ...turnLines(context, shown, nowMs),
    ...childLines(context, shown),
    ...queueLines(context, shown, nowMs),
    ...operationLines(context, shown),
    ...decisionLines(context, shown),
    ...noteLines(context, shown, nowMs),
    ...nextLines(shown).map((line) => context.out.style.dim(context.out.typed(line))),
  ];
}

function nextLines({ typedId, hasConversation, session, goesOn }: SessionScreen): string[] {
  const lines = [
    ...(hasConversation ? [`The conversation: refloat log ${shellLineWord(typedId)}`] : []),
    ...(session.suspended_for === undefined ||
    session.renewed_as !== undefined ||
    session.sent_to !== undefined
      ? []
      : [`To end its suspension: refloat lift ${shellLineWord(typedId)}`]),
    ...(goesOn ? [`To go on with it: refloat resume ${shellLineWord(typedId)}`] : []),
  ];
  return lines.length > 0 ? ["", ...lines] : [];
}

function headLines(
  { out }: Context,
  { session, claim, hooks, commits }: SessionScreen,
  nowMs: number,
): string[] {
  const started = session.started_at === null ? null : Date.parse(session.started_at);
  const named = session.name === null ? "" : ` (${oneLine(session.name)})`;
  const ends = session.dirty_ends > 0 ? `, ${count(session.dirty_ends, "end")} without saying so` : "";
  const goal = session.goal === null ? [] : [["goal", oneLine(session.goal.slice(0, 500))] as const];
  const held = claim.owner ? `${ownerText(claim)}: ${livenessText(claim, nowMs)}` : "nobody holds it";
  const cause = session.cause === null ? "" : `, cause ${oneLine(session.cause)}`;
  return factLines(out, [
    ["session", `${out.style.bold(oneLine(session.id))}${named}`],
    ["state", `${stateText(out.style, session.state)}${cause}; ${ordinal(session.last_attempt)} try${ends}`],
    ...(session.sent_to === undefined ? [] : [["sent to", oneLine(session.sent_to)] as const]),
    ...(session.suspended_for === undefined || session.sent_to !== undefined
      ? []
      : [["suspended", oneLine(session.suspended_for)] as const]),
    ...(session.renewed_as === undefined ? [] : [["begun anew", oneLine(session.renewed_as)] as const]),
    ...(session.continues === undefined ? [] : [["goes on from", oneLine(session.continues)] as const]),
    ...(session.unsettled ? [["left", "uncommitted changes of its own, unsettled"] as const] : []),
    ...goal,
    ["agent", oneLine(session.agent ?? "-")],
    ["workspace", oneLine(session.workspace ?? "-")],
    ...(session.moved_from === undefined
      ? []
      : [["moved", `read afterwards; the folder was at ${oneLine(session.moved_from)}`] as const]),
    ["started", started === null ? "-" : `${timeText(started)}, ${agoText(started, nowMs)}`],
    ["claim", held],
    ...(session.seen_by === undefined ? [] : [["seen by", session.seen_by.join(", ")] as const]),
    ...(commits === null ? [] : [["commits", commitWords(commits)] as const]),
    ...(hooks === null ? [] : hookRows(hooks, nowMs, out.typed)),
  ]);
}

function commitWords({ head, commits, bytes, left_out }: NonNullable<SessionScreen["commits"]>): string {
  const kept =
    commits === 0 || head === null
      ? "none kept"
      : `${count(commits, "commit")} that no remote has, kept up to ${head.slice(0, 12)} (${bytesText(bytes)})`;
  return left_out === null ? kept : `${kept}; later ones are not: ${oneLine(left_out)}`;
}

function hookRows(
  { last_event, at, in_calls }: NonNullable<SessionScreen["hooks"]>,
  nowMs: number,
  typed: (text: string) => string,
): readonly (readonly [string, string])[] {
  return [
    ["last hook", `${oneLine(last_event)}, ${agoText(Date.parse(at), nowMs)}`],
    ...in_calls.flatMap(({ tool, input, before }) => [
      ["in the call", `${oneLine(tool)} ${oneLine(input)}`] as const,
      ...(before === undefined ? [] : [["", typed(beforeWords(before))] as const]),
    ]),
  ];
}

function attemptLines(
  context: Context,
  { timeline, claim, isOfGateway }: SessionScreen,
  nowMs: number,
): string[] {
  const { attempts } = timeline;
  const shown = attempts.slice(-MAX_ATTEMPTS);
  const numbered = (n: number): string => padToWidth(isOfGateway ? `${n}.` : ordinal(n), 4);
  return section(context, isOfGateway ? "Claims" : "Tries", attempts.length - shown.length, [
    ...shown.map((attempt, i) => {
      const who = whoText(attempt);
      const reason = attempt.reason === null ? "" : ` (${oneLine(attempt.reason)})`;
      const why = `${whyWords(attempt.why)}${reason}`;
      const end = attemptEnd(attempt, shown[i + 1] ?? null, claim, nowMs);
      return `${numbered(attempt.attempt)}  ${shortTimeText(Date.parse(attempt.at), nowMs)}  ${who}; ${why}; ${end}`;
    }),
  ]);
}

const whoText = ({ label, pid, read_afterwards }: TimelineAttempt): string =>
  `${oneLine(label ?? "a process")}${read_afterwards ? ", read from its transcript" : `, pid ${pid ?? "?"}`}`;

function attemptEnd(
  attempt: TimelineAttempt,
  next: TimelineAttempt | null,
  claim: ClaimView,
  nowMs: number,
): string {
  const ended = attempt.ended_at === null ? null : shortTimeText(Date.parse(attempt.ended_at), nowMs);
  if (ended !== null) return attempt.read_afterwards ? `last heard of ${ended}` : `ended ${ended}`;
  if (next === null && claim.held) return "goes on";
  return "ended without saying so";
}

/** How each stands, where it worked and how it is gone on with; what is judged of its work is in `inspect`. */
function childLines(context: Context, { children }: SessionScreen): string[] {
  const { columns } = context.out;
  const lines = children.slice(-MAX_CHILDREN).flatMap((child) => {
    const where = child.worktree === undefined ? "" : `, in ${oneLine(child.worktree)}`;
    const name = oneLine(child.label === "" ? (child.id ?? "") : child.label);
    const words = child.resume_words;
    return [
      `${padToWidth(CHILD_STATES[child.state], STATUS_COLUMNS)}  ${name}${where}`,
      ...(words === null
        ? []
        : hanging(oneLine(words), "", columns - STATUS_COLUMNS - 6).map(
            (line) => " ".repeat(STATUS_COLUMNS + 2) + line,
          )),
    ];
  });
  return section(context, "Subagents", children.length - MAX_CHILDREN, lines);
}

const CHILD_STATES: Readonly<Record<BriefChild["state"], string>> = {
  done: "done",
  failed: "failed",
  "half-done": "half-done",
  "no-result": "no result",
  "not-seen": "not begun",
};

function turnLines(context: Context, { timeline, session }: SessionScreen, nowMs: number): string[] {
  const { style } = context.out;
  const shown = timeline.turns.slice(-MAX_TURNS);
  const lines = shown.flatMap((turn) => {
    const outcome = turn.outcome ?? (session.state === "live" ? "running" : "interrupted");
    const said = turn.input === null ? style.dim("(no message)") : oneLine(turn.input.slice(0, 500));
    const calls = timeline.calls.filter((call) => call.turn === turn.id);
    const head = `${shortTimeText(Date.parse(turn.started_at), nowMs)}  ${statusCell(context, outcome)}${said}`;
    return [head, ...callLines(context, calls), ...saidLine(turn, style)];
  });
  return section(context, "Turns", timeline.turns.length - shown.length, lines, timeline.leftOut);
}

/** Its last words: `log` has all of them. */
function saidLine({ said }: TimelineTurn, style: Context["out"]["style"]): string[] {
  return said === null ? [] : [`${" ".repeat(10)}${style.dim("it said last: ")}${oneLine(said.slice(-500))}`];
}

function callLines(context: Context, calls: readonly TimelineCall[]): string[] {
  const shown = calls.slice(-MAX_CALLS_PER_TURN);
  const more = calls.length - shown.length;
  return [
    ...(more > 0 ? [`${" ".repeat(10)}${context.out.style.dim(`... ${count(more, "earlier call")}`)}`] : []),
    ...shown.flatMap((call) => {
      const what = `${oneLine(call.tool)}  ${context.out.style.dim(callInputText(call.input))}`;
      const head = `${" ".repeat(10)}${statusCell(context, call.failed && call.status === "done" ? "failed" : call.status)}${what}`;
      if (call.before === undefined) return [head];
      return [head, `${" ".repeat(12)}${context.out.typed(beforeWords(call.before))}`];
    }),
  ];
}

function statusCell(context: Context, status: string): string {
  const words = statusWords(status);
  return (
    statusText(context.out.style, status, words) + " ".repeat(Math.max(1, STATUS_COLUMNS + 2 - words.length))
  );
}

function queueLines(context: Context, { timeline }: SessionScreen, nowMs: number): string[] {
  const shown = timeline.queue.slice(0, MAX_OTHERS);
  const lines = shown.map(({ at, text, from }) => {
    const source = from === null ? "" : ` ${context.out.style.dim(`from ${oneLine(from)}`)}`;
    return `${shortTimeText(Date.parse(at), nowMs)}  ${oneLine((text ?? "(no text)").slice(0, 500))}${source}`;
  });
  return section(context, "Waiting in the queue", timeline.queue.length - shown.length, lines);
}

function operationLines(context: Context, { timeline }: SessionScreen): string[] {
  const shown = timeline.operations.slice(-MAX_OTHERS);
  const lines = shown.map(({ state, label, paths }) => {
    const where = paths && paths.length > 0 ? context.out.style.dim(`  ${oneLine(paths.join(" "))}`) : "";
    return `${padToWidth(state, 7)}  ${oneLine(label)}${where}`;
  });
  return section(context, "Operations", timeline.operations.length - shown.length, lines);
}

function decisionLines(context: Context, { timeline }: SessionScreen): string[] {
  const shown = timeline.decisions.slice(-MAX_OTHERS);
  const lines = shown.map(({ key, value, reason }) => {
    const said = typeof value === "string" ? value : JSON.stringify(value);
    const why = reason === null ? "" : context.out.style.dim(`  because ${oneLine(reason)}`);
    return `${oneLine(key)} = ${oneLine(said.slice(0, 500))}${why}`;
  });
  return section(context, "Decisions", timeline.decisions.length - shown.length, lines);
}

function noteLines(context: Context, { timeline }: SessionScreen, nowMs: number): string[] {
  const shown = timeline.notes.slice(-MAX_OTHERS);
  const lines = shown.map(({ at, text }) => `${shortTimeText(Date.parse(at), nowMs)}  ${oneLine(text)}`);
  return section(context, "Noted", timeline.notes.length - shown.length, lines);
}

/** A titled part, or nothing; says what it left out. Lines are cut to the screen. */
function section(
  { out }: Context,
  title: string,
  more: number,
  lines: readonly string[],
  isOlderLeftOut = false,
): string[] {
  if (lines.length === 0) return [];
  const left =
    more > 0 || isOlderLeftOut ? out.style.dim(`  ${more > 0 ? more : "some"} earlier left out`) : "";
  return [
    "",
    `${out.style.bold(title)}${left}`,
    ...lines.map((line) => `  ${truncateToWidth(line, out.columns - 2)}`),
  ];
}
