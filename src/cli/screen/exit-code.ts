/**
 * How a command says how it went (DESIGN 10). Never 2: agents read that from a hook as "block". Errors of
 * the catalogue bring their own code (model/errors.ts); these are the ones a command chooses itself.
 */
export const EXIT = {
  done: 0,
  failed: 1,
  /** Only with --exit-code: something wants attention. */
  attention: 3,
  held: 4,
  damaged: 5,
  usage: 64,
} as const;

export type ExitCode = 0 | 1 | 3 | 4 | 5 | 64 | 75 | 125 | 126 | 127;
