/** What a check was given of the dependencies, and what not (V3), for people and for programs. */
import { pathJson } from "../../model/path-name.ts";
import type { Dependencies } from "../../salvage/check/dependencies.ts";
import { shownPath } from "../../text/shown-path.ts";
import { oneLine } from "./words.ts";

/** A workspace of many packages has a folder in each: the first ones say it. */
const SHOWN = 3;

const HOW: Readonly<Record<Dependencies["how"], string>> = {
  "read-only": "dependencies, read-only",
  linked: "dependencies, linked: the check could write into them",
  none: "dependencies: none given",
};

export function dependencyLines({ how, given, withheld }: Dependencies): string[] {
  if (given.length + withheld.length === 0) return [];
  const lines = [`  ${HOW[how]}`, ...(given.length > 0 ? [`    ${named(given)}`] : [])];
  const whys = new Map<string, (typeof withheld)[number][]>();
  for (const one of withheld) whys.set(one.why, [...(whys.get(one.why) ?? []), one]);
  for (const [why, folders] of [...whys].slice(0, SHOWN)) {
    lines.push(`    not ${named(folders)}:`, `      ${oneLine(why)}`);
  }
  if (how === "none" && withheld.length > 0)
    lines.push("    --link-deps links what can be linked; the check can then write into it");
  return lines;
}

function named(folders: readonly Pick<Dependencies["withheld"][number], "path">[]): string {
  const names = folders.slice(0, SHOWN).map(({ path }) => shownPath(path));
  return names.join(", ") + (folders.length > SHOWN ? ` and ${folders.length - SHOWN} more` : "");
}

/** What lists of them hold in JSON. */
const LISTED = 200;

export const dependenciesJson = ({ how, given, withheld }: Dependencies): Record<string, unknown> => ({
  how,
  given: given.slice(0, LISTED).map(({ path }) => pathJson(path)),
  withheld: withheld.slice(0, LISTED).map(({ path, why }) => ({ ...pathJson(path), why })),
});
