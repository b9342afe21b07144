/** What only a program that uses the library can come upon. */
import { entry } from "./error-entry.ts";

export const LIBRARY_ERRORS = {
  E_ABORTED: entry(1, "{what} was called off by its signal.", "Nothing is left of it; ask again."),
  E_STORE_KEY: entry(
    1,
    "The key {key} {why}.",
    "Keys are lines `NAME SECRET` of the file that REFLOAT_KEY_FILE names, or `keys` of openStore: docs/encryption.md.",
  ),
  E_DELETE_REFUSED: entry(
    1,
    "Session {session} is not removed: {why}.",
    "Settle it first (`refloat settle {session}`), or order it with `force: true`.",
  ),
} as const;
