/**
 * Whose fault an end may have been, where a process took several turns with it (L2). One that goes on alone is apart from all that
 * are suspected, not from those that nobody suspects yet: they must not wait for it. So the message that ends the process may be
 * a newcomer's: a conversation's first, cut off for the first time. Then the one with the longer record is not suspended for
 * that end, but held as the guard holds, without it in the process: if it was the newcomer, he is found out meanwhile. Only
 * once: in a gateway where many talk there is always a newcomer, and what really kills must be caught all the same. Pure.
 */
export interface CutOffTurn {
  readonly turn: string;
  /** The dead process in which it ran. */
  readonly process: string;
  /** Without progress, this one included. */
  readonly dirtyEnds: number;
  /** How often it was resumed and lost again since somebody asked. */
  readonly resumes: number;
}

/** Among what dead processes left open: the turns whose last end may have been a newcomer's doing. */
export function sharedEnds(cutOff: readonly CutOffTurn[]): string[] {
  const withNewcomers = new Set(cutOff.filter(isNewcomer).map(({ process }) => process));
  return cutOff
    .filter(({ dirtyEnds, process }) => dirtyEnds > 1 && withNewcomers.has(process))
    .map(({ turn }) => turn);
}

const isNewcomer = ({ dirtyEnds, resumes }: CutOffTurn): boolean => dirtyEnds <= 1 && resumes === 0;
