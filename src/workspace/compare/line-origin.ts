/** When a line came into a file: the newest of these steps after which the file has it more often than before. Pure. */
interface Step<T> {
  readonly step: T;
  /** Null: not held. */
  readonly before: readonly string[] | null;
  readonly after: readonly string[] | null;
}

/** Steps newest first. Null: it was there before all of them, or their bytes are not held. */
export function lineOrigin<T>(line: string, steps: readonly Step<T>[]): T | null {
  const times = (lines: readonly string[]): number => lines.filter((one) => one === line).length;
  const found = steps.find(({ before, after }) => before && after && times(after) > times(before));
  return found?.step ?? null;
}
