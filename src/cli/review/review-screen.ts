/**
 * The review's screens as lines, never more than fit: one group, a page of its lines or reasons, the plan. Pure. What is
 * too much for one screen is counted, and the key that shows it all is named. Text from outside is made harmless (T3).
 */
import type { ReviewChoice } from "../../app/salvage/review.ts";
import type { Manifest, ManifestGroup, ManifestReason } from "../../model/manifest.ts";
import type { SettleAct } from "../../salvage/settle/policy.ts";
import { withRemedy } from "../../text/remedy-words.ts";
import { truncateToWidth } from "../../text/width.ts";
import { stateWords } from "../commands/manifest/manifest-lines.ts";
import { changeText, paintVerdict, shownName, whose } from "../screen/group-text.ts";
import { hanging } from "../screen/hanging.ts";
import { shortId } from "../screen/short-id.ts";
import type { Style } from "../screen/style.ts";
import { count, oneLine, ordinal } from "../screen/words.ts";
import type { ReviewScreen, ReviewState } from "./review-state.ts";

export interface ScreenSize {
  readonly rows: number;
  readonly columns: number;
}

export interface GroupScreen {
  readonly manifest: Manifest;
  readonly group: ManifestGroup;
  readonly at: number;
  readonly total: number;
  readonly proposed: SettleAct;
  readonly policy: string;
  /** False: nothing ties it to the session, and no policy touches it. */
  readonly isOwn: boolean;
  readonly choice: ReviewChoice | null;
}

/** Of what the agent said and the workspace denies: the rest is in `inspect`. */
const MAX_DENIED = 2;
/** Paths that stay on the screen however many reasons there are. */
const MIN_PATHS = 3;
/** Evidence of one reason on a group's screen; the page of reasons has all of it. */
const MAX_EVIDENCE = 2;

const KEYS = [
  "d diff  r reasons  c commit  p park  x discard  l leave  u policy for the rest",
  "n next  b back  g all groups  e message  ? help  q quit, nothing done",
];
const LIST_KEYS = "arrows, space, G move  enter goes there  q goes back";
const PAGE_KEYS = "arrows, space, g, G move  q goes back";
const PLAN_KEYS = "b back  e message  ? help  q quit, nothing done";

export function groupScreen(style: Style, view: GroupScreen, state: ReviewState, size: ScreenSize): string[] {
  const head = headLines(style, view);
  const foot = ["", stateLine(style, view, state), ...keyLines(style, state.screen)];
  const room = Math.max(0, size.rows - head.length - foot.length);
  const body = bodyLines(style, view.group, room, size.columns);
  const padding = Array.from({ length: Math.max(0, room - body.length) }, () => "");
  return fitted([...head, ...body, ...padding, ...foot], size);
}

function headLines(style: Style, { manifest, group, at, total }: GroupScreen): string[] {
  const { bold, dim, yellow } = style;
  const { session, goal } = manifest;
  const changes = group.changes.length + (group.left_out ?? 0);
  const what = session.implied
    ? "No session was recorded here"
    : `Session ${shortId(session.id)} (${oneLine(session.agent ?? "?")}), ${ordinal(session.last_attempt)} try, ${stateWords(manifest)}`;
  const denied = manifest.claims_contradicted.slice(0, MAX_DENIED);
  return [
    `${paintVerdict(style, group.verdict)}  ${bold(group.id)}  ${count(changes, "change")}${whose(group.changes)}  ${dim(`${at + 1} of ${total}`)}`,
    dim(what),
    ...(goal === null ? [] : [dim(`Goal: ${oneLine(goal)}`)]),
    ...denied.map(({ said, evidence }) => yellow(`It said "${oneLine(said)}", but ${oneLine(evidence)}.`)),
    "",
  ];
}

function bodyLines(style: Style, group: ManifestGroup, room: number, columns: number): string[] {
  const paths = group.changes.map((change) => `  ${changeText(change)}`);
  const missing = group.left_out ?? 0;
  const reasons = group.reasons.flatMap((reason) =>
    reasonLines(style, withRemedy(reason), columns, MAX_EVIDENCE),
  );
  const forPaths = Math.max(MIN_PATHS + 1, room - 1 - reasons.length);
  const top = cut(style, paths, forPaths, missing, "r shows them");
  return [...top, "", ...cut(style, reasons, room - top.length - 1, 0, "r shows all of it")];
}

/** So many lines, the last of them saying how many more there are. */
function cut(
  { dim }: Style,
  lines: readonly string[],
  room: number,
  missing: number,
  where: string,
): string[] {
  if (lines.length <= room && missing === 0) return [...lines];
  const shown = lines.slice(0, Math.max(0, room - 1));
  return [...shown, dim(`  and ${count(lines.length - shown.length + missing, "more", "more")} (${where})`)];
}

function reasonLines(
  { dim }: Style,
  { rule, message, evidence }: ManifestReason,
  columns: number,
  most: number,
): string[] {
  const rest = evidence.length - most;
  return [
    ...hanging(`- ${oneLine(message)} [${oneLine(rule)}]`, "  ", columns),
    ...evidence.slice(0, most).flatMap((one) => hanging(`    ${oneLine(one)}`, "    ", columns).map(dim)),
    ...(rest > 0 ? [dim(`    and ${count(rest, "more", "more")}`)] : []),
  ];
}

/** Every reason with all of its evidence, and every path. */
export function reasonsPage(
  style: Style,
  group: ManifestGroup,
  columns: number,
  typed: (text: string) => string = (text) => text,
): string[] {
  const { bold, dim } = style;
  const missing = group.left_out ?? 0;
  return [
    bold("Reasons"),
    ...(group.reasons.length === 0 ? ["  None: nothing speaks for it or against it."] : []),
    ...group.reasons.flatMap((reason) =>
      reasonLines(style, withRemedy(reason), columns, reason.evidence.length),
    ),
    "",
    bold("Paths"),
    ...group.changes.flatMap((change) => [
      ...hanging(`  ${changeText(change)}`, "      ", columns),
      ...change.owner_evidence.map(({ message }) => dim(`      ${oneLine(message)}`)),
    ]),
    ...(missing > 0 ? [dim(typed(`  and ${count(missing, "more", "more")} (refloat diff HEAD now)`))] : []),
  ];
}

export function helpPage({ bold }: Style): string[] {
  return [
    bold("Each group is settled whole. Nothing is done before the plan at the end."),
    "",
    "  c  commit     into one commit with the others; a risky one asks once more",
    "  p  park       out of the tree, into the store; refloat unpark brings it back",
    "  x  discard    back to what was there before; asks once more",
    "  l  leave      stays as it is, and counts as settled",
    "  u  policy     the proposed act for every group nothing was chosen for yet",
    "",
    "  d  diff       the lines that would be committed, parked or discarded",
    "  r  reasons    in full, with all paths and whose they are",
    "  e  message    of the commit, in $GIT_EDITOR, $VISUAL or $EDITOR",
    "  n  next       without deciding",
    "  b  back       to the group before",
    "  g  groups     all of them in a list; enter goes to one",
    "  q  quit       nothing is changed, nothing is recorded",
    "",
    "At the end the plan is shown: y carries it out, and one refloat undo takes all",
    "of it back.",
  ];
}

export interface PageView {
  readonly title: string;
  readonly lines: readonly string[];
  /** Of a plan: `y` would carry it out. */
  readonly canAgree: boolean;
}

/** A page of any length: as much as fits from `top`, with where it is. */
export function pageScreen(
  style: Style,
  { title, lines, canAgree }: PageView,
  state: ReviewState,
  size: ScreenSize,
): string[] {
  const { screen, notice } = state;
  const top = screen.kind === "page" || screen.kind === "plan" ? screen.top : 0;
  const room = pageRows(size);
  const shown = lines.slice(top, top + room);
  const padding = Array.from({ length: Math.max(0, room - shown.length) }, () => "");
  const end = Math.min(lines.length, top + room);
  const where = lines.length > room ? style.dim(`  lines ${top + 1} to ${end} of ${lines.length}`) : "";
  const foot = notice === null ? "" : style.yellow(notice);
  return fitted(
    [`${style.bold(title)}${where}`, "", ...shown, ...padding, foot, ...keyLines(style, screen, canAgree)],
    size,
  );
}

export interface ListedGroup {
  readonly group: ManifestGroup;
  readonly choice: ReviewChoice | null;
}

/** Every group on a line, the one of the cursor among them. */
export function listScreen(
  style: Style,
  listed: readonly ListedGroup[],
  cursor: number,
  state: ReviewState,
  size: ScreenSize,
): string[] {
  const room = pageRows(size);
  const top = Math.max(0, Math.min(cursor - Math.floor(room / 2), listed.length - room));
  const shown = listed.slice(top, top + room).map((one, i) => listLine(style, one, top + i === cursor));
  const padding = Array.from({ length: Math.max(0, room - shown.length) }, () => "");
  const open = listed.filter(({ choice }) => choice === null).length;
  const title = `${count(listed.length, "group")}, ${open === 0 ? "all decided" : `${open} to decide`}`;
  return fitted(
    [`${style.bold(title)}`, "", ...shown, ...padding, "", ...keyLines(style, state.screen)],
    size,
  );
}

function listLine(style: Style, { group, choice }: ListedGroup, isAtCursor: boolean): string {
  const [first] = group.changes;
  const more = group.changes.length + (group.left_out ?? 0) - 1;
  const paths = `${first ? shownName(first) : ""}${more > 0 ? ` and ${more} more` : ""}`;
  const act = (choice === null ? "-" : choice.act).padEnd("discard".length);
  const line = `${isAtCursor ? ">" : " "} ${paintVerdict(style, group.verdict)}  ${act}  ${paths}`;
  return isAtCursor ? style.bold(line) : line;
}

/** Title and an empty line above, a notice and the keys below. */
export const pageRows = ({ rows }: ScreenSize): number => Math.max(1, rows - 4);

const ACT_WORDS: Readonly<Record<SettleAct, string>> = {
  commit: "commit",
  park: "park",
  discard: "discard",
  leave: "leave as it is",
};

function stateLine({ yellow, bold, dim }: Style, view: GroupScreen, { screen, notice }: ReviewState): string {
  if (screen.kind === "sure") {
    const key = screen.act === "commit" ? "c" : "x";
    const why = screen.act === "commit" ? "It is risky" : "Its changes leave the tree";
    return yellow(`${why}: ${key} once more to ${screen.act} it, any other key not to.`);
  }
  if (notice !== null) return yellow(notice);
  const { choice, proposed, policy, isOwn } = view;
  const who = choice?.by === "policy" ? "Left to the policy" : "You chose";
  const chosen = choice === null ? "" : `${who}: ${bold(ACT_WORDS[choice.act])}.  `;
  const proposal = `Proposed by the policy ${policy}: ${ACT_WORDS[proposed]}.`;
  return `${chosen}${dim(isOwn ? proposal : "Nothing ties it to the session: no policy touches it.")}`;
}

function keyLines({ cyan }: Style, screen: ReviewScreen, canAgree = false): string[] {
  switch (screen.kind) {
    case "page":
      return [cyan(PAGE_KEYS)];
    case "list":
      return [cyan(LIST_KEYS)];
    case "plan":
      return [cyan(`${canAgree ? "y do it  " : ""}${PLAN_KEYS}`)];
    default:
      return KEYS.map(cyan);
  }
}

/** The keys stay on the smallest screen: what is above them goes. */
function fitted(lines: readonly string[], { rows, columns }: ScreenSize): string[] {
  return lines.slice(-Math.max(1, rows)).map((line) => truncateToWidth(line, columns));
}
