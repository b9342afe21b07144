/**
 * Values of a cell as a row of the store, if they prove themselves (D5): a journal row by its checksum over
 * every field, a chunk by its SHA-256. A content is proved later, by its chunks (chunk-places.ts). Refs and
 * meta carry no proof; their form is checked and they are handed on as what they are.
 */
import { createHash } from "node:crypto";
import type { ContentHash, RecordId, SessionId } from "../../model/ids.ts";
import { MAX_ID_BYTES } from "../../model/limits.ts";
import type { ContentRow, RawRecord } from "../contract/driver.ts";
import { rowChecksum } from "../contract/row-checksum.ts";
import { isWholeSeal } from "../contract/seal.ts";
import type { ColumnValue } from "./pages/record-format.ts";
import type { RowShape } from "./row-shape.ts";

export type ProvenRow =
  | { readonly kind: "record"; readonly row: RawRecord }
  | {
      readonly kind: "chunk";
      readonly hash: ContentHash;
      readonly bytes: Uint8Array;
      readonly putAtMs: number;
    }
  | { readonly kind: "content"; readonly row: ContentRow; readonly putAtMs: number }
  | {
      readonly kind: "ref";
      readonly hash: ContentHash;
      readonly session: SessionId;
      readonly seq: number;
      readonly path: string | null;
    }
  | { readonly kind: "meta"; readonly key: string; readonly value: string };

const HASH_BYTES = 32;
/** The only thing of `meta` that cannot be computed again. */
const STORE_ID_KEY = "store_id";

/** `shape` was told from the same cell's serial types, so each value is of the type its column has. */
export function provenRow(shape: RowShape, values: readonly ColumnValue[]): ProvenRow | null {
  switch (shape) {
    case "record":
      return provenRecord(values);
    case "chunk":
      return provenChunk(values);
    case "content":
      return formedContent(values);
    case "ref":
      return formedRef(values);
    case "meta":
      return formedMeta(values);
    default:
      return shape satisfies never;
  }
}

function provenRecord(values: readonly ColumnValue[]): ProvenRow | null {
  const [, session, seq, id, kind, attempt, atMs, body, spilled, forgotten, checksum] = values;
  if (forgotten !== 0 && forgotten !== 1) return null;
  const row: RawRecord = {
    session: session as SessionId,
    seq: seq as number,
    id: id as RecordId,
    kind: kind as string,
    attempt: attempt as number | null,
    atMs: atMs as number,
    body: body as string,
    spilled: Buffer.isBuffer(spilled) ? toHash(spilled) : null,
    isForgotten: forgotten === 1,
    checksum: checksum as number,
  };
  return row.seq >= 1 && rowChecksum(row) === row.checksum ? { kind: "record", row } : null;
}

function provenChunk(values: readonly ColumnValue[]): ProvenRow | null {
  const [, hash, bytes, putAtMs] = values;
  const named = toHash(hash as Buffer);
  const isOpen =
    createHash("sha256")
      .update(bytes as Buffer)
      .digest("hex") === named;
  if (!isOpen && !isWholeSeal(named, bytes as Buffer)) return null;
  return { kind: "chunk", hash: named, bytes: bytes as Buffer, putAtMs: putAtMs as number };
}

function formedContent(values: readonly ColumnValue[]): ProvenRow | null {
  const [, hash, bytes, blob, putAtMs] = values;
  const list = blob as Buffer;
  if ((bytes as number) < 0 || list.length % HASH_BYTES !== 0) return null;
  const chunks: ContentHash[] = [];
  for (let at = 0; at < list.length; at += HASH_BYTES)
    chunks.push(toHash(list.subarray(at, at + HASH_BYTES)));
  return {
    kind: "content",
    row: { hash: toHash(hash as Buffer), bytes: bytes as number, chunks },
    putAtMs: putAtMs as number,
  };
}

function formedRef(values: readonly ColumnValue[]): ProvenRow | null {
  const [, hash, session, seq, path] = values;
  const isId = session !== "" && Buffer.byteLength(session as string) <= MAX_ID_BYTES;
  if (!isId || (seq as number) < 1) return null;
  return {
    kind: "ref",
    hash: toHash(hash as Buffer),
    session: session as SessionId,
    seq: seq as number,
    path: path as string | null,
  };
}

function formedMeta(values: readonly ColumnValue[]): ProvenRow | null {
  const [key, value] = values;
  return key === STORE_ID_KEY ? { kind: "meta", key, value: value as string } : null;
}

function toHash(bytes: Buffer): ContentHash {
  return bytes.toString("hex") as ContentHash;
}
