/** Which known word somebody most likely meant. Pure. */

/** One letter in three may be wrong: beyond that a guess misleads. */
const LETTERS_PER_SLIP = 3;

/** Null: none is near. Of equally near ones the first. */
export function nearestWord(typed: string, known: readonly string[]): string | null {
  const most = Math.floor(typed.length / LETTERS_PER_SLIP);
  const near = known
    .map((word) => ({ word, slips: slipsBetween(typed, word) }))
    .filter(({ slips }) => slips <= most)
    .sort((a, b) => a.slips - b.slips);
  return near[0]?.word ?? null;
}

/** Letters added, left out, mistaken or swapped with their neighbour; upper and lower case are the same. */
function slipsBetween(typed: string, known: string): number {
  const [from, to] = [typed.toLowerCase(), known.toLowerCase()];
  if (Math.abs(from.length - to.length) > from.length) return Number.POSITIVE_INFINITY;
  let [older, last] = [[] as number[], Array.from({ length: to.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= from.length; i++) {
    const row = [i];
    for (let j = 1; j <= to.length; j++) {
      const isSame = from[i - 1] === to[j - 1];
      const isSwapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      row[j] = Math.min(
        (last[j] ?? 0) + 1,
        (row[j - 1] ?? 0) + 1,
        (last[j - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (older[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [older, last] = [last, row];
  }
  return last[to.length] ?? 0;
}
