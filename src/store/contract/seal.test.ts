/** A seal: authentic, bound to its chunk and its key's name, told from damage; and no message or printed object has a secret in it. */
import { createHash, createSecretKey, randomBytes } from "node:crypto";
import { inspect } from "node:util";
import { expect, test } from "vitest";
import type { ContentHash } from "../../model/ids.ts";
import { hashOf } from "./content-hash.ts";
import { canUnseal, isWholeSeal, type SealingKey, seal, sealedBy, sealingKey, unseal } from "./seal.ts";

const key = (id: string): SealingKey => sealingKey({ id, secret: randomBytes(32) });
const codeOf = (work: () => unknown): string => {
  try {
    return String(work());
  } catch (thrown) {
    return (thrown as { code: string }).code;
  }
};
const plain = Buffer.from("what a chunk holds");
const hash = hashOf(plain);

/** What somebody who knows the form, and no key, can make: another place or name for a seal, with a digest that fits. */
function forged(stored: Uint8Array, to: ContentHash, name: string): Buffer {
  const [head, body] = [
    Buffer.from(stored).subarray(0, 8 + 1 + 2 + 12),
    stored.subarray(8 + 1 + 2 + 12 + 16),
  ];
  head.write(name, 9, "latin1");
  const digest = createHash("sha256").update(to).update(head).update(body).digest().subarray(0, 16);
  return Buffer.concat([head, digest, body]);
}

test("a chunk comes back by its key alone, is another text every time it is sealed, and says by which key", () => {
  const k1 = key("k1");
  const [one, two] = [seal(k1, hash, plain), seal(k1, hash, plain)];
  expect(Buffer.from(one).equals(two)).toBe(false);
  expect(Buffer.from(one).includes(plain)).toBe(false);
  for (const stored of [one, two])
    expect(Buffer.from(unseal([key("k0"), k1], hash, stored)).equals(plain)).toBe(true);
  expect([sealedBy(hash, one), isWholeSeal(hash, one), sealedBy(hash, plain)]).toEqual(["k1", true, null]);
  expect([canUnseal([], hash, one), canUnseal([k1], hash, one), canUnseal([], hash, plain)]).toEqual([
    false,
    true,
    true,
  ]);
  expect(codeOf(() => unseal([], hash, one))).toBe("E_STORE_KEY");
  expect(
    codeOf(() => unseal([key("k1")], hash, one)),
    "another one of its name",
  ).toBe("E_STORE_KEY");
});

test("every byte that changes is damage, which the reader's hash tells; one put in another's place, or under another key's name, does not open", () => {
  const [k1, k2] = [key("k1"), key("k2")];
  const stored = seal(k1, hash, plain);
  for (let at = 0; at < stored.length; at++) {
    const changed = Buffer.from(stored);
    changed[at] = (changed[at] ?? 0) ^ 1;
    expect(hashOf(unseal([k1, k2], hash, changed)), `byte ${at}`).not.toBe(hash);
    expect(isWholeSeal(hash, changed), `byte ${at}`).toBe(false);
  }
  const other = hashOf(Buffer.from("another chunk"));
  expect(hashOf(unseal([k1], other, stored)), "swapped as it is").not.toBe(other);
  expect(
    codeOf(() => unseal([k1], other, forged(stored, other, "k1"))),
    "swapped with a digest that fits",
  ).toBe("E_STORE_KEY");
  expect(codeOf(() => unseal([k1, k2], hash, forged(stored, hash, "k2")))).toBe("E_STORE_KEY");
  expect(
    Buffer.from(unseal([k1], hash, forged(stored, hash, "k1"))).equals(plain),
    "and the forger forges well",
  ).toBe(true);
});

test("bytes of somebody that look like a seal, or like a part of one, are theirs and come back as they are", () => {
  const k1 = key("k1");
  const looks = Buffer.from(seal(k1, hash, plain));
  for (const bytes of [looks, looks.subarray(0, 9), looks.subarray(0, 40), Buffer.alloc(0)]) {
    const name = hashOf(bytes);
    expect(Buffer.from(unseal([k1], name, bytes)).equals(bytes)).toBe(true);
    expect(Buffer.from(unseal([k1], name, seal(k1, name, bytes))).equals(bytes)).toBe(true);
  }
});

test("a key is 32 bytes in any of its forms and nothing that only decodes to them; neither its error nor its print shows it", () => {
  const secret = randomBytes(32);
  const forms = [
    secret,
    secret.toString("hex"),
    secret.toString("base64"),
    secret.toString("base64url"),
    createSecretKey(secret),
  ];
  const stored = seal(sealingKey({ id: "k", secret }), hash, plain);
  for (const form of forms)
    expect(Buffer.from(unseal([sealingKey({ id: "k", secret: form })], hash, stored)).equals(plain)).toBe(
      true,
    );
  const words = "these are forty-three letters and many signs, no";
  for (const bad of [
    "",
    "short",
    words,
    secret.subarray(1),
    `${secret.toString("base64")}AAAA`,
    randomBytes(16),
  ])
    expect(codeOf(() => sealingKey({ id: "k", secret: bad }))).toBe("E_STORE_KEY");
  for (const id of ["", "two words", "x".repeat(65), "ü"])
    expect(codeOf(() => sealingKey({ id, secret }))).toBe("E_STORE_KEY");
  const shown = inspect(sealingKey({ id: "k", secret }), { depth: 9, showHidden: true });
  expect(shown).not.toContain(secret.toString("hex").slice(0, 8));
  expect(shown).not.toMatch(/<Buffer/);
});
