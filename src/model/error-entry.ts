/** One row of the errors catalogue (errors.ts). */
export interface ErrorEntry {
  readonly message: string;
  readonly hint: string;
  readonly exit: 1 | 3 | 4 | 5 | 64 | 75 | 125 | 126 | 127;
}

export const entry = (exit: ErrorEntry["exit"], message: string, hint: string): ErrorEntry => ({
  message,
  hint,
  exit,
});
