/**
 * Where each of very many rows stands, when each has a height of its own that is known only once it is drawn: a sum over a prefix and its
 * inverse, both in the logarithm of the number of rows (a Fenwick tree). Pure but for itself.
 */
export interface Heights {
  readonly count: number;
  get(at: number): number;
  set(at: number, height: number): void;
  /** Of all rows before this one. */
  before(at: number): number;
  /** The row at this many pixels from the top. */
  rowAt(pixels: number): number;
  total(): number;
  /** With more rows behind these. */
  grown(count: number): Heights;
}

export function heightsOf(count: number, estimate: number, known?: Heights): Heights {
  const own = new Float64Array(count);
  for (let at = 0; at < count; at++) own[at] = known && at < known.count ? known.get(at) : estimate;
  const sums = new Float64Array(count + 1);
  for (let i = 1; i <= count; i++) {
    sums[i] = (sums[i] ?? 0) + (own[i - 1] ?? 0);
    const up = i + (i & -i);
    if (up <= count) sums[up] = (sums[up] ?? 0) + (sums[i] ?? 0);
  }
  const before = (at: number): number => {
    let sum = 0;
    for (let i = Math.min(at, count); i > 0; i -= i & -i) sum += sums[i] ?? 0;
    return sum;
  };
  const self: Heights = {
    count,
    get: (at) => own[at] ?? 0,
    set: (at, height) => {
      const more = height - (own[at] ?? 0);
      if (more === 0 || at < 0 || at >= count) return;
      own[at] = height;
      for (let i = at + 1; i <= count; i += i & -i) sums[i] = (sums[i] ?? 0) + more;
    },
    before,
    rowAt: (pixels) => {
      let [at, left] = [0, pixels];
      for (let step = 2 ** Math.floor(Math.log2(Math.max(1, count))); step >= 1; step /= 2) {
        const sum = sums[at + step] ?? Number.POSITIVE_INFINITY;
        if (at + step <= count && sum <= left) {
          at += step;
          left -= sum;
        }
      }
      return Math.min(at, Math.max(0, count - 1));
    },
    total: () => before(count),
    grown: (more) => heightsOf(more, estimate, self),
  };
  return self;
}
