/**
 * Contents sealed at rest (AES-256-GCM), chunk by chunk, where a key is given. A sealed chunk says by which key; it is bound to its
 * hash, so that none can be put in another's place; and it has a digest of itself, so that damage is told from a key that
 * is missing, and salvage knows a whole one without any key (D5).
 *
 * A chunk keeps its name, the SHA-256 of what it holds: captures compare trees by it. Who has the store's file can so tell whether
 * a file he has himself is in it, and how long each is (docs/encryption.md lists what stays visible).
 */
import { createCipheriv, createDecipheriv, createHash, createSecretKey, KeyObject } from "node:crypto";
import { RefloatError } from "../../model/errors.ts";
import type { ContentHash } from "../../model/ids.ts";
import { randomBytesOf } from "../../platform/random.ts";

/** A key by its name; the first of a list seals, all of them open. */
export interface StoreKey {
  /** 1 to 64 characters; it stands beside what it sealed, in the clear. */
  readonly id: string;
  /** 32 bytes, those in base64 or hexadecimal, or as a secret key of node:crypto. */
  readonly secret: Uint8Array | string | KeyObject;
}

/** Its secret is an object that shows nothing of itself, wherever a store is printed. */
export interface SealingKey {
  readonly id: string;
  readonly secret: KeyObject;
}

/** No text and no common file begins so; one that does is told apart by its hash. */
export const SEAL_MAGIC: Buffer = Buffer.from("\x89RFSEAL1", "latin1");
const SECRET_BYTES = 32;
/** Random for every chunk: with 2^32 of them, 4 PB of full ones, two are the same with a chance of 2^-33; then a key should be another. */
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const DIGEST_BYTES = 16;
const MAX_ID = 64;
const ALGORITHM = "aes-256-gcm";

/** What a seal adds to a chunk at most. */
export const MAX_SEAL_BYTES = SEAL_MAGIC.length + 1 + MAX_ID + NONCE_BYTES + DIGEST_BYTES + TAG_BYTES;

export function sealingKey({ id, secret }: StoreKey): SealingKey {
  if (typeof id !== "string" || !/^[\x21-\x7e]{1,64}$/.test(id))
    throw badKey(String(id).slice(0, MAX_ID), "has no usable name");
  const bytes = typeof secret === "string" ? bytesIn(secret) : rawBytes(secret);
  if (bytes?.byteLength !== SECRET_BYTES)
    throw badKey(id, `is not ${SECRET_BYTES} bytes, or those in base64 or hexadecimal`);
  return { id, secret: createSecretKey(bytes) };
}

const rawBytes = (secret: Uint8Array | KeyObject): Buffer | null =>
  secret instanceof KeyObject ? (secret.type === "secret" ? secret.export() : null) : Buffer.from(secret);

/** Nothing else is taken for either of them: what is skipped in a sentence of words would leave fewer bytes than it seems. */
function bytesIn(secret: string): Buffer | null {
  if (/^[0-9a-f]{64}$/i.test(secret)) return Buffer.from(secret, "hex");
  return /^[\w+/-]{43}=?$/.test(secret) ? Buffer.from(secret, "base64") : null;
}

const badKey = (key: string, why: string): RefloatError => new RefloatError("E_STORE_KEY", { key, why });

export function seal(key: SealingKey, hash: ContentHash, plain: Uint8Array): Uint8Array {
  const name = Buffer.from(key.id, "latin1");
  const nonce = randomBytesOf(NONCE_BYTES);
  const cipher = createCipheriv(ALGORITHM, key.secret, nonce, { authTagLength: TAG_BYTES });
  cipher.setAAD(Buffer.concat([SEAL_MAGIC, name, Buffer.from(hash, "hex")]));
  const body = Buffer.concat([cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
  const head = Buffer.concat([SEAL_MAGIC, Buffer.from([name.length]), name, nonce]);
  return Buffer.concat([head, digestOf(hash, head, body), body]);
}

interface SealedChunk {
  readonly keyId: string;
  readonly nonce: Buffer;
  readonly head: Buffer;
  readonly digest: Buffer;
  readonly body: Buffer;
}

/** Null: it is not sealed. */
function sealedIn(hash: ContentHash, stored: Uint8Array): SealedChunk | null {
  const bytes = Buffer.from(stored.buffer, stored.byteOffset, stored.byteLength);
  if (bytes.length < SEAL_MAGIC.length + 1 || !bytes.subarray(0, SEAL_MAGIC.length).equals(SEAL_MAGIC))
    return null;
  // Somebody's bytes may begin so, too.
  if (createHash("sha256").update(bytes).digest("hex") === hash) return null;
  const nameAt = SEAL_MAGIC.length + 1;
  const nonceAt = nameAt + (bytes[SEAL_MAGIC.length] ?? 0);
  const digestAt = nonceAt + NONCE_BYTES;
  const bodyAt = digestAt + DIGEST_BYTES;
  if (bytes.length < bodyAt + TAG_BYTES) return null;
  return {
    keyId: bytes.toString("latin1", nameAt, nonceAt),
    nonce: bytes.subarray(nonceAt, digestAt),
    head: bytes.subarray(0, digestAt),
    digest: bytes.subarray(digestAt, bodyAt),
    body: bytes.subarray(bodyAt),
  };
}

const digestOf = (hash: ContentHash, head: Uint8Array, body: Uint8Array): Buffer =>
  createHash("sha256").update(hash).update(head).update(body).digest().subarray(0, DIGEST_BYTES);

/** By which key it is sealed; null: by none. */
export const sealedBy = (hash: ContentHash, stored: Uint8Array): string | null =>
  sealedIn(hash, stored)?.keyId ?? null;

/** How many bytes a stored chunk holds, opened. */
export function heldBytes(hash: ContentHash, stored: Uint8Array): number {
  const sealed = sealedIn(hash, stored);
  return sealed ? sealed.body.length - TAG_BYTES : stored.byteLength;
}

/** Sealed, and not a byte of it has changed: told without its key. */
export function isWholeSeal(hash: ContentHash, stored: Uint8Array): boolean {
  const sealed = sealedIn(hash, stored);
  return sealed !== null && digestOf(hash, sealed.head, sealed.body).equals(sealed.digest);
}

/** Not sealed, or by one of these; that it is the right one of its name only opening it tells. */
export function canUnseal(keys: readonly SealingKey[], hash: ContentHash, stored: Uint8Array): boolean {
  const by = sealedBy(hash, stored);
  return by === null || keys.some(({ id }) => id === by);
}

/** What it holds; what is not sealed, or is damaged, comes back as it is: whoever reads it holds it against its hash. */
export function unseal(keys: readonly SealingKey[], hash: ContentHash, stored: Uint8Array): Uint8Array {
  const sealed = sealedIn(hash, stored);
  if (!sealed || !digestOf(hash, sealed.head, sealed.body).equals(sealed.digest)) return stored;
  const key = keys.find(({ id }) => id === sealed.keyId);
  if (!key) throw badKey(sealed.keyId, "was not given");
  const decipher = createDecipheriv(ALGORITHM, key.secret, sealed.nonce, { authTagLength: TAG_BYTES });
  decipher.setAAD(Buffer.concat([SEAL_MAGIC, Buffer.from(sealed.keyId, "latin1"), Buffer.from(hash, "hex")]));
  const cut = sealed.body.length - TAG_BYTES;
  decipher.setAuthTag(sealed.body.subarray(cut));
  try {
    return Buffer.concat([decipher.update(sealed.body.subarray(0, cut)), decipher.final()]);
  } catch (_unauthentic) {
    // The chunk is whole: it is the key that is another one of that name.
    throw badKey(sealed.keyId, "is not the one it was sealed with, though it has its name");
  }
}
