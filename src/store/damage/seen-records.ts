/**
 * A number of 32 bits for each record that was met, by session and sequence number. A store may hold millions,
 * so a record costs a few bytes here: sequence numbers of a session are gapless (D3), so blocks of them fill.
 */
import type { SessionId } from "../../model/ids.ts";

export interface SeenRecords {
  readonly count: number;
  has(session: SessionId, seq: number): boolean;
  valueOf(session: SessionId, seq: number): number | null;
  note(session: SessionId, seq: number, value: number): void;
}

const BLOCK_RECORDS = 64;
const WORD_BITS = 32;
/** Words at the front of a block: a bit per record that was met. */
const BIT_WORDS = BLOCK_RECORDS / WORD_BITS;

export function createSeenRecords(): SeenRecords {
  const sessions = new Map<SessionId, Map<number, Uint32Array>>();
  let count = 0;

  function blockOf(session: SessionId, seq: number): Uint32Array | undefined {
    return sessions.get(session)?.get(Math.floor(seq / BLOCK_RECORDS));
  }

  function isSet(block: Uint32Array | undefined, seq: number): boolean {
    const word = block?.[Math.floor((seq % BLOCK_RECORDS) / WORD_BITS)] ?? 0;
    return (word & (1 << (seq % WORD_BITS))) !== 0;
  }

  return {
    get count() {
      return count;
    },
    has: (session, seq) => isSet(blockOf(session, seq), seq),
    valueOf(session, seq) {
      const block = blockOf(session, seq);
      return isSet(block, seq) ? (block?.[BIT_WORDS + (seq % BLOCK_RECORDS)] ?? null) : null;
    },
    note(session, seq, value) {
      const blocks = sessions.get(session) ?? new Map<number, Uint32Array>();
      const number = Math.floor(seq / BLOCK_RECORDS);
      const block = blocks.get(number) ?? new Uint32Array(BIT_WORDS + BLOCK_RECORDS);
      sessions.set(session, blocks.set(number, block));
      if (!isSet(block, seq)) count++;
      const word = Math.floor((seq % BLOCK_RECORDS) / WORD_BITS);
      block[word] = (block[word] ?? 0) | (1 << (seq % WORD_BITS));
      block[BIT_WORDS + (seq % BLOCK_RECORDS)] = value;
    },
  };
}
