/** Commits of a session's that this clone does not have: said, with what follows from it (W8). */
const SHOWN_ID_CHARS = 12;

/** `missing`: the oldest first. */
export function missingLines(missing: readonly string[]): string[] {
  const [last, ...more] = missing.toReversed().map((id) => id.slice(0, SHOWN_ID_CHARS));
  if (last === undefined) return [];
  const others = more.length === 0 ? "" : ` (nor ${more.join(", ")})`;
  return [
    `Its commit ${last}${others} is not in this clone: what it committed is listed and put back as changes. If the commit is somewhere, git fetch brings it.`,
  ];
}
