/**
 * The manifest on one screen, the worst first, however large the mess: so many groups, so many paths and reasons of each,
 * and a count of the rest. All text from outside is made harmless (T3).
 */

import type { Json } from "../model/json.ts";
import type { Manifest, ManifestGroup } from "../model/manifest.ts";
import { CAUSE_WORDS, causeFrom } from "../session/causes.ts";
import { truncateMiddle, truncateToWidth } from "../text/width.ts";
import { callInputText } from "./call-text.ts";
import type { Context } from "./context.ts";
import { changeText, paintVerdict, shownName, whose } from "./group-text.ts";
import { hanging } from "./hanging.ts";
import { missingLines } from "./missing-lines.ts";
import { shortId } from "./short-id.ts";
import type { Style } from "./style.ts";
import { count, oneLine, ordinal } from "./words.ts";

/** With the head and the end of the screen, about forty lines at the worst. */
const MAX_GROUPS = 8;
const MAX_PATHS = 4;
const MAX_REASONS = 2;
const MAX_SAID_LINES = 3;
const MAX_OPEN = 3;
/** Lines of one reason: what a session said is cut, what speaks for or against a group should be read to its end. */
const MAX_WRAPPED = 2;
/** Beside a name in a reason. */
const SAID_COLUMNS = 24;
/** Of a commit's id, as everywhere on screens. */
const SHOWN_ID_CHARS = 12;

/** What is known before anything is judged: who it was, what it said, what it left open. */
export function toldLines({ out: { style, columns } }: Context, manifest: Manifest): string[] {
  return [...headLines(style, manifest, columns), ...openLines(style, manifest, columns)];
}

/** What follows: the groups with their verdicts, and what to do. */
export function judgedLines({ out: { style, columns } }: Context, manifest: Manifest): string[] {
  const clip = (line: string): string => truncateToWidth(line, columns);
  return [
    ...(manifest.moving ? [style.yellow("Something still writes here.")] : []),
    ...groupsLines(style, manifest, columns),
    ...gapLines(style, manifest, clip),
    ...endLines(style, manifest),
  ];
}

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
    ...heldLines(manifest, columns).map(yellow),
    ...(goal === null ? [] : [clip(`Goal: ${oneLine(goal)}`)]),
    ...(said.length > 0 ? [dim("It said last:")] : []),
    ...said.slice(-MAX_SAID_LINES).map((line) => dim(clip(`  ${oneLine(line)}`))),
    ...manifest.claims_contradicted.flatMap(({ said: words, evidence }) =>
      hanging(`It said "${oneLine(words)}", but ${oneLine(evidence)}.`, "  ", columns, MAX_WRAPPED).map(
        yellow,
      ),
    ),
  ];
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
  const cause = CAUSE_WORDS[causeFrom(session.cause)];
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

function openLines({ yellow, dim }: Style, manifest: Manifest, columns: number): string[] {
  const clip = (line: string): string => truncateToWidth(line, columns);
  const operations = manifest.operations.filter(({ state }) => state === "open");
  const calls = manifest.calls.filter(
    ({ status }) => status === "unknown-outcome" || status === "interrupted",
  );
  return [
    ...operations.slice(-MAX_OPEN).flatMap(({ label, paths }) => {
      const where = paths.length === 0 ? "" : ` (${oneLine(paths.join(", "))})`;
      return hanging(`Begun and never ended: ${oneLine(label)}${where}`, "  ", columns, MAX_WRAPPED).map(
        yellow,
      );
    }),
    ...calls
      .slice(-MAX_OPEN)
      .flatMap(({ tool, input, check }) => [
        yellow(clip(`May have happened: ${oneLine(tool)} ${callInputText(input as Json)}`)),
        ...(check === null ? [] : [dim(clip(`  to find out: ${oneLine(check)}`))]),
      ]),
    ...(manifest.leftovers.length > 0
      ? [yellow(`${count(manifest.leftovers.length, "process", "processes")} of it still running:`)]
      : []),
    ...manifest.leftovers.slice(0, MAX_OPEN).map(({ pid, command }) => clip(`  ${pid}  ${oneLine(command)}`)),
  ];
}

/** What nobody looked into is not "nothing" (W4, T1). */
function gapLines({ yellow, dim }: Style, { gaps, groups, session }: Manifest, clip: Clip): string[] {
  if (gaps.length === 0) return [];
  const isOwn = groups.some(({ changes }) => changes.some(({ owner }) => owner === "session"));
  const rest = gaps.length - MAX_PATHS;
  return [
    "",
    yellow("Not looked into, so nothing is said of it:"),
    ...gaps.slice(0, MAX_PATHS).map((gap) => clip(`  ${shownName(gap)}: ${oneLine(gap.why)}`)),
    ...(rest > 0 ? [dim(`  and ${rest} more (--json has them)`)] : []),
    // No group holds it, so no command settles it.
    ...(session.unsettled && !isOwn
      ? [dim(clip("  Settled once git lists it no more: commit inside it, remove or ignore it."))]
      : []),
  ];
}

function groupsLines(style: Style, { groups, gaps, base }: Manifest, columns: number): string[] {
  const than = base.head === null ? "is different" : "differs from HEAD";
  if (groups.length === 0) return ["", `Nothing ${gaps.length > 0 ? "else " : ""}${than}.`];
  const shown = groups.slice(0, MAX_GROUPS);
  const rest = groups.slice(MAX_GROUPS);
  const counted = (["risky", "unknown", "safe"] as const).flatMap((verdict) => {
    const n = rest.filter((group) => group.verdict === verdict).length;
    return n > 0 ? [`${n} ${verdict}`] : [];
  });
  return [
    ...shown.flatMap((group) => ["", ...groupLines(style, group, columns)]),
    ...(rest.length > 0
      ? ["", style.dim(`and ${count(rest.length, "more group")}: ${counted.join(", ")} (--json has them)`)]
      : []),
  ];
}

function groupLines(
  style: Style,
  { id, verdict, changes, reasons, left_out = 0 }: ManifestGroup,
  columns: number,
): string[] {
  const { dim, bold } = style;
  const total = changes.length + left_out;
  const more = total - Math.min(total, MAX_PATHS);
  return [
    `${paintVerdict(style, verdict)}  ${bold(id)}  ${dim(`${count(total, "change")}${whose(changes)}`)}`,
    ...changes.slice(0, MAX_PATHS).map((change) => truncateMiddle(`  ${changeText(change)}`, columns)),
    ...(more > 0 ? [dim(`  and ${count(more, "more", "more")}`)] : []),
    ...reasons
      .slice(0, MAX_REASONS)
      .flatMap(({ message }) =>
        hanging(`  - ${shortWords(oneLine(message), columns)}`, "    ", columns, MAX_WRAPPED).map(dim),
      ),
  ];
}

/** A long name must not push what is said of it off the screen. */
const shortWords = (text: string, columns: number): string =>
  text.replace(/\S{20,}/g, (word) => truncateMiddle(word, columns - SAID_COLUMNS));

/** Never cut: a command without its end is another one (T6). */
function endLines({ dim, bold }: Style, { next }: Manifest): string[] {
  if (next.length === 0) return [];
  return ["", dim("Next:"), ...next.map((command) => `  ${bold(command)}`)];
}
