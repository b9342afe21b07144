/** What stands in a chunk's row when its bytes are an object of a bucket: which bucket, and the object's name in it. */
import type { ContentHash } from "../../model/ids.ts";
import { randomId } from "../../platform/random.ts";
import { hashOf } from "../contract/content-hash.ts";

const MAGIC = "refloat-bucket/1 ";
/** Longer than this no row of ours is: what begins so and is longer is a chunk. */
const MAX_STUB_BYTES = 2048;
export interface Stub {
  readonly bucket: string;
  readonly key: string;
}

/** Objects of one store lie below its id, spread by their hash: several stores may share a bucket, and none judges another's (bucket 2). */
export const folderOf = (storeId: string): string => `${storeId}/chunks/`;

/** Another one every time (bucket 2). */
export const keyOf = (folder: string, hash: ContentHash): string =>
  `${folder}${hash.slice(0, 2)}/${hash}/${randomId()}`;

export const hashIn = (folder: string, key: string): ContentHash | null =>
  key.startsWith(folder)
    ? ((/^[0-9a-f]{2}\/([0-9a-f]{64})\/[0-9a-z]+$/.exec(key.slice(folder.length))?.[1] as
        | ContentHash
        | undefined) ?? null)
    : null;

export const rowOf = ({ bucket, key }: Stub): Uint8Array => Buffer.from(`${MAGIC}${bucket} ${key}`);

/** Null: it is the chunk itself. No chunk's hash is that of the row that names its object. */
export function stubIn(hash: ContentHash, bytes: Uint8Array): Stub | null {
  if (bytes.byteLength > MAX_STUB_BYTES) return null;
  const text = Buffer.from(bytes).toString("utf8");
  if (!text.startsWith(MAGIC) || hashOf(bytes) === hash) return null;
  const [bucket = "", key = ""] = text.slice(MAGIC.length).split(" ");
  return { bucket, key };
}
