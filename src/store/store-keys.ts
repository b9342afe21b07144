/** The keys of a store for programs that are started, not written: a file of lines `NAME SECRET`, the first of which seals (REFLOAT_KEY_FILE). */
import { readFileSync } from "node:fs";
import { RefloatError } from "../model/errors.ts";
import type { Environment } from "../platform/places.ts";
import { type SealingKey, type StoreKey, sealingKey } from "./contract/seal.ts";

/** A file and no variable: what is in the environment every child has, an agent too. */
const VARIABLE = "REFLOAT_KEY_FILE";

export const keyFileIn = (env: Environment): string | null => env[VARIABLE] || null;

export function storeKeys(given: readonly StoreKey[] | undefined, env: Environment): readonly SealingKey[] {
  const keys = (given ?? keysInFile(keyFileIn(env))).map(sealingKey);
  const twice = keys.find(({ id }, at) => keys.findIndex((one) => one.id === id) !== at);
  if (twice) throw new RefloatError("E_STORE_KEY", { key: twice.id, why: "is given twice" });
  return keys;
}

/** An empty file is no word for leaving contents open: whoever names one means them to be sealed. */
function keysInFile(path: string | null): readonly StoreKey[] {
  if (path === null) return [];
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (thrown) {
    throw new RefloatError("E_STORE_KEY", { key: `of ${path}`, why: "cannot be read" }, thrown);
  }
  const keys = text.split("\n").flatMap((line, at) => {
    const words = line.trim().split(/\s+/);
    const [id = "", secret = ""] = words;
    if (id === "" || id.startsWith("#")) return [];
    // Nothing of the line is shown: its first word may be the secret.
    if (words.length !== 2)
      throw new RefloatError("E_STORE_KEY", {
        key: `in line ${at + 1} of ${path}`,
        why: "is not a name and a secret",
      });
    return [{ id, secret }];
  });
  if (keys.length === 0) throw new RefloatError("E_STORE_KEY", { key: `of ${path}`, why: "is not in it" });
  return keys;
}
