/**
 * The groups of a manifest on a screen. Few are shown with their paths and reasons. Of many the first risky ones are, and every
 * other has a line of its own, so that none is pushed off the screen by worse ones: what can be kept is read there, too (S1, T1).
 * `inspect --all` shows each with everything.
 */
import type { Manifest, ManifestGroup } from "../../../model/manifest.ts";
import { withRemedy } from "../../../text/remedy-words.ts";
import { truncateMiddle, truncateToWidth } from "../../../text/width.ts";
import {
  changeText,
  groupLine,
  paintVerdict,
  VERDICTS,
  verdictCounts,
  whose,
} from "../../screen/group-text.ts";
import { hanging } from "../../screen/hanging.ts";
import type { Style } from "../../screen/style.ts";
import { count, oneLine } from "../../screen/words.ts";

/** So many are shown with paths and reasons: with the head and the end of the screen, about forty lines at the worst. */
const MAX_TOLD = 8;
/** Of more than that, so many of the risky ones: what must not be overlooked, and no more than half a screen. */
const MAX_TOLD_OF_MANY = 4;
/** Lines of one verdict. Fifty files an hour are left in an afternoon; of more, each verdict counts its own rest. */
const MAX_LINES = 200;
/** Paths of all groups together, of each at least the least: one group of twenty files has room for them. */
const PATHS_ROOM = 24;
const LEAST_PATHS = 4;
const MAX_REASONS = 3;
/** Lines of one reason: what speaks for or against a group should be read to its end. */
const MAX_WRAPPED = 3;
/** Beside a name in a reason. */
const SAID_COLUMNS = 24;

export interface GroupsScreen {
  readonly style: Style;
  readonly columns: number;
  /** Nothing is left out but what the manifest does not list. */
  readonly isAll: boolean;
}

export interface GroupsShown {
  readonly lines: readonly string[];
  /** There is more to see with --all. */
  readonly isCut: boolean;
}

export function groupsLines(
  screen: GroupsScreen,
  { groups, gaps, base }: Pick<Manifest, "groups" | "gaps" | "base">,
): GroupsShown {
  const than = base.head === null ? "is different" : "differs from HEAD";
  if (groups.length === 0)
    return { lines: ["", `Nothing ${gaps.length > 0 ? "else " : ""}${than}.`], isCut: false };
  if (!screen.isAll && groups.length > MAX_TOLD) return manyLines(screen, groups);
  const most = Math.max(LEAST_PATHS, Math.floor(PATHS_ROOM / groups.length));
  const told = groups.map((group) => toldGroup(screen, group, most));
  return { lines: told.flatMap(({ lines }) => ["", ...lines]), isCut: told.some(({ isCut }) => isCut) };
}

/** Each has at least its line. */
function manyLines(screen: GroupsScreen, groups: readonly ManifestGroup[]): GroupsShown {
  const { style, columns } = screen;
  const changes = groups.reduce((sum, one) => sum + one.changes.length + (one.left_out ?? 0), 0);
  const told = groups.filter(({ verdict }) => verdict === "risky").slice(0, MAX_TOLD_OF_MANY);
  const rest = groups.filter((group) => !told.includes(group));
  const owners = new Set(groups.map((group) => whose(group.changes)));
  const isOneOwner = owners.size === 1;
  const line = (group: ManifestGroup): string =>
    groupLine(style, group, { columns, whose: isOneOwner ? "" : whose(group.changes) });
  return {
    lines: [
      "",
      `${count(changes, "change")} in ${count(groups.length, "group")}${isOneOwner ? [...owners].join() : ""}: ${verdictCounts(groups)}`,
      ...told.flatMap((group) => ["", ...toldGroup(screen, group, LEAST_PATHS).lines]),
      "",
      ...VERDICTS.flatMap((verdict) => {
        const own = rest.filter((group) => group.verdict === verdict);
        const more = own.length - MAX_LINES;
        return [
          ...own.slice(0, MAX_LINES).map(line),
          ...(more > 0 ? [`${paintVerdict(style, verdict)}  and ${count(more, "more group")}`] : []),
        ];
      }),
    ],
    isCut: true,
  };
}

function toldGroup(screen: GroupsScreen, group: ManifestGroup, most: number): GroupsShown {
  const { style, columns, isAll } = screen;
  const { id, verdict, changes, reasons, left_out = 0 } = group;
  const total = changes.length + left_out;
  const paths = isAll ? changes : changes.slice(0, most);
  const said = isAll ? reasons : reasons.slice(0, MAX_REASONS);
  const more = total - paths.length;
  const wrapped = isAll ? Number.POSITIVE_INFINITY : MAX_WRAPPED;
  return {
    lines: [
      `${paintVerdict(style, verdict)}  ${style.bold(id)}  ${style.dim(`${count(total, "change")}${whose(changes)}`)}`,
      ...paths.map((change) => truncateMiddle(`  ${changeText(change)}`, columns)),
      ...(more > 0 ? [style.dim(`  and ${count(more, "more", "more")}`)] : []),
      ...said.flatMap((reason) => reasonLines(screen, withRemedy(reason), wrapped)),
    ],
    isCut: !isAll && (more > 0 || said.length < reasons.length),
  };
}

/** Where it shows, below what is said: places that the sentence does not name already. JSON has all of the evidence. */
const MAX_PLACES = 2;

export function reasonLines(
  { style, columns, isAll }: GroupsScreen,
  reason: { readonly message: string; readonly evidence: readonly string[] },
  wrapped: number,
): string[] {
  const message = oneLine(reason.message);
  const places = reason.evidence.map(oneLine).filter((text) => isPlace(text) && !isToldIn(message, text));
  const shown = (isAll ? places : places.slice(0, MAX_PLACES)).map((text) => besideName(message, text));
  const more = places.length - shown.length;
  return [
    ...hanging(`  - ${shortWords(message, columns)}`, "    ", columns, wrapped),
    ...shown.map((text) => truncateToWidth(`      ${shortWords(text, columns)}`, columns)),
    ...(more > 0 ? [`      and ${more} more`] : []),
  ].map(style.dim);
}

/** A file with what is in it, a line of one, or the command of a call; the name alone stands above. */
const isPlace = (text: string): boolean => PLACE.test(text) && !NO_PLACE.test(text);
const PLACE = /^(?:call )?[^\s:]+(?::\d+[: ]|: |:\d+$| (?:names|line \d+:) )/;
const NO_PLACE = /^(?:check|plan): /;

/** The name that the sentence has already is not said again: there is more room for what is said of it. */
function besideName(message: string, text: string): string {
  const [, name = "", line, rest = ""] = /^([^\s:]+)(?:(?::| line )(\d+))?: (.*)$/.exec(text) ?? [];
  if (name === "" || !message.includes(name)) return text;
  return line === undefined ? rest : `line ${line}: ${rest}`;
}

/** With its name or without it. */
function isToldIn(message: string, text: string): boolean {
  const [, rest = text] = /^[^\s:]+(?::\d+)?: (.*)$/.exec(text) ?? [];
  const said = message.toLowerCase();
  return [text, rest, text.replace(": ", " ")].some((one) => said.includes(one.toLowerCase()));
}

/** A long name must not push what is said of it off the screen. */
const shortWords = (text: string, columns: number): string =>
  text.replace(/\S{20,}/g, (word) => truncateMiddle(word, columns - SAID_COLUMNS));
