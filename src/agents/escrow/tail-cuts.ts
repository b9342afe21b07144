/**
 * Where the newest part of a growing transcript is cut, so that what grew is put and not all of it again. Behind the last full piece each
 * growth is a piece of its own, put together with the one before it as long as that is not larger: there are never more of them than a
 * full piece's size has binary digits, and no byte is put more often than that.
 */

/** Pure. `before`: how long the pieces behind the last full one are; gives back how long they are with `more` bytes behind them. */
export function tailCuts(before: readonly number[], more: number): readonly number[] {
  const cuts = [...before];
  let last = more;
  for (let own = cuts.at(-1); own !== undefined && own <= last; own = cuts.at(-1)) {
    cuts.pop();
    last += own;
  }
  return last === 0 ? cuts : [...cuts, last];
}
