/**
 * Where the randomness of tests comes from. A sample always draws from the same seed, so that a change is judged by
 * what it changes; exploring is for the full counts, which draw a new seed each time and print it.
 */
export const isFull = process.env.REFLOAT_SWEEP === "full";

const SAMPLE_SEED = 20261115;

/** REFLOAT_SEED=N repeats a run; `random` draws one for a sample, too. */
export const seed = seedFrom(process.env.REFLOAT_SEED);

function seedFrom(asked: string | undefined): number {
  if (asked === "random" || (asked === undefined && isFull)) return Math.floor(Math.random() * 2 ** 31);
  return asked === undefined ? SAMPLE_SEED : Number(asked);
}
