/** What commands that take something away are about: where, in which words, which refs with them. Pure. */
import { resolve } from "node:path";
import type { Destruction } from "./destructive.ts";

/** Where the commands stand, and the trees they name. Where nobody can tell, the call's own folder is what is left. */
export function placesInDanger(stands: string, found: readonly Destruction[]): readonly string[] {
  const places = found.flatMap(({ folders, places: named }) => {
    const folder = resolve(stands, ...(folders ?? []));
    return [folder, ...named.map((place) => resolve(folder, place))];
  });
  return [...new Set(places)];
}

/** What it names is what somebody looks for; more of it is in the call itself. */
const MAX_NAMED = 3;

const commandText = ({ what, places }: Destruction): string =>
  [what, ...places.slice(0, MAX_NAMED), ...(places.length > MAX_NAMED ? ["…"] : [])].join(" ");

/** As a list of captures shows it. */
export const commandsText = (found: readonly Destruction[]): string =>
  [...new Set(found.map(commandText))].join(", ");

/** More of them are in the call itself. */
const MAX_REFS = 20;

/** Refs that would go, and with them perhaps the only way to their commits. */
export const refsInDanger = (found: readonly Destruction[]): readonly string[] =>
  found
    .flatMap(({ branches, what }) => [
      ...branches.map((branch) => `refs/heads/${branch}`),
      ...(what === "git stash" ? ["refs/stash"] : []),
    ])
    .slice(0, MAX_REFS);

/** What is about to run, and where the refs are that it would take away: by that their commits are found again. */
export function noteBefore(
  found: readonly Destruction[],
  refs: readonly { readonly ref: string; readonly id: string }[],
): string {
  const whats = [...new Set(found.map(({ what }) => what))].join(", ");
  const named = refs.map(({ ref, id }) => `${ref} ${id}`).join(", ");
  return `before ${whats}${named === "" ? "" : ` (${named})`}`;
}
