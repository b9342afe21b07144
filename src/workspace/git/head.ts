/**
 * Where HEAD is, read from git's files so that it costs the same in any repository, and what git is in the middle of. What the
 * files cannot tell (another kind of ref storage) is asked of git by whoever has the door open.
 */
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { RefloatError } from "../../model/errors.ts";
import { errnoOf } from "../../platform/io-error.ts";
import type { Location } from "./locate.ts";
import type { Repository } from "./repository.ts";

export interface Head {
  /** The commit; null where the branch has none yet. */
  readonly id: string | null;
  /** Null: detached. */
  readonly branch: string | null;
  readonly detached: boolean;
  readonly unborn: boolean;
}

/** A chain of symbolic refs longer than this is a mistake or a trap. */
const MAX_SYMBOLIC_STEPS = 5;
/** 64 MiB are half a million refs: beyond that git is asked instead. */
const MAX_PACKED_BYTES = 64 * 1024 * 1024;
const ID = /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/;
/** Refs of these folders belong to one worktree alone. */
const PER_WORKTREE = /^refs\/(?:bisect|worktree|rewritten)\//;

/** Null: the files alone do not tell. */
export function headFromFiles(location: Location): Head | null {
  if (existsSync(join(location.commonDir, "reftable"))) return null;
  const text = readText(join(location.gitDir, "HEAD"));
  if (text === null) throw new RefloatError("E_GIT_FAILED", { command: "HEAD", why: "there is no HEAD" });
  if (ID.test(text)) return { id: text, branch: null, detached: true, unborn: false };
  const ref = symbolicTarget(text);
  if (ref === null) return null;
  const found = resolveRef(location, ref);
  if (found === "unknown") return null;
  return { id: found, branch: shortName(ref), detached: false, unborn: found === null };
}

export async function readHead(repository: Repository): Promise<Head> {
  return headFromFiles(repository) ?? headFromGit(repository);
}

async function headFromGit(repository: Repository): Promise<Head> {
  const answers = [1];
  const ref = text(await repository.run(["symbolic-ref", "-q", "HEAD"], { answers }));
  const id = text(await repository.run(["rev-parse", "-q", "--verify", "HEAD"], { answers }));
  return {
    id: id === "" ? null : id,
    branch: ref === "" ? null : shortName(ref),
    detached: ref === "",
    unborn: id === "",
  };
}

function resolveRef(location: Location, first: string): string | null | "unknown" {
  let ref = first;
  for (let step = 0; step < MAX_SYMBOLIC_STEPS; step++) {
    // A ref's name comes from the repository: it must not lead out of it.
    if (!ref.startsWith("refs/") || ref.split("/").includes("..")) return "unknown";
    const folder = PER_WORKTREE.test(ref) ? location.gitDir : location.commonDir;
    const loose = readText(join(folder, ref));
    if (loose === null) return packed(location, ref);
    if (ID.test(loose)) return loose;
    const next = symbolicTarget(loose);
    if (next === null) return "unknown";
    ref = next;
  }
  return "unknown";
}

function packed({ commonDir }: Location, ref: string): string | null | "unknown" {
  const path = join(commonDir, "packed-refs");
  const size = statSync(path, { throwIfNoEntry: false })?.size;
  if (size === undefined) return null;
  if (size > MAX_PACKED_BYTES) return "unknown";
  const bytes = readFileSync(path);
  const at = bytes.indexOf(` ${ref}\n`);
  if (at === -1) return null;
  const id = bytes.subarray(bytes.lastIndexOf(0x0a, at) + 1, at).toString("latin1");
  return ID.test(id) ? id : "unknown";
}

const symbolicTarget = (content: string): string | null => /^ref:\s*(\S+)$/.exec(content)?.[1] ?? null;
const shortName = (ref: string): string => ref.replace(/^refs\/heads\//, "");
const text = (output: Buffer): string => output.toString("utf8").trim();

function readText(path: string): string | null {
  try {
    return readFileSync(path, "utf8").trim();
  } catch (thrown) {
    const code = errnoOf(thrown);
    if (code === "ENOENT" || code === "ENOTDIR" || code === "EISDIR") return null;
    throw thrown;
  }
}

/** What git is in the middle of: a merge, a rebase and so on. Named in every capture, because HEAD alone then says little. */
type InProgress = "merge" | "rebase" | "cherry-pick" | "revert" | "bisect" | "am" | "sequence";

const SIGNS: readonly (readonly [file: string, what: InProgress])[] = [
  ["MERGE_HEAD", "merge"],
  ["rebase-merge", "rebase"],
  ["rebase-apply/applying", "am"],
  ["rebase-apply", "rebase"],
  ["CHERRY_PICK_HEAD", "cherry-pick"],
  ["REVERT_HEAD", "revert"],
  ["BISECT_LOG", "bisect"],
  ["sequencer", "sequence"],
];

export const inProgress = ({ gitDir }: Location): InProgress[] =>
  inProgressBy((file) => existsSync(join(gitDir, file)));

/** The same by what somebody else saw of git's files. */
export function inProgressBy(isThere: (file: string) => boolean): InProgress[] {
  const found = SIGNS.filter(([file]) => isThere(file)).map(([, what]) => what);
  // `am` keeps its state in rebase-apply too.
  return [...new Set(found.includes("am") ? found.filter((what) => what !== "rebase") : found)];
}
