/**
 * The last-sequence mark (D7). SQLite cannot tell that somebody cut its log: it opens with fewer rows and
 * says "ok". So at each checkpoint and each clean close we note beside the store how many records it had.
 * The note is replaced atomically but not synced: after a power cut it may lag behind the store, it can
 * never lead it, so a store with fewer records than its mark has lost some.
 */
import { readFileSync } from "node:fs";
import { writeAtomic } from "../../platform/durable-file.ts";

export interface Mark {
  readonly store: string;
  readonly records: number;
}

export const markPath = (dbPath: string): string => `${dbPath}-mark`;

/** Null when there is none, or when it cannot be understood: a torn mark is no evidence of loss. */
export function readMark(dbPath: string): Mark | null {
  let text: string;
  try {
    text = readFileSync(markPath(dbPath), "utf8");
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw thrown;
  }
  try {
    return asMark(JSON.parse(text));
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return null;
    throw thrown;
  }
}

function asMark(value: unknown): Mark | null {
  if (typeof value !== "object" || value === null) return null;
  const { store, records } = value as Partial<Record<keyof Mark, unknown>>;
  return typeof store === "string" && Number.isSafeInteger(records)
    ? { store, records: Number(records) }
    : null;
}

export function writeMark(dbPath: string, mark: Mark): void {
  writeAtomic(markPath(dbPath), Buffer.from(`${JSON.stringify(mark)}\n`), { mode: 0o600 });
}
