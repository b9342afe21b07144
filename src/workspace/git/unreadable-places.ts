/**
 * Where git could not look. `status` leaves out what it may not enter, says so on the side and ends well: a folder nobody may read
 * would pass for a clean one (W4). The nearest place that can be seen stands for everything below it.
 */
import { type PathName, pathFromText } from "../../model/path-name.ts";
import { lookAt } from "../files/path-at.ts";

/** What is kept of what git says on the side is bounded (64 KiB): of more than this the rest may be missing. */
const WHOLE_CHARS = 60_000;

/** In the C locale: a folder that cannot be opened, and, by perror, a tracked path that cannot be looked at. */
const FOLDER = /^warning: could not open directory '(.*)': [^:']+$/;
const TRACKED =
  /^(.+): (?:Permission denied|Operation not permitted|Input\/output error|Stale file handle|File name too long|Too many levels of symbolic links|Transport endpoint is not connected)$/;

const TOP = "" as PathName;

export function unreadablePlaces(root: string, said: string): PathName[] {
  const places = new Set<PathName>(said.length > WHOLE_CHARS ? [TOP] : []);
  for (const line of said.split("\n")) {
    const folder = FOLDER.exec(line)?.[1];
    if (folder !== undefined) places.add(nearestSeen(root, folder.replace(/\/$/, "")));
    const tracked = folder === undefined ? TRACKED.exec(line)?.[1] : undefined;
    const place = tracked === undefined ? TOP : nearestSeen(root, tracked);
    // Nothing of such a name here: a filter of the user's speaks of something else.
    if (place !== TOP) places.add(place);
  }
  return [...places];
}

/** A name that was garbled on its way stands for the folder it lies in. */
function nearestSeen(root: string, name: string): PathName {
  for (let at = name; at !== ""; at = at.slice(0, Math.max(0, at.lastIndexOf("/"))))
    if (lookAt(root, pathFromText(at)) !== null) return pathFromText(at);
  return TOP;
}
