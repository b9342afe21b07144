/** What a message that is being written got, before it is on disk (C3). */
import type { Part, Role } from "../model/parts.ts";

export interface LivePiece {
  readonly message: string;
  readonly turn: string;
  readonly role: Role;
  readonly type: "text" | "thinking";
  /** How many characters (UTF-16) of this type the message had before it. */
  readonly at: number;
  readonly text: string;
  /** The record that opened the message is on disk. */
  readonly isOpened: boolean;
}

export type HearLive = (piece: LivePiece) => void;

/** Counts what a message has of each type; pure bookkeeping. */
export class LiveCount {
  readonly #counts: { text: number; thinking: number };

  /** Goes on from another's count. */
  constructor(from?: LiveCount) {
    this.#counts = from ? { ...from.#counts } : { text: 0, thinking: 0 };
  }

  /** The text of a part with its place, and the count after it; null: a part without text. */
  add(part: Part): Pick<LivePiece, "type" | "at" | "text"> | null {
    const { type } = part;
    if (type !== "text" && type !== "thinking") return null;
    const at = this.#counts[type];
    this.#counts[type] += part.text.length;
    return part.text === "" ? null : { type, at, text: part.text };
  }
}
