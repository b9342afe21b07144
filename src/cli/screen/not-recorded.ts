/** What is said beside the text marker (text/marker-line.ts), which is on stdout. */

import type { WhyOff } from "../../app/place/off.ts";
import { offLine } from "../../app/place/off-line.ts";

/** `off`: why refloat is switched off here; null: it is not, and the store cannot be written. */
export const notRecorded = (off: WhyOff | null): string =>
  off === null
    ? "The store cannot be written here: only the marker above was left. Hooks of the agent take it in with the call's result; without them, let the sandbox write the store's folder."
    : offLine(off, "nothing was recorded; only the marker above was left");
