/** What is said beside the text marker (text/marker-line.ts), which is on stdout. */

import type { WhyOff } from "../../app/place/off.ts";
import { offLine } from "../../app/place/off-line.ts";

/** `off`: why refloat is switched off here; null: it is not, and the store cannot be written. */
export const notRecorded = (off: WhyOff | null): string =>
  off === null
    ? "The store cannot be written here: only the marker above was left. Hooks of the agent take it in with the call's result; without them, let the sandbox write the store's folder."
    : offLine(off, "nothing was recorded; only the marker above was left");

/** The same of a step, whose claim keeps others away: nobody is told that he has it. */
export const STEP_NOT_RECORDED =
  "The store cannot be written here: the step is said, and not claimed yet. Hooks of the agent take it in with the call's result; the next refloat command outside of the sandbox that may write the file does it or refuses it (`refloat state take`). To have it at once, let the sandbox write the store's folder.";
