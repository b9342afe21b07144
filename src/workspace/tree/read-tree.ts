/** Reads a workspace, whatever it is: by status, by known paths, or a plain folder. */
import {
  CAPTURE_BUDGET_MS,
  CAPTURE_FILE_BYTES,
  CAPTURE_PATHS,
  CAPTURE_STATUS_MS,
  CAPTURE_TOTAL_BYTES,
} from "../../model/limits.ts";
import type { PathName } from "../../model/path-name.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Environment } from "../../platform/places.ts";
import type { ContentsSink } from "../files/contents-sink.ts";
import { assertNarrow, type Workspace } from "../opening/workspace.ts";
import { readAskedPaths, readByStatus, readKnownPaths } from "./read-git-tree.ts";
import type { Reading, ReadingLimits } from "./reading.ts";
import { readFolder } from "./walk-folder.ts";

export interface TreeOptions {
  readonly env: Environment;
  readonly clock: Clock;
  /** Only these, when given. */
  readonly paths?: readonly PathName[];
  /** Git is asked about these paths, too: then one that is as HEAD has it is known to be, and an ignored one is left out. */
  readonly asksGit?: boolean;
  readonly precious?: readonly string[];
  readonly limits?: Partial<ReadingLimits>;
  readonly onProgress?: (done: number, total: number) => void;
  readonly isCaseBlind?: boolean;
}

export const DEFAULT_LIMITS: ReadingLimits = {
  fileBytes: CAPTURE_FILE_BYTES,
  totalBytes: CAPTURE_TOTAL_BYTES,
  paths: CAPTURE_PATHS,
  budgetMs: CAPTURE_BUDGET_MS,
  statusMs: CAPTURE_STATUS_MS,
};

export async function readTree(
  workspace: Workspace,
  sink: ContentsSink,
  options: TreeOptions,
): Promise<Reading> {
  const { env, clock, paths = [], precious = [], onProgress } = options;
  const limits = { ...DEFAULT_LIMITS, ...options.limits };
  const reading = {
    clock,
    sink,
    limits,
    precious,
    ...(onProgress ? { onProgress } : {}),
    ...(options.isCaseBlind === undefined ? {} : { isCaseBlind: options.isCaseBlind }),
  };
  assertNarrow(workspace);
  if (workspace.kind === "folder") return readFolder(workspace.root, paths, reading);
  if (paths.length === 0) return readByStatus(workspace, env, reading);
  return options.asksGit
    ? readAskedPaths(workspace, env, paths, reading)
    : readKnownPaths(workspace, env, paths, reading);
}
