/**
 * `captures`: what is held of this workspace, newest first, also what an act held before it changed anything (`safety`). Reads
 * only; where there is no store there are none.
 */
import { type PlanOfCapture, planOfCapture } from "../../../acts/plans/acts-session.ts";
import { showOpen } from "../../../app/acts/finish-open.ts";
import { captureRows } from "../../../app/captures/capture-rows.ts";
import { sessionsHere, workspaceHere } from "../../../app/place/workspace-here.ts";
import type { Store } from "../../../store/store.ts";
import { withoutSecrets } from "../../../text/without-secrets.ts";
import { newestCaptures } from "../../../workspace/captures/captures.ts";
import type { TakenCapture } from "../../../workspace/captures/take-capture.ts";
import { cloneOf } from "../../../workspace/opening/workspace.ts";
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
  const store = await context.findStore();
  const here = await workspaceHere(context, store);
  await showOpen(store?.raw ?? null, here.workspace, teller(context));
  const rows = store ? await captureRows(store, here, await sessionsHere(store, here)) : [];
  // One more than is shown tells that there are more.
  const newest = store ? await newestCaptures(store.raw, rows, last + 1) : [];
  const hasMore = newest.length > last;
  const found = await withPlans(store?.raw ?? null, await withSafeNotes(newest.slice(0, last)));
  const clone = cloneOf(here.workspace);
  await context.out.result({
    command: "captures",
    json: {
      workspace: here.workspace.root,
      captures: found.map((taken) => captureJson(taken, clone)),
      ...(hasMore ? { more: true } : {}),
    },
    text: () =>
      found.length > 0
        ? [...listLines(context, found, clone), ...moreLines(context, hasMore, last)]
        : [
            `No captures of ${oneLine(here.workspace.root)}.`,
            context.out.typed("`refloat capture` takes one."),
          ],
  });
  return EXIT.done;
}

function moreLines({ out }: Context, hasMore: boolean, last: number): string[] {
  if (!hasMore) return [];
  const most = Math.min(MAX_LAST, last * MORE_TIMES);
  const hint = last < MAX_LAST ? `: refloat captures --last ${most}` : "";
  return [out.style.dim(out.typed(`There are older ones${hint}`))];
}

/** A note is the agent's or the user's own words (T4). */
async function withSafeNotes(found: readonly TakenCapture[]): Promise<TakenCapture[]> {
  const { value: notes } = await withoutSecrets(found.map(({ capture }) => capture.note));
  return found.map((taken, i) => ({ ...taken, capture: { ...taken.capture, note: notes[i] ?? null } }));
}

interface CaptureRow extends TakenCapture {
  /** Of one that an act took: the plan it belongs to. */
  readonly by: PlanOfCapture | null;
}

async function withPlans(store: Store | null, found: readonly TakenCapture[]): Promise<CaptureRow[]> {
  const listed: CaptureRow[] = [];
  for (const taken of found) listed.push({ ...taken, by: store && (await planOfCapture(store, taken)) });
  return listed;
}

function captureJson(
  { id, session, atMs, capture, by }: CaptureRow,
  clone: string | null,
): Record<string, unknown> {
  const { reason, note, how, partial, head, entries, gaps, workspace } = capture;
  return {
    id,
    at: new Date(atMs).toISOString(),
    session,
    reason,
    note,
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
      { title: "WHY" },
      { title: "HELD" },
      { title: "GAPS" },
      { title: "HEAD", shrinkTo: 8 },
      { title: "NOTE", shrinkTo: 8 },
    ],
    found.map((taken) => [
      shortId(taken.id, ids) + (isOther(taken) ? "*" : ""),
      agoText(taken.atMs, nowMs),
      taken.capture.reason,
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

/** Short of the word for it: "park 1a2b3c4d". */
const noteText = ({ capture: { note }, by }: CaptureRow): string =>
  by ? `before ${by.act} ${shortId(by.plan)}` : oneLine(note ?? "");

function headText({ capture: { head } }: TakenCapture): string {
  if (head === null) return "-";
  if (head.id === null) return `${oneLine(head.branch ?? "")} (no commit)`;
  return `${head.id.slice(0, 8)} ${head.branch === null ? "(detached)" : oneLine(head.branch)}`;
}
