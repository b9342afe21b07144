/**
 * Data within a bound (T5): where it is too long its longest lists and texts are cut, and what was left out is counted beside it, by where it
 * stood: an answer never looks whole when it is not (T1). Pure.
 */

/** How many items a list keeps, and how many characters a text, from one try to the next. */
const TRIES: readonly (readonly [items: number, chars: number])[] = [
  [1000, 16_000],
  [300, 4000],
  [100, 2000],
  [30, 1000],
  [10, 400],
  [3, 200],
  [1, 100],
];

type Data = Record<string, unknown>;

export function boundedJson(whole: Data, maxBytes: number): Data {
  if (bytesOf(whole) <= maxBytes) return whole;
  for (const [items, chars] of TRIES) {
    const leftOut = new Map<string, number>();
    const cut = cutData(whole, "", { items, chars, leftOut }) as Data;
    const told = { ...cut, left_out_of_answer: Object.fromEntries([...leftOut].slice(0, items)) };
    if (bytesOf(told) <= maxBytes) return told;
  }
  return { left_out_of_answer: { everything: bytesOf(whole) } };
}

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

interface Cutting {
  readonly items: number;
  readonly chars: number;
  readonly leftOut: Map<string, number>;
}

/** `at`: where it stands, the indexes of lists left out: as many places as there are names. */
function cutData(value: unknown, at: string, how: Cutting): unknown {
  if (typeof value === "string") {
    if (value.length <= how.chars) return value;
    count(how, at, value.length - how.chars);
    return `${value.slice(0, how.chars).toWellFormed?.() ?? value.slice(0, how.chars)}…`;
  }
  if (Array.isArray(value)) {
    if (value.length > how.items) count(how, `${at}[]`, value.length - how.items);
    return value.slice(0, how.items).map((one) => cutData(one, `${at}[]`, how));
  }
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, cutData(one, at === "" ? key : `${at}.${key}`, how)]),
  );
}

const count = ({ leftOut }: Cutting, at: string, more: number): void => {
  leftOut.set(at, (leftOut.get(at) ?? 0) + more);
};
