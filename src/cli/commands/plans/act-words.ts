/** An act in words: what is done, what is said with it, and what becomes of what is in conflict. */
import { relative } from "node:path";
import type { CompiledAct, TakenCommit } from "../../../app/acts/compiled-act.ts";
import type { WorkspaceHere } from "../../../app/place/workspace-here.ts";
import type { PathName } from "../../../model/path-name.ts";
import { shellLineWord, shellWord } from "../../../text/escape.ts";
import { shownPath } from "../../../text/shown-path.ts";
import { missingLines } from "../../screen/missing-lines.ts";
import { shortId } from "../../screen/short-id.ts";
import { agoText, count, oneLine } from "../../screen/words.ts";

/** Of a commit's id, as everywhere on screens. */
export const SHOWN_ID_CHARS = 12;

/** The first line of the plan: "Put back what capture 7k2m holds". */
export function actTitle({ subject }: CompiledAct, nowMs: number): string {
  switch (subject.kind) {
    case "capture": {
      const note = subject.note === null ? "" : ` (${oneLine(subject.note)})`;
      return `Restore from capture ${shortId(subject.capture)}${note}, taken ${agoText(subject.atMs, nowMs)}`;
    }
    case "held": {
      const { session, capture, atMs } = subject;
      return `Put back what session ${shortId(session)} left, held by capture ${shortId(capture)} of ${agoText(atMs, nowMs)}`;
    }
    case "parked":
      return `Bring ${subject.name} back`;
    case "session":
      return `Discard changes of session ${shortId(subject.session)}`;
    case "plan": {
      const { act, id, atMs } = subject.act;
      return `${subject.what === "undo" ? "Undo" : "Redo"} ${act} ${shortId(id)} of ${agoText(atMs, nowMs)}`;
    }
    default:
      return subject satisfies never;
  }
}

export function actNotes({ subject, taken, reversal }: CompiledAct): string[] {
  switch (subject.kind) {
    case "capture":
      return subject.otherTree === null
        ? []
        : [`It was taken in another tree, ${oneLine(subject.otherTree)}: its history may differ.`];
    case "held":
      return subject.away === null
        ? []
        : [`It was done in ${oneLine(subject.away.path)}.`, ...missingLines(subject.away.missing)];
    case "parked":
      return subject.isUnstaged
        ? ["It was parked in another tree: what was staged of it is not staged here."]
        : [];
    case "session":
      return subject.clean === 0
        ? []
        : [
            `${count(subject.clean, "path goes", "paths go")} back to what HEAD has: git calls that unmodified.`,
          ];
    case "plan": {
      const stays =
        reversal &&
        `A new commit reverses ${reversal.reverses.slice(0, SHOWN_ID_CHARS)}, which stays: ${reversal.why}.`;
      const first = stays ?? (taken && goesText(taken));
      return [...(first === undefined ? [] : [first]), ...(taken ? againLines(taken) : [])];
    }
    default:
      return subject satisfies never;
  }
}

/** What becomes of the commit. */
function goesText({ kind, commit, ref }: TakenCommit): string {
  const branch = oneLine(ref.replace(/^refs\/heads\//, ""));
  const named = commit.slice(0, SHOWN_ID_CHARS);
  switch (kind) {
    case "again":
      return `The commit ${named} is on ${branch} again.`;
    case "branch-removed":
      return `The branch ${branch} is removed, and its commit ${named} with it.`;
    case "uncommitted":
      return `The commit ${named} is taken off ${branch}.`;
    default:
      return kind satisfies never;
  }
}

/** Paths named on the screen; the JSON has them all. */
const MAX_NAMED = 3;

function againLines({ kind, paths }: TakenCommit): string[] {
  if (kind === "again") return [];
  const shown = paths.slice(0, MAX_NAMED).map((path) => shownPath(path));
  const more = paths.length - shown.length;
  const list = `${shown.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
  return [`${count(paths.length, "path is", "paths are")} uncommitted again: ${list}`];
}

/** Where no path of the tree changes, instead of "nothing to do"; null: that is all there is to say. */
export function withoutText({ subject }: CompiledAct): string | null {
  if (subject.kind === "parked") return "Everything of it is there already: it is no longer parked.";
  if (subject.kind !== "plan" || subject.plan.refs.length > 0) return null;
  const { what, plan } = subject;
  if (plan.puts.length + plan.index.length > 0)
    return `No file changes: everything is as it was ${what === "undo" ? "before it" : "after it"} already.`;
  return `No file changes: what it noted ${what === "undo" ? "stands no more" : "stands again"}.`;
}

/** Said where something is in conflict: what becomes of it. */
export function conflictWords(
  { subject }: CompiledAct,
  here: WorkspaceHere,
  paths: readonly PathName[],
): string[] {
  if (subject.kind !== "plan") return [];
  const { what, plan } = subject;
  return [
    `What is in conflict stays as it is: \`refloat ${what}\` again takes it up once that is put away.`,
    ...(what === "undo" ? heldLines(here, plan, paths) : []),
  ];
}

/** Paths in one command: more are typed by whoever wants them. */
const MAX_HELD_PATHS = 3;

/** What would come back is to be had beside it, too: as a command that can be typed where it is printed (T6). */
function heldLines(
  { workspace, place }: WorkspaceHere,
  { capture, puts }: Extract<CompiledAct["subject"], { kind: "plan" }>["plan"],
  paths: readonly PathName[],
): string[] {
  const own = new Set(puts.map(({ path }) => path));
  const held = paths.filter((path) => own.has(path)).slice(0, MAX_HELD_PATHS);
  if (capture === null || held.length === 0) return [];
  const up = relative(place, workspace.root);
  const typed = held.map((path) => {
    const shown = shownPath((up === "" ? path : `${up}/${path}`) as PathName);
    return shown.startsWith("$") ? shown : shellWord(shown);
  });
  return [
    "What it would bring back is held:",
    `  refloat restore ${shellLineWord(shortId(capture))} ${typed.join(" ")}`,
  ];
}
