/**
 * The last-sequence mark (D7). SQLite cannot tell that somebody cut its log: it opens with fewer rows and
 * says "ok". So once a second while writing, at each checkpoint and at a clean close we note beside the store
 * a record that was committed. The note is replaced atomically but not synced: after a power cut it may lag
 * behind the store, it can never lead it, so a store without the record its mark names has lost some.
 */
import { readFileSync } from "node:fs";
import { writeAtomic } from "../../platform/durable-file.ts";

export interface Mark {
  readonly store: string;
  readonly session: string;
  readonly seq: number;
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
  const { store, session, seq } = value as Partial<Record<keyof Mark, unknown>>;
  const isMark = typeof store === "string" && typeof session === "string" && Number.isSafeInteger(seq);
  return isMark ? { store, session, seq: Number(seq) } : null;
}

export function writeMark(dbPath: string, mark: Mark): void {
  writeAtomic(markPath(dbPath), Buffer.from(`${JSON.stringify(mark)}\n`), { mode: 0o600 });
}
