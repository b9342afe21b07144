/** What commands that take something away are about: where, in which words, which refs with them. Pure. */
import { resolve } from "node:path";
import { placeInside } from "../../platform/places.ts";
import type { Destruction } from "./destructive.ts";

export interface PlacesInDanger {
  /** What it names. */
  readonly named: readonly string[];
  /** The same as it is written: the holder may have come to it by another way. */
  readonly written: readonly string[];
  /** Where it stands. Where nobody can tell, the call's own folder is what is left. */
  readonly folders: readonly string[];
  /** What a capture must have something of: what a command names, or where one stands that names nothing. */
  readonly meant: readonly string[];
  /** Something is in danger whose name only the shell knows. */
  readonly isUnclear: boolean;
}

export function placesInDanger(stands: string, found: readonly Destruction[]): PlacesInDanger {
  const each = found.map(({ folders, places }) => {
    const folder = resolve(stands, ...(folders ?? []));
    return { folder, named: places.map((place) => resolve(folder, place)) };
  });
  return {
    named: [...new Set(each.flatMap(({ named }) => named))],
    written: [...new Set(found.flatMap(({ places }) => places))],
    folders: [...new Set(each.map(({ folder }) => folder))],
    meant: [...new Set(each.flatMap(({ named, folder }) => (named.length > 0 ? named : [folder])))],
    isUnclear: found.some(({ takesIgnored }) => takesIgnored),
  };
}

/** By text alone: one of the two lies in the other. */
export const touches = (root: string, place: string): boolean =>
  placeInside(place, root) !== null || placeInside(root, place) !== null;

/** Those that hold something of what is named come first, then those of where it stands. */
export function byDanger<Held extends { readonly root: string }>(
  held: readonly Held[],
  { meant, folders }: PlacesInDanger,
): { readonly meant: readonly Held[]; readonly others: readonly Held[] } {
  const isMeant = ({ root }: Held): boolean => meant.some((place) => touches(root, place));
  const stands = ({ root }: Held): boolean => folders.some((place) => placeInside(root, place) !== null);
  const others = held.filter((one) => !isMeant(one));
  return {
    meant: held.filter(isMeant),
    others: [...others.filter(stands), ...others.filter((one) => !stands(one))],
  };
}

/** Of what was looked at and is not held, what the commands take away. */
export const lostOf = (
  unheld: readonly string[],
  { named, written, meant, folders, isUnclear }: PlacesInDanger,
): readonly string[] =>
  unheld.flatMap((text) => {
    const path = resolve(text);
    const isNamed =
      meant.includes(path) ||
      named.some((place) => placeInside(place, path) !== null) ||
      written.some((place) => text.endsWith(`/${place}`));
    return isNamed || (isUnclear && !folders.includes(path)) ? [path] : [];
  });

/** As many as somebody reads; the rest is in the call itself. */
const MAX_LOST = 20;

/** What is in no capture although it goes, in words: first what has no path. */
export function withoutOf(lost: readonly string[], found: readonly Destruction[]): string[] {
  const all = [...new Set([...found.flatMap(({ beyond }) => beyond), ...lost])];
  return all.length <= MAX_LOST ? all : [...all.slice(0, MAX_LOST), `${all.length - MAX_LOST} more`];
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
