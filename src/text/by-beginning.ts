/** An id or a name that somebody typed: all of it, or its beginning. */

/** A shorter beginning is more likely a mistake than a choice. */
const MIN_PREFIX_CHARS = 4;

export const isLongEnough = (typed: string): boolean => [...typed].length >= MIN_PREFIX_CHARS;

/** Those that are called so; where none is, those that are begun so. */
export function byBeginning<Item>(
  items: readonly Item[],
  typed: string,
  nameOf: (item: Item) => string,
): Item[] {
  const exact = items.filter((one) => nameOf(one) === typed);
  if (exact.length > 0 || !isLongEnough(typed)) return exact;
  return items.filter((one) => nameOf(one).startsWith(typed));
}
