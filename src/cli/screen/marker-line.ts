/** What is said beside the text marker (text/marker-line.ts), which is on stdout. */
export const notRecorded = (): string =>
  process.env.REFLOAT_OFF === "1"
    ? "REFLOAT_OFF=1: nothing was recorded; only the marker above was left."
    : "The store cannot be written here: only the marker above was left.";
