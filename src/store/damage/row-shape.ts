/**
 * Which table a cell belongs to, told by its serial types alone. A page found by scanning does not say whose
 * it is, and the shapes of the tables below (migrations.ts) do not overlap with each other or with those of
 * the tables that are computed again. Telling it from the header, before any overflow page is read, makes
 * garbage cheap.
 */
import { isBlobType, isIntegerType, isNullType, isTextType } from "./pages/record-format.ts";

export type RowShape = "record" | "chunk" | "content" | "ref" | "meta";

type ColumnTest = (type: number | undefined) => boolean;

const HASH_BYTES = 32;
const HASH_TYPE = 12 + 2 * HASH_BYTES;

const isHash: ColumnTest = (type) => type === HASH_TYPE;
const orNull =
  (test: ColumnTest): ColumnTest =>
  (type) =>
    isNullType(type) || test(type);

// The first column of most is NULL: an INTEGER PRIMARY KEY is the row's number, kept outside the record.
const SHAPES: readonly (readonly [RowShape, readonly ColumnTest[]])[] = [
  [
    "record",
    [
      isNullType,
      isTextType, // session
      isIntegerType, // seq
      isTextType, // id
      isTextType, // kind
      orNull(isIntegerType), // attempt
      isIntegerType, // at_ms
      isTextType, // body
      orNull(isHash), // spilled
      isIntegerType, // forgotten
      isIntegerType, // checksum
    ],
  ],
  ["chunk", [isNullType, isHash, isBlobType, isIntegerType]], // hash, bytes, put_at_ms
  ["content", [isNullType, isHash, isIntegerType, isBlobType, isIntegerType]], // hash, bytes, chunks, put_at_ms
  ["ref", [isNullType, isHash, isTextType, isIntegerType, orNull(isTextType)]], // hash, session, seq, path
  ["meta", [isTextType, isTextType]], // key, value
];

/** The column of `records` that says that its body was erased. */
const FORGOTTEN_COLUMN = 9;
const TYPE_OF_ZERO = 8;

export function shapeOf(types: readonly number[]): RowShape | null {
  for (const [shape, tests] of SHAPES) {
    if (tests.length === types.length && tests.every((test, i) => test(types[i]))) return shape;
  }
  return null;
}

/** False for records whose header already says that they were not forgotten: their bodies need not be read. */
export function mayBeForgotten(types: readonly number[]): boolean {
  return types[FORGOTTEN_COLUMN] !== TYPE_OF_ZERO;
}
