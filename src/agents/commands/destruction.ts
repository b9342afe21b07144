/** What one command would take away. Pure. */
import { NOTHING_NAMED, type TakenWords } from "./taken-words.ts";

export interface Destruction extends TakenWords {
  /** As people call it. */
  readonly what: string;
  /** The folders it changed into before, as written; null: nobody can tell. */
  readonly folders: readonly string[] | null;
  /** Ignored files that it writes anew, as globs. */
  readonly writesOver: readonly string[];
  /** Branches whose name goes, and with it perhaps the only way to their commits. */
  readonly branches: readonly string[];
}

export type JudgedCommand = Omit<Destruction, "folders">;

export const NOTHING_MORE = { ...NOTHING_NAMED, writesOver: [], branches: [] } as const;
