/** A transcript in a SQLite database: the rows of one session, read from a copy. */
import { RefloatError } from "../../model/errors.ts";
import type { AgentAdapter, DatabaseFormat } from "../words/adapter.ts";
import type { TranscriptEars } from "./ears.ts";

/** `nativeId` null: its newest session. */
export function readDatabase(
  path: string,
  _format: DatabaseFormat,
  _nativeId: string | null,
  _ears: TranscriptEars,
): void {
  throw new RefloatError("E_NO_FILE", { path, why: "databases are not read yet" });
}

/** Whose database this is, told by its tables; null: nobody's we know. */
export function recognizeDatabase(_path: string, _adapters: readonly AgentAdapter[]): AgentAdapter | null {
  return null;
}
