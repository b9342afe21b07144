/** A group of a manifest in words: its verdict, whose it is, each change on a line. Text from outside is made harmless (T3). */
import type { ManifestChange, Verdict } from "../model/manifest.ts";
import { type PathJson, pathFromJson } from "../model/path-name.ts";
import { shownPath } from "../text/shown-path.ts";
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
