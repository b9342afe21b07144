/** The laws that touch contents, over stores that seal them: a key changes nothing that a caller can see, but what a chunk takes. */
import { describe } from "vitest";
import { isFull } from "../support/seed.ts";
import { backupLaws } from "./backing-up.ts";
import { contentLaws } from "./contents.ts";
import { exportLaws } from "./exporting.ts";
import { forgetLaws } from "./forgetting.ts";
import type { MakePlace, Place } from "./harness.ts";
import { postgresPlace, sqlitePlace } from "./places.ts";

const KEYS = [{ id: "k1", secret: Buffer.alloc(32, 5).toString("base64") }];
/** Mark, length and name of the key, nonce, digest, tag. */
const SEAL_BYTES = 8 + 1 + "k1".length + 12 + 16 + 16;

const sealed = (place: Place): Place => ({
  ...place,
  sealBytes: SEAL_BYTES,
  options: { ...place.options, keys: KEYS },
});

describe.each<[string, MakePlace]>([
  ["SQLite, sealed", () => sealed(sqlitePlace({ thread: false }))],
  ["PostgreSQL, sealed", () => sealed(postgresPlace())],
])("%s", (name, make) => {
  describe("backup", () => backupLaws(make));
  if (isFull || name.startsWith("SQLite")) describe("forget", () => forgetLaws(make));
  if (!isFull) return;
  describe("contents", () => contentLaws(make));
  describe("export and import", () => exportLaws(make));
});
