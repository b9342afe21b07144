/**
 * `captures`: what is held of this workspace, newest first, also what an act held before it changed anything (`safety`). Reads
 * only; where there is no store there are none.
 */

import type { CaptureRow } from "../../../app/captures/captures-here.ts";
import { capturesHere } from "../../../app/captures/captures-here.ts";
import type { TakenCapture } from "../../../workspace/captures/take-capture.ts";
import type { CommandEnd } from "../../context/command-spec.ts";
import type { Context } from "../../context/context.ts";
import { teller } from "../../context/tell.ts";
import { type CommandInput, countOption } from "../../grammar/options.ts";
import { EXIT } from "../../screen/exit-code.ts";
import { shortId } from "../../screen/short-id.ts";
import { tableLines } from "../../screen/table.ts";
import { agoText, oneLine } from "../../screen/words.ts";

const DEFAULT_LAST = 20;
const MAX_LAST = 500;
/** Who wants more than the newest looks for something further back. */
const MORE_TIMES = 5;

export async function run(context: Context, input: CommandInput): Promise<CommandEnd> {
  const last = countOption(input, "last", MAX_LAST) ?? DEFAULT_LAST;
  const { root, clone, captures: found, hasMore } = await capturesHere(context, last, teller(context));
  await context.out.result({
    command: "captures",
    json: {
      workspace: root,
      captures: found.map((taken) => captureJson(taken, clone)),
      ...(hasMore ? { more: true } : {}),
    },
    text: () =>
      found.length > 0
        ? [...listLines(context, found, clone), ...moreLines(context, hasMore, last)]
        : [`No captures of ${oneLine(root)}.`, context.out.typed("`refloat capture` takes one.")],
  });
  return EXIT.done;
}

function moreLines({ out }: Context, hasMore: boolean, last: number): string[] {
  if (!hasMore) return [];
  const most = Math.min(MAX_LAST, last * MORE_TIMES);
  const hint = last < MAX_LAST ? `: refloat captures --last ${most}` : "";
  return [out.style.dim(out.typed(`There are older ones${hint}`))];
}

function captureJson(
  { id, session, atMs, capture, by }: CaptureRow,
  clone: string | null,
): Record<string, unknown> {
  const { reason, note, before, how, partial, head, entries, gaps, workspace } = capture;
  return {
    id,
    at: new Date(atMs).toISOString(),
    session,
    reason,
    note,
    ...(before === undefined ? {} : { before }),
    ...(by ? { plan: by.plan } : {}),
    how,
    partial,
    head,
    held: entries.length,
    gaps: gaps.length,
    same_clone: workspace.clone === clone,
    root_commit: workspace.root_commit,
  };
}

function listLines(context: Context, found: readonly CaptureRow[], clone: string | null): string[] {
  const { style, columns } = context.out;
  const nowMs = context.clock.nowMs();
  const ids = found.map(({ id }) => id);
  const isOther = ({ capture }: TakenCapture): boolean => capture.workspace.clone !== clone;
  const lines = tableLines(
    [
      { title: "ID", paint: style.bold },
      { title: "TAKEN" },
      { title: "WHY", shrinkTo: 12 },
      { title: "HELD" },
      { title: "GAPS" },
      { title: "HEAD", shrinkTo: 8 },
      { title: "NOTE", shrinkTo: 8 },
    ],
    found.map((taken) => [
      shortId(taken.id, ids) + (isOther(taken) ? "*" : ""),
      agoText(taken.atMs, nowMs),
      whyText(taken),
      String(taken.capture.entries.length),
      taken.capture.partial ? String(taken.capture.gaps.length) : "-",
      headText(taken),
      noteText(taken),
    ]),
    columns,
    style.dim,
  );
  const note = "* of another clone that lay here: its history may differ";
  return found.some(isOther) ? [...lines, "", style.dim(note)] : lines;
}

/** What was about to take something away says more than that somebody took it. */
const whyText = ({ capture: { before, reason } }: TakenCapture): string =>
  before === undefined ? reason : `before ${oneLine(before)}`;

/** Short of the word for it: "park 1a2b3c4d". */
const noteText = ({ capture: { note, before }, by }: CaptureRow): string => {
  if (by) return `before ${by.act} ${shortId(by.plan)}`;
  // Of the command only what WHY does not say: where the branches were.
  return oneLine(before === undefined ? (note ?? "") : (note ?? "").replace(/^before [^(]*/, ""));
};

function headText({ capture: { head } }: TakenCapture): string {
  if (head === null) return "-";
  if (head.id === null) return `${oneLine(head.branch ?? "")} (no commit)`;
  return `${head.id.slice(0, 8)} ${head.branch === null ? "(detached)" : oneLine(head.branch)}`;
}
