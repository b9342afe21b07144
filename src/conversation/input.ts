/** What may be given as an input or a message: text, one part, or several. */
import { RefloatError } from "../model/errors.ts";
import type { Part } from "../model/parts.ts";

export type Input = string | Part | readonly Part[];

/** The receipt of a durable input (C1, T1): handed out only after it is on disk. */
export interface Receipt {
  readonly id: string;
  readonly seq: number;
}

export interface QueuedInput extends Receipt {
  readonly parts: readonly Part[];
  readonly from: string | null;
}

export function partsOfInput(input: Input): Part[] {
  if (typeof input === "string") return [{ type: "text", text: input }];
  const parts = Array.isArray(input) ? (input as readonly Part[]) : [input as Part];
  if (parts.length === 0) throw new RefloatError("E_USAGE", { why: "An input needs at least one part." });
  return [...parts];
}
