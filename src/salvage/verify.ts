/**
 * The user's own check, run where it can hurt nothing (DESIGN 8): on HEAD alone, on HEAD with one group, and on HEAD with all
 * groups that passed, each in a scratch clone of its own beside the store. HEAD must pass by itself, or the check says
 * nothing. What passes alone but not together is named, and then none of it counts as evidence.
 *
 * Only text the user gave is run (T2); whoever calls this has seen to that. Bounded in time, output and number.
 */
import type { CommitPath } from "../acts/commit-objects.ts";
import { pathToBytes } from "../model/path-name.ts";
import type { Environment } from "../platform/places.ts";
import { type ProgramOutcome, runProgram } from "../platform/run-program.ts";
import { putIntoScratch } from "../platform/scratch-tree.ts";
import type { CheckOutcome, VerifyFact } from "../triage/facts.ts";
import type { Group } from "../triage/group.ts";
import { scrubbedEnvironment } from "../workspace/git/environment.ts";
import type { Repository } from "../workspace/git/repository.ts";
import { scratchClone } from "../workspace/scratch-clone.ts";

/** A check that takes longer is no check to run once for every group. */
const CHECK_TIMEOUT_MS = 10 * 60_000;
const CHECK_OUTPUT_BYTES = 16 * 1024 * 1024;
/** Groups tried one by one; the rest is left without this evidence. */
const MAX_GROUPS = 20;
/** What of the check's words is kept: the last lines, where programs say why. */
const KEPT_CHARS = 2000;

export interface VerifyOrder {
  readonly repository: Repository;
  readonly env: Environment;
  /** The store's folder. */
  readonly home: string;
  readonly commit: string;
  readonly branch: string | null;
  readonly command: string;
  readonly groups: readonly Group[];
  /** Null: it cannot be laid upon HEAD. */
  readonly pathsOf: (group: Group) => Promise<readonly CommitPath[] | null>;
  readonly onStep?: (label: string, done: number, total: number) => void;
}

export interface Verified extends VerifyFact {
  /** All that passed alone, together; null: there was nothing to try. */
  readonly together: CheckOutcome | null;
  /** The end of what the check said where it failed, by `HEAD`, group or `together`. */
  readonly words: ReadonlyMap<string, string>;
  /** Groups that were not tried: too many, or they cannot be laid upon HEAD. */
  readonly untried: number;
}

export async function verifyGroups(order: VerifyOrder): Promise<Verified> {
  const { command, groups, onStep } = order;
  const words = new Map<string, string>();
  const tried = groups.slice(0, MAX_GROUPS);
  const total = tried.length + 2;
  onStep?.("HEAD alone", 0, total);
  const head = await checkWith(order, [], "HEAD", words);
  const outcomes = new Map<string, CheckOutcome>();
  const passed: CommitPath[] = [];
  const alone: string[] = [];
  let unfit = 0;
  for (const [at, group] of head === "passed" ? tried.entries() : []) {
    onStep?.(`HEAD with ${group.id}`, at + 1, total);
    const paths = await order.pathsOf(group);
    if (paths === null) unfit++;
    const outcome = paths === null ? "not-run" : await checkWith(order, paths, group.id, words);
    outcomes.set(group.id, outcome);
    if (outcome !== "passed" || paths === null) continue;
    passed.push(...paths);
    alone.push(group.id);
  }
  onStep?.("all of them together", total - 1, total);
  const together = alone.length < 2 ? null : await checkWith(order, passed, "together", words);
  if (together !== null && together !== "passed") for (const id of alone) outcomes.set(id, together);
  const untried = head === "passed" ? groups.length - tried.length + unfit : groups.length;
  return { command, head, groups: outcomes, together, words, untried };
}

/** A clone of its own for every run: what one check leaves behind must not help or hurt the next. */
async function checkWith(
  order: VerifyOrder,
  paths: readonly CommitPath[],
  label: string,
  words: Map<string, string>,
): Promise<CheckOutcome> {
  const { repository, env, home, commit, branch } = order;
  const clone = await scratchClone(repository, { home, env, commit, branch });
  try {
    for (const one of paths) lay(clone.root, one);
    const outcome = await runCheck(order.command, clone.root, env);
    const said = wordsOf(outcome);
    if (said !== "") words.set(label, said);
    return outcomeOf(outcome);
  } finally {
    clone.remove();
  }
}

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

/** As a shell of the user's would, but for what points git elsewhere and for the mark of any session. */
export function runCheck(command: string, cwd: string, env: Environment): Promise<ProgramOutcome> {
  const { REFLOAT_SESSION: _mark, ...clean } = scrubbedEnvironment(env, true);
  const options = { cwd, env: clean, maxOutputBytes: CHECK_OUTPUT_BYTES, timeoutMs: CHECK_TIMEOUT_MS };
  return runProgram("sh", ["-c", command], options);
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

function wordsOf(outcome: ProgramOutcome): string {
  if (outcome.kind !== "ended" || outcome.code === 0) return outcome.kind === "ended" ? "" : outcome.kind;
  const text = `${outcome.stdout.toString("utf8")}\n${outcome.stderr}`.trim();
  return text.slice(-KEPT_CHARS);
}
