/** One run of the user's check in a scratch clone: what lies in it, what the check sees, and what its end means. */
import { join } from "node:path";
import type { CommitPath } from "../../acts/git/commit-objects.ts";
import { pathToBytes } from "../../model/path-name.ts";
import type { Environment } from "../../platform/places.ts";
import { placeInside } from "../../platform/places.ts";
import { type MountStep, mountedProgram } from "../../platform/private-mounts.ts";
import { type ProgramOutcome, runProgram } from "../../platform/run-program.ts";
import { putIntoScratch, putIntoScratchGit } from "../../platform/scratch-tree.ts";
import type { CheckOutcome } from "../../triage/facts/known/triage-facts.ts";
import { scrubbedEnvironment } from "../../workspace/git/environment.ts";
import type { Repository } from "../../workspace/git/repository.ts";
import type { ScratchClone } from "../../workspace/git/scratch-clone.ts";
import { type Dependencies, placeDependencies } from "./dependencies.ts";

/** A check that takes longer is no check to run once for every group. */
const CHECK_TIMEOUT_MS = 10 * 60_000;
const CHECK_OUTPUT_BYTES = 16 * 1024 * 1024;

export function lay(
  root: string,
  { path, state, bytes }: Pick<CommitPath, "path" | "state" | "bytes">,
): void {
  const name = pathToBytes(path);
  if (state?.kind === "symlink" && bytes) putIntoScratch(root, name, { kind: "symlink", target: bytes });
  else if (state?.kind === "file" && bytes)
    putIntoScratch(root, name, { kind: "file", bytes, isExecutable: (state.mode & 0o100) !== 0 });
  else if (state === null) putIntoScratch(root, name, { kind: "nothing" });
}

export interface CheckRun {
  readonly command: string;
  readonly env: Environment;
  readonly repository: Repository;
  readonly dependencies: Dependencies;
  /** Aborted: the check is stopped, with all of its group, and `runCheck` throws the reason. */
  readonly stop?: AbortSignal | undefined;
  /** What it says while it runs. */
  readonly onHeard?: ((piece: Buffer) => void) | undefined;
}

/** As a shell of the user's would, but for what points git elsewhere and for the mark of any session. */
export function runCheck(clone: ScratchClone, run: CheckRun): Promise<ProgramOutcome> {
  const { root } = run.repository;
  const { REFLOAT_SESSION: _mark, ...clean } = scrubbedEnvironment(run.env, { keepsIdentity: true });
  const options = {
    cwd: clone.root,
    env: { ...movedEnvironment(clean, root, clone.root), PWD: clone.root },
    maxOutputBytes: CHECK_OUTPUT_BYTES,
    timeoutMs: CHECK_TIMEOUT_MS,
    mayLeaveOthers: true,
    // A group of its own: what it started ends with it, and nothing else does (S2).
    hasOwnSession: true,
    ...(run.stop ? { stop: run.stop } : {}),
    ...(run.onHeard ? { onHeard: run.onHeard } : {}),
  };
  const { way } = run.dependencies;
  const steps = placeDependencies(clone.root, run.dependencies);
  const command = ["sh", "-c", run.command];
  if (way === null) return runProgram("sh", command.slice(1), options);
  const all: MountStep[] = [
    ...steps,
    ...sharedObjects(clone.root, run.repository),
    { how: "tree", from: clone.root, at: root },
  ];
  return runProgram(...mountedProgram(way, { steps: all, cwd: clone.root, command }), options);
}

/**
 * The environment of a shell in the workspace names it: PYTHONPATH, VIRTUAL_ENV, an entry of PATH. Those names mean the
 * clone's here.
 */
export function movedEnvironment(
  env: Readonly<Record<string, string>>,
  from: string,
  to: string,
): Record<string, string> {
  const name = new RegExp(`(?<![\\w.-])${from.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}(?=$|[/:;,\\s"'])`, "g");
  return Object.fromEntries(Object.entries(env).map(([key, value]) => [key, value.replace(name, () => to)]));
}

/** With the clone over the workspace the objects it shares are hidden where its alternates name them; a second name finds them. */
function sharedObjects(clone: string, { root, commonDir }: Repository): MountStep[] {
  const objects = join(commonDir, "objects");
  if (placeInside(root, objects) === null) return [];
  const at = "refloat/objects";
  const alternates = Buffer.from(`${objects}\n../refloat/objects\n`);
  putIntoScratchGit(clone, at, { kind: "folder" });
  putIntoScratchGit(clone, "objects/info/alternates", {
    kind: "file",
    bytes: alternates,
    isExecutable: false,
  });
  return [{ how: "read-only", from: objects, at: join(clone, ".git", at) }];
}

/** A check that cannot be run, or that does not end, says nothing. */
export function outcomeOf(outcome: ProgramOutcome): CheckOutcome {
  switch (outcome.kind) {
    case "ended":
      if (outcome.code === 0) return "passed";
      return outcome.code === 126 || outcome.code === 127 ? "not-run" : "failed";
    case "signalled":
      return "failed";
    case "too-long":
    case "too-slow":
    case "not-started":
      return "not-run";
    default:
      return outcome satisfies never;
  }
}
