/** Where a path lies in a folder, by its text alone: no link is followed, and a name may begin with two dots. Pure. */
import { isAbsolute, relative, sep } from "node:path";

/** Null: it lies elsewhere. Empty: it is the folder itself. */
export function placeInside(folder: string, path: string): string | null {
  const inside = relative(folder, path);
  const isElsewhere = inside === ".." || inside.startsWith(`..${sep}`) || isAbsolute(inside);
  return isElsewhere ? null : inside;
}
