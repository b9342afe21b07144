/**
 * Where a command's places really are: who holds names trees by their real paths, and a link on the way would have a tree that is
 * far away taken for the one a command is about, or the other way round (T1). A link that is itself removed is an entry of where it lies.
 */
import { realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { PlacesInDanger } from "../../agents/commands/in-danger.ts";
import { errnoOf } from "../../platform/io-error.ts";

export function realPlaces(places: PlacesInDanger): PlacesInDanger {
  const folders = new Map(places.folders.map((folder) => [folder, realOf(folder)]));
  return {
    ...places,
    named: places.named.map(realEntry),
    folders: [...folders.values()],
    meant: places.meant.map((place) => folders.get(place) ?? realEntry(place)),
  };
}

const realEntry = (path: string): string =>
  dirname(path) === path ? path : join(realOf(dirname(path)), basename(path));

/** As far as it is there: what is gone since the call has no links any more. */
function realOf(path: string): string {
  try {
    return realpathSync(path);
  } catch (thrown) {
    if (errnoOf(thrown) === null) throw thrown;
    return realEntry(path);
  }
}
