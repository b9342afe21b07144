/** What is gone from the end of a journal, noted in the store itself (D7). */
import { randomId } from "../../platform/random.ts";
import type { Connection } from "./connection.ts";

export interface TailLoss {
  readonly session: string;
  /** The last record that is there. */
  readonly found: number;
  /** The last that was there. */
  readonly expected: number;
}

/** `store info` and `doctor` go on telling. */
export function noteTail(db: Connection, loss: TailLoss & { readonly store?: string }): void {
  db.run("INSERT INTO meta (key, value) VALUES (?, ?)", `loss-${randomId()}`, JSON.stringify(loss));
}
