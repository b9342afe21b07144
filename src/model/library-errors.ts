/** What only a program that uses the library can come upon. */
import { entry } from "./error-entry.ts";

export const LIBRARY_ERRORS = {
  E_ABORTED: entry(1, "{what} was called off by its signal.", "Nothing is left of it; ask again."),
  E_DELETE_REFUSED: entry(
    1,
    "Session {session} is not removed: {why}.",
    "Settle it first (`refloat settle {session}`), or order it with `force: true`.",
  ),
} as const;
