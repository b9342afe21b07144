/**
 * What a turn's end takes along, in the same change: a turn that is over has no message that grows (C3), and one that was
 * stopped no call that nobody will hear of (C4). A late result of such a call is kept beside it (call.ts).
 */
import type { NewRecord, TurnOutcome } from "../model/record.ts";
import { factId, newRecord } from "../session/new-record.ts";
import { unknownOutcome } from "./close-left-open.ts";
import type { OpenStream, SessionJournal } from "./session-journal.ts";

export interface TurnClosing {
  readonly records: readonly NewRecord[];
  /** To be called when they are on disk. */
  done(): void;
}

export async function closeTurn(
  journal: SessionJournal,
  turn: string,
  outcome: TurnOutcome,
): Promise<TurnClosing> {
  const streams: OpenStream[] = [...journal.streams].filter((stream) => stream.turn === turn);
  const messages = await Promise.all(streams.map((stream) => stream.handOver()));
  // A call whose start is under way is begun by then, or refused.
  if (outcome === "cancelled") await journal.settled();
  return {
    records: [...(outcome === "cancelled" ? stoppedCalls(journal, turn) : []), ...messages.flat()],
    done: () => {
      for (const stream of streams) stream.ended();
    },
  };
}

/** Ids made from the turn's and the call's: an end whose answer got lost is sent again as the same records (D4). */
function stoppedCalls({ clock, fold }: SessionJournal, turn: string): NewRecord[] {
  return fold.openCalls(turn).map(({ id, effect }) =>
    newRecord(
      clock,
      "call.ended",
      {
        call: id,
        status: "unknown-outcome",
        output: unknownOutcome(effect, "stopped"),
        synthetic: true,
        stopped: true,
      },
      factId("stopped", `${turn} ${id}`),
    ),
  );
}
