/** The arithmetic of the life picture: which stretch of time is shown, and where on it things stand. Pure. */

export interface Span {
  readonly from: number;
  readonly to: number;
}

export interface LaidBar<T> extends Span {
  readonly of: T;
  readonly lane: number;
}

/** At least this much, so that a life of one instant has a width. */
const LEAST_MS = 1000;

export const spanOf = (times: readonly number[]): Span => {
  const known = times.filter((one) => Number.isFinite(one));
  const from = known.reduce((least, one) => Math.min(least, one), known[0] ?? 0);
  const to = known.reduce((most, one) => Math.max(most, one), known[0] ?? 0);
  return { from, to: Math.max(to, from + LEAST_MS) };
};

/** `by` < 1: nearer. Never beyond the whole. */
export function zoomed(whole: Span, now: Span, by: number, at = 0.5): Span {
  const width = Math.min(whole.to - whole.from, Math.max(LEAST_MS / 10, (now.to - now.from) * by));
  const centre = now.from + (now.to - now.from) * at;
  return within(whole, centre - width * at, width);
}

export const panned = (whole: Span, now: Span, by: number): Span =>
  within(whole, now.from + (now.to - now.from) * by, now.to - now.from);

function within(whole: Span, from: number, width: number): Span {
  const first = Math.max(whole.from, Math.min(from, whole.to - width));
  return { from: first, to: first + width };
}

/** 0 to 1 on what is shown; may lie beyond it. */
export const placeOf = (span: Span, at: number): number => (at - span.from) / (span.to - span.from);

/** The inverse of it. */
export const timeAt = (span: Span, place: number): number => span.from + place * (span.to - span.from);

export interface RateBox {
  readonly left: number;
  readonly width: number;
  /** Where nothing was said. */
  readonly base: number;
  readonly height: number;
}

/** How much was said, as an area within what is shown; the most of it is as high as there is room. */
export function ratePath(
  { from, to, chars }: { readonly from: string; readonly to: string; readonly chars: readonly number[] },
  span: Span,
  { left, width, base, height }: RateBox,
): string {
  const [first, each] = [Date.parse(from), Math.max(1, (Date.parse(to) - Date.parse(from)) / chars.length)];
  const most = chars.reduce((a, b) => Math.max(a, b), 1);
  const place = (at: number): number => left + Math.max(0, Math.min(1, placeOf(span, at))) * width;
  const points = chars.flatMap((n, i) => {
    const [begin, end] = [first + i * each, first + (i + 1) * each];
    if (end < span.from || begin > span.to) return [];
    const y = (base - (n / most) * height).toFixed(1);
    // An instant has a width, too.
    return [`${place(begin).toFixed(1)} ${y}`, `${Math.max(place(begin) + 2, place(end)).toFixed(1)} ${y}`];
  });
  if (points.length === 0) return "";
  const [begin = "", last = ""] = [points[0]?.split(" ")[0], points.at(-1)?.split(" ")[0]];
  return `M${begin} ${base} L${points.join(" L")} L${last} ${base} Z`;
}

/** Bars that overlap stand below each other, in as few lanes as they need; the last lane takes what is too many. */
export function laneOut<T>(bars: readonly (Span & { readonly of: T })[], most: number): LaidBar<T>[] {
  const ends: number[] = [];
  return bars.map((bar) => {
    const free = ends.findIndex((end) => end <= bar.from);
    const lane = free >= 0 ? free : Math.min(ends.length, most - 1);
    ends[lane] = Math.max(ends[lane] ?? 0, bar.to);
    return { ...bar, lane };
  });
}

const STEPS = [
  100, 200, 500, 1e3, 2e3, 5e3, 1e4, 3e4, 6e4, 12e4, 3e5, 6e5, 18e5, 36e5, 72e5, 216e5, 432e5, 864e5,
];

/** Times to write below it: round ones, about this many. */
export function ticksOf({ from, to }: Span, about: number): number[] {
  const step = STEPS.find((one) => (to - from) / one <= about) ?? Math.ceil((to - from) / about);
  const first = Math.ceil(from / step) * step;
  return Array.from({ length: Math.floor((to - first) / step) + 1 }, (_, i) => first + i * step);
}
