/** Who listens while a transcript is read. */
import type { Heard } from "../words/heard.ts";
import type { TranscriptDamage } from "./damage.ts";
import type { LinePlace } from "./line-splitter.ts";

export interface TranscriptEars {
  /** `at`: the line it came from; a document and a database have none. */
  hear(heard: Heard, at: LinePlace | null): void;
  damaged(damage: TranscriptDamage): void;
}

export const FILE_BEGIN: LinePlace = { line: 1, byte: 0 };
