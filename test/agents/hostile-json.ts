/** What nobody expects in JSON, and a way to put it anywhere into a value of a real run. */
import fc from "../support/fast-check.ts";

const deep = (levels: number): unknown => {
  let value: unknown = "deep";
  for (let at = 0; at < levels; at++) value = at % 2 === 0 ? [value] : { content: value };
  return value;
};

export const odd = fc
  .oneof(
    fc.constantFrom<unknown>(
      null,
      true,
      0,
      -0,
      1e308,
      -1,
      2 ** 53,
      "",
      "-",
      "../../etc/passwd",
      [],
      {},
      [[]],
      [null],
    ),
    fc.constantFrom<unknown>({ toString: 1, valueOf: 1 }, JSON.parse('{"__proto__":{"x":1}}'), {
      constructor: "x",
    }),
    fc.constantFrom<unknown>(
      "toString",
      "__proto__",
      "hasOwnProperty",
      deep(500),
      "\u0000\u001b[2J",
      "\ud800",
    ),
    fc.jsonValue(),
  )
  .map((value) => JSON.parse(JSON.stringify(value)) as unknown);

/** The line with the value at some place in it changed, or taken away. */
export function changed(value: unknown, path: readonly number[], put: unknown): unknown {
  const [first, ...rest] = path;
  if (first === undefined || value === null || typeof value !== "object") return put;
  const keys = Object.keys(value);
  const key = keys[first % (keys.length + 1)];
  if (key === undefined) return put;
  const copy: Record<string, unknown> | unknown[] = Array.isArray(value) ? [...value] : { ...value };
  const inside = (value as Record<string, unknown>)[key];
  (copy as Record<string, unknown>)[key] = rest.length === 0 ? put : changed(inside, rest, put);
  return copy;
}
