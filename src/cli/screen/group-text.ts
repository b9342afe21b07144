/** A group of a manifest in words: its verdict, whose it is, each change on a line. Text from outside is made harmless (T3). */
import type { ManifestChange, ManifestGroup, Verdict } from "../../model/manifest.ts";
import { type PathJson, pathFromJson } from "../../model/path-name.ts";
import { shownPath } from "../../text/shown-path.ts";
import { displayWidth, truncateMiddle, truncateToWidth } from "../../text/width.ts";
import type { Style } from "./style.ts";
import { count, oneLine } from "./words.ts";

export function paintVerdict({ red, yellow, green }: Style, verdict: Verdict): string {
  switch (verdict) {
    case "risky":
      return red("RISKY  ");
    case "unknown":
      return yellow("UNKNOWN");
    case "safe":
      return green("SAFE   ");
    default:
      return verdict satisfies never;
  }
}

/** Columns below which the beginning of a reason says nothing. */
const LEAST_REASON = 12;

export interface LineRoom {
  readonly columns: number;
  /** Before the id: in whose manifest it is, where there are several. */
  readonly of?: string;
  /** After the path: whose work it is. */
  readonly whose?: string;
}

/** A group on a line: its verdict, its id, its first path, and as much of the first reason as has room. */
export function groupLine(
  style: Style,
  { id, verdict, changes, reasons, left_out = 0 }: ManifestGroup,
  { columns, of = "", whose: owner = "" }: LineRoom,
): string {
  const lead = `${paintVerdict(style, verdict)}  ${of}${style.bold(id)}  `;
  const more = changes.length + left_out - 1;
  const rest = more > 0 ? ` and ${more} more` : "";
  const room = columns - displayWidth(lead) - rest.length;
  // The end of a name tells it from others.
  const path = changes[0] === undefined ? "?" : truncateMiddle(shownName(changes[0]), room);
  const named = `${lead}${path}${rest}${style.dim(owner)}`;
  const hasRoom = reasons[0] !== undefined && columns - displayWidth(named) >= LEAST_REASON;
  const why = hasRoom ? style.dim(`  ${oneLine(reasons[0]?.message ?? "")}`) : "";
  return truncateToWidth(`${named}${why}`, columns);
}

/** The worst first. */
export const VERDICTS: readonly Verdict[] = ["risky", "unknown", "safe"];

/** How many of each: "2 risky, 1 safe". */
export const verdictCounts = (groups: readonly { readonly verdict: Verdict }[]): string =>
  VERDICTS.flatMap((verdict) => {
    const n = groups.filter((group) => group.verdict === verdict).length;
    return n > 0 ? [`${n} ${verdict}`] : [];
  }).join(", ");

export function whose(changes: readonly ManifestChange[]): string {
  const first = changes[0];
  switch (first?.owner) {
    case "before":
      return ", there before the session";
    case "after":
      return ", came after its end";
    case "other":
      return `, of the session ${oneLine(first.owner_session ?? "?")}`;
    case "unknown":
      return ", nobody's";
    default:
      return "";
  }
}

export function changeText(change: ManifestChange): string {
  const { kind, from, to, members, members_left_out = 0 } = change;
  const was = from?.path === undefined ? "" : `${shownName({ ...from, path: from.path })} -> `;
  const inside = (members?.length ?? 0) + members_left_out;
  const type = kind === "type" ? `  ${from?.kind ?? "nothing"} -> ${to?.kind ?? "nothing"}` : "";
  return `${kind.padEnd(8)}  ${was}${shownName(change)}${type}${inside > 0 ? `, ${count(inside, "path")} in it` : ""}${change.staged ? ", staged" : ""}`;
}

/** The name of a file of a manifest, as it is shown everywhere. */
export const shownName = (named: PathJson): string => shownPath(pathFromJson(named));
