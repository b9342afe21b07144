/**
 * `limits` of the config: the user's bounds of one capture, in place of ours. Whoever asks for less than ours (a capture
 * between two calls) keeps what he asked for, unless the user allows less still.
 */
import type { RefloatConfig } from "../../model/config.ts";
import {
  CAPTURE_BUDGET_MS,
  CAPTURE_FILE_BYTES,
  CAPTURE_PATHS,
  CAPTURE_TOTAL_BYTES,
} from "../../model/limits.ts";
import type { ReadingLimits } from "./reading.ts";

/** Pure. */
export function boundsOf({ limits = {} }: RefloatConfig, asked: ReadingLimits): ReadingLimits {
  const bound = (own: number | undefined, value: number, usual: number): number => {
    if (own === undefined) return value;
    return value === usual ? own : Math.min(own, value);
  };
  return {
    ...asked,
    fileBytes: bound(limits.file_bytes, asked.fileBytes, CAPTURE_FILE_BYTES),
    totalBytes: bound(limits.total_bytes, asked.totalBytes, CAPTURE_TOTAL_BYTES),
    paths: bound(limits.paths, asked.paths, CAPTURE_PATHS),
    budgetMs: bound(limits.budget_ms, asked.budgetMs, CAPTURE_BUDGET_MS),
  };
}
