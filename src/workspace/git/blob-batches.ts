/** What is read from git together: the bytes of a batch are in memory at once. Pure. */

/** Few enough for a small machine, where they are there three times for a moment; and git is still asked seldom. */
const BATCH_BYTES = 4 * 1024 * 1024;

/** In order; one that is larger by itself is a batch by itself. */
export function blobBatches<T>(wanted: Iterable<T>, sizeOf: (one: T) => number): T[][] {
  const batches: T[][] = [];
  let bytes = 0;
  for (const one of wanted) {
    const size = sizeOf(one);
    const batch = batches.at(-1);
    if (batch && bytes + size <= BATCH_BYTES) {
      batch.push(one);
      bytes += size;
    } else {
      batches.push([one]);
      bytes = size;
    }
  }
  return batches;
}
