/** Functions by how much is in them, as far as one that was emptied can be told by it: names alone, for a size differs at every edit. */
export interface BodySizes {
  readonly large: readonly string[];
  readonly middling: readonly string[];
  readonly bare: readonly string[];
}

/** Characters of a body that is much to lose. */
const LARGE_CHARS = 200;
/** Those of one that does something. */
const MIDDLING_CHARS = 40;
/** In these not even a call to another fits. */
const BARE_CHARS = 30;

export function bySize(sizes: ReadonlyMap<string, number>): BodySizes {
  const names = (least: number, most: number): string[] =>
    [...sizes].flatMap(([name, size]) => (size >= least && size <= most ? [name] : []));
  return {
    large: names(LARGE_CHARS, Number.POSITIVE_INFINITY),
    middling: names(MIDDLING_CHARS, LARGE_CHARS - 1),
    bare: names(0, BARE_CHARS),
  };
}

/** Of functions of one name the largest counts. */
export function takeSize(sizes: Map<string, number>, name: string, size: number): void {
  sizes.set(name, Math.max(sizes.get(name) ?? 0, size));
}
