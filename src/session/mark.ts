/**
 * The mark in a child's environment that says whose child it is: `REFLOAT_SESSION=<id>.<attempt>.<random>` (S2).
 * The random part is recorded before the child starts; only the whole, exact value counts.
 */
export const MARK_VARIABLE = "REFLOAT_SESSION";

export interface RunMark {
  readonly session: string;
  readonly attempt: number;
  readonly random: string;
}

export const markText = ({ session, attempt, random }: RunMark): string => `${session}.${attempt}.${random}`;

/** An id may hold dots itself: the last two belong to the mark. Null: not a mark. */
export function parseMark(text: string): RunMark | null {
  const [, session, attempt, random] = /^(.+)\.([1-9]\d{0,14})\.([^.]+)$/s.exec(text) ?? [];
  if (session === undefined || random === undefined) return null;
  return { session, attempt: Number(attempt), random };
}
