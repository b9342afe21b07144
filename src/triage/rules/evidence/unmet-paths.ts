/** Which files an operation named by their whole path and did not change: globs promise nothing. */
import { nameOfPath } from "../../facts/manifests/manifest-kinds.ts";

/** `isFolder`: what a name may stand for that promises no file; left out: names that end so. */
export function unmetPaths(
  named: readonly string[],
  changed: ReadonlySet<string>,
  isFolder: (path: string) => boolean = (path) => [...changed].some((at) => at.startsWith(`${path}/`)),
): string[] {
  const isMet = (path: string): boolean =>
    changed.has(path) || (isLoose(path) && [...changed].some((at) => nameOfPath(at) === path));
  return named.filter((one) => {
    const path = plain(one);
    return !GLOB.test(path) && !isMet(path) && path !== "" && !path.endsWith("/") && !isFolder(path);
  });
}

/** A name without folder and ending means what is called so wherever it lies; with an ending it is a file here. */
const isLoose = (path: string): boolean => /^[^/.]+$/.test(path);
const GLOB = /[*?[{]/;
const plain = (path: string): string => path.replace(/^(?:\.?\/)+|^\.$/, "");
