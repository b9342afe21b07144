/**
 * The manifest on a screen, the worst first: who it was and what it left open, then the groups (groups-lines.ts). All text from
 * outside is made harmless (T3).
 */

import type { Json } from "../../../model/json.ts";
import type { Manifest } from "../../../model/manifest.ts";
import { beforeWords } from "../../../text/before-words.ts";
import { shellLineWord } from "../../../text/escape.ts";
import { soFarWords } from "../../../text/so-far-words.ts";
import { truncateToWidth } from "../../../text/width.ts";
import type { Context } from "../../context/context.ts";
import { callInputText } from "../../screen/call-text.ts";
import { shownName } from "../../screen/group-text.ts";
import { hanging } from "../../screen/hanging.ts";
import { leftoverLines } from "../../screen/leftover-lines.ts";
import { missingLines } from "../../screen/missing-lines.ts";
import { shortId } from "../../screen/short-id.ts";
import { endWords } from "../../screen/state-text.ts";
import type { Style } from "../../screen/style.ts";
import { count, oneLine, ordinal } from "../../screen/words.ts";
import { groupsLines } from "./groups-lines.ts";

const MAX_GAPS = 4;
const MAX_SAID_LINES = 3;
const MAX_OPEN = 3;
/** Lines of one sentence. */
const MAX_WRAPPED = 2;
/** Of a commit's id, as everywhere on screens. */
const SHOWN_ID_CHARS = 12;

/** What is known before anything is judged: who it was, what it said, what it left open. `isAll`: nothing is left out. */
export function toldLines({ out: { style, columns } }: Context, manifest: Manifest, isAll = false): string[] {
  return [...headLines(style, manifest, columns), ...openLines(style, manifest, columns, isAll)];
}

/** What follows: the groups with their verdicts, and what to do. `isAll`: nothing is left out. */
export function judgedLines({ out }: Context, manifest: Manifest, isAll = false): string[] {
  const { style, columns } = out;
  const clip = (line: string): string => truncateToWidth(line, columns);
  const groups = groupsLines({ style, columns, isAll }, manifest);
  const isCut = groups.isCut || (!isAll && (manifest.gaps.length > MAX_GAPS || isOpenCut(manifest)));
  return [
    ...(manifest.moving ? [style.yellow("Something still writes here.")] : []),
    ...groups.lines,
    ...gapLines(style, manifest, clip, isAll),
    ...(isCut ? ["", style.dim(out.typed(`All of it: ${allCommand(manifest)}`))] : []),
    ...endLines(style, manifest),
  ];
}

const allCommand = ({ session }: Manifest): string =>
  session.implied ? "refloat inspect --all" : `refloat inspect ${shellLineWord(shortId(session.id))} --all`;

type Clip = (line: string) => string;

function headLines({ bold, dim, yellow }: Style, manifest: Manifest, columns: number): string[] {
  const clip = (line: string): string => truncateToWidth(line, columns);
  const { session, goal, last_output, base } = manifest;
  const where = whereText(base);
  const isFolder = base.head === null && base.branch === null;
  const [lead, rest] = session.implied
    ? ["No session was recorded here", isFolder ? FOLDER_WORDS : `: what git and the tree tell, ${where}`]
    : [
        `Session ${shortId(session.id)}`,
        ` (${oneLine(session.agent ?? "?")}), ${ordinal(session.last_attempt)} try, ${stateWords(manifest)}, ${where}`,
      ];
  // Nothing of the first line may be cut off: it goes on in the next.
  const [first = "", ...more] = hanging(`${lead}${rest}`, "  ", columns);
  const said = last_output === null ? [] : last_output.split("\n").filter((line) => line.trim() !== "");
  return [
    first.startsWith(lead) ? bold(lead) + first.slice(lead.length) : first,
    ...more,
    ...movedLines(manifest, columns),
    ...heldLines(manifest, columns).map(yellow),
    ...(goal === null ? [] : [clip(`Goal: ${oneLine(goal)}`)]),
    ...planLines(manifest.plan ?? []).map(clip),
    ...(said.length > 0 ? [dim("It said last:")] : []),
    ...said.slice(-MAX_SAID_LINES).map((line) => dim(clip(`  ${oneLine(line)}`))),
    ...manifest.claims_contradicted.flatMap(({ said: words, evidence }) =>
      hanging(`It said "${oneLine(words)}", but ${oneLine(evidence)}.`, "  ", columns, MAX_WRAPPED).map(
        yellow,
      ),
    ),
  ];
}

/** What its own list leaves open, what it was at first: one line, as far as that goes. */
function planLines(plan: NonNullable<Manifest["plan"]>): string[] {
  const left = plan.filter(({ state }) => state !== "done");
  if (left.length === 0) return [];
  const named = ["doing", "open"].flatMap((state) => left.filter((item) => item.state === state));
  const texts = named.map(({ text }) => oneLine(text)).join("; ");
  return [`Left open in its plan (${left.length} of ${plan.length}): ${texts}`];
}

function movedLines({ session: { moved_from } }: Manifest, columns: number): string[] {
  if (moved_from === undefined) return [];
  return hanging(`Read afterwards; the folder was at ${oneLine(moved_from)}.`, "  ", columns);
}

/** W8: whoever looks into the tree for it would not find it. */
function heldLines({ held }: Manifest, columns: number): string[] {
  if (!held) return [];
  const where = `Its work is held, and not in this tree: it was done in ${oneLine(held.path)}.`;
  return [where, ...missingLines(held.missing_commits)].flatMap((line) => hanging(line, "  ", columns));
}

const FOLDER_WORDS = ", and there is no git to compare with: every file is listed";

/** Only a plain folder has neither: a branch without a commit has its name. */
function whereText({ head, branch }: Manifest["base"]): string {
  if (head === null) return branch === null ? "no git here" : `on ${oneLine(branch)}, no commit yet`;
  const at = head.slice(0, SHOWN_ID_CHARS);
  return branch === null ? `detached at ${at}` : `on ${oneLine(branch)} at ${at}`;
}

export function stateWords({ session }: Pick<Manifest, "session">): string {
  const cause = oneLine(endWords(session));
  switch (session.state) {
    case "live":
      return "live";
    case "interrupted":
      return `cut off: ${cause}`;
    case "suspended":
      return `suspended: ${cause}`;
    case "finished":
      return "finished";
    case "idle":
      return "idle";
    default:
      return session.state satisfies never;
  }
}

const openOperations = ({ operations }: Manifest): Manifest["operations"] =>
  operations.filter(({ state }) => state === "open");

const openCalls = ({ calls }: Manifest): Manifest["calls"] =>
  calls.filter(({ status }) => status === "unknown-outcome" || status === "interrupted");

const isOpenCut = (manifest: Manifest): boolean =>
  [openOperations(manifest), openCalls(manifest), manifest.leftovers].some(({ length }) => length > MAX_OPEN);

function openLines({ yellow, dim }: Style, manifest: Manifest, columns: number, isAll: boolean): string[] {
  const clip = (line: string): string => truncateToWidth(line, columns);
  const operations = openOperations(manifest);
  const calls = openCalls(manifest);
  const most = isAll ? Number.POSITIVE_INFINITY : MAX_OPEN;
  const rest = ({ length }: readonly unknown[]): string[] =>
    length > most ? [dim(`  and ${length - most} more`)] : [];
  return [
    ...operations.slice(-most).flatMap(({ label, paths, so_far }) => {
      const where = paths.length === 0 ? "" : ` (${oneLine(paths.join(", "))})`;
      const far = so_far ? [`  so far: ${soFarWords(so_far, oneLine)}`] : [];
      return [
        ...hanging(`Begun and never ended: ${oneLine(label)}${where}`, "  ", columns, MAX_WRAPPED).map(
          yellow,
        ),
        ...far.flatMap((line) => hanging(line, "    ", columns, MAX_WRAPPED)).map(dim),
      ];
    }),
    ...rest(operations),
    ...calls
      .slice(-most)
      .flatMap(({ tool, input, check, before }) => [
        yellow(clip(`May have happened: ${oneLine(tool)} ${callInputText(input as Json)}`)),
        ...(before === undefined ? [] : [dim(clip(`  ${beforeWords(before)}`))]),
        ...(check === null ? [] : [dim(clip(`  to find out: ${oneLine(check)}`))]),
      ]),
    ...rest(calls),
    ...(manifest.leftovers.length > 0
      ? [yellow(`${count(manifest.leftovers.length, "process", "processes")} of it still running:`)]
      : []),
    ...leftoverLines(manifest.leftovers.slice(0, most), columns),
    ...rest(manifest.leftovers),
  ];
}

/** What nobody looked into is not "nothing" (W4, T1). */
function gapLines(
  { yellow, dim }: Style,
  { gaps, groups, session }: Manifest,
  clip: Clip,
  isAll: boolean,
): string[] {
  if (gaps.length === 0) return [];
  const isOwn = groups.some(({ changes }) => changes.some(({ owner }) => owner === "session"));
  const shown = isAll ? gaps : gaps.slice(0, MAX_GAPS);
  const rest = gaps.length - shown.length;
  return [
    "",
    yellow("Not looked into, so nothing is said of it:"),
    ...shown.map((gap) => clip(`  ${shownName(gap)}: ${oneLine(gap.why)}`)),
    ...(rest > 0 ? [dim(`  and ${rest} more`)] : []),
    // No group holds it, so no command settles it.
    ...(session.unsettled && !isOwn
      ? [dim(clip("  Settled once git lists it no more: commit inside it, remove or ignore it."))]
      : []),
  ];
}

/** Never cut: a command without its end is another one (T6). */
function endLines({ dim, bold }: Style, { next }: Manifest): string[] {
  if (next.length === 0) return [];
  return ["", dim("Next:"), ...next.map((command) => `  ${bold(command)}`)];
}
