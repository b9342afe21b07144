/** One session as the page tells it, with a server or without one (S7): its life, where its journal ends, when the tree was held. Reads only. */
import type { SessionRow } from "../../store/contract/driver.ts";
import type { RefloatStore } from "../store/open-store.ts";
import { recordsOf } from "./session-records.ts";
import { showRow } from "./show.ts";

/** Of a call's input, beside its bar: its record has the rest. */
const CALL_INPUT_CHARS = 300;

export async function toldSession(store: RefloatStore, row: SessionRow) {
  const shown = await showRow(store, row, { isRaw: false, inputChars: CALL_INPUT_CHARS });
  const { session, claim, timeline, hooks, redacted, goesOn } = shown;
  const { leftOut, fromSeq, ...told } = timeline;
  const { session: _session, name: _name, heldBy: _heldBy, ...held } = claim;
  const records = recordsOf(store, row);
  const { head } = await records.page(1, 1);
  const captures = await records.captures();
  return {
    ...{ session, claim: held, ...told, from_seq: fromSeq, left_out: leftOut, goes_on: goesOn },
    ...(hooks === null ? {} : { hooks }),
    ...{ redacted, captures, head },
  };
}
