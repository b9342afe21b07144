/**
 * The commits a session made that no remote is known to have, kept among the contents as bundles, each behind the one before: with a
 * store that outlives the machine they can be had in any clone that has what the remotes had (W8). Bounded (T5): what is
 * too much is named with the reason, and the session goes on.
 */
import type { KeptCommits } from "../../model/capture.ts";
import { RefloatError } from "../../model/errors.ts";
import type { ContentHash } from "../../model/ids.ts";
import { isJsonObject } from "../../model/json.ts";
import { CAPTURE_COMMITS_BYTES, CAPTURE_COMMITS_MS } from "../../model/limits.ts";
import type { SessionRow } from "../../store/contract/driver.ts";
import { addBytes, type ContentsSink } from "../files/contents-sink.ts";
import { bundleOf, commitsBeyond, idsAtRemotes } from "../git/going-commits.ts";
import type { Head } from "../git/head.ts";
import { hasCommit, isShallow } from "../git/objects.ts";
import type { Repository } from "../git/repository.ts";

/** How far a session's commits are kept (store/contract/session-facts.ts). */
export interface KeptUpTo {
  /** The last that was looked at. */
  readonly head: string | null;
  /** The last that can be had from what is kept and what remotes have; null: none. */
  readonly whole: string | null;
  readonly commits: number;
  readonly bytes: number;
  readonly leftOut: string | null;
}

/** Null: nobody looked. */
export function keptOf({ facts }: Pick<SessionRow, "facts">): KeptUpTo | null {
  const { kept } = facts;
  if (!isJsonObject(kept)) return null;
  const text = (value: unknown): string | null => (typeof value === "string" ? value : null);
  const number = (value: unknown): number => (typeof value === "number" ? value : 0);
  return {
    head: text(kept.head),
    whole: text(kept.whole),
    commits: number(kept.commits),
    bytes: number(kept.bytes),
    leftOut: text(kept.left_out),
  };
}

type Packed = Pick<KeptCommits, "bundle" | "bases" | "commits" | "bytes" | "left_out">;

const NOTHING = { bundle: null, bases: [], commits: 0, bytes: 0 } as const;

/** `head`: one that has a commit. */
export async function keepCommits(
  repository: Repository,
  head: Head | null,
  before: KeptUpTo | null,
  sink: ContentsSink,
): Promise<KeptCommits | null> {
  const id = head?.id ?? null;
  if (id === null) return null;
  const after = before?.whole ?? null;
  const packed = await pack(repository, { id, branch: head?.branch ?? null, after }, sink).catch(leftOut);
  const sum = (what: "commits" | "bytes"): number => (before?.[what] ?? 0) + packed[what];
  return {
    head: id,
    after,
    ...packed,
    bases: [...packed.bases],
    all: { commits: sum("commits"), bytes: sum("bytes") },
  };
}

/** That git fails, or takes too long, costs these commits and not the capture. */
function leftOut(thrown: unknown): Packed {
  if (!(thrown instanceof RefloatError)) throw thrown;
  return { ...NOTHING, bases: [], left_out: thrown.message };
}

interface Wanted {
  readonly id: string;
  readonly branch: string | null;
  readonly after: string | null;
}

async function pack(
  repository: Repository,
  { id, branch, after }: Wanted,
  sink: ContentsSink,
): Promise<Packed> {
  const known = after !== null && (await hasCommit(repository, after)) ? [after] : [];
  const others = [...(await idsAtRemotes(repository)), ...known];
  const commits = await commitsBeyond(repository, [id], others);
  if (commits === 0) return { ...NOTHING, bases: [], left_out: null };
  if (others.length === 0 && isShallow(repository))
    return { ...NOTHING, bases: [], left_out: "the clone is shallow and knows no branch of a remote" };
  const bytes = await sizeBeyond(repository, id, others);
  if (bytes > CAPTURE_COMMITS_BYTES)
    return {
      ...NOTHING,
      bases: [],
      left_out: `they have ${bytes} bytes, and ${CAPTURE_COMMITS_BYTES} are kept at most`,
    };
  const tips = [{ ref: branch === null ? "HEAD" : `refs/heads/${branch}`, id }];
  const bundle = await bundleOf(repository, { tips, objects: [], kept: [], keptByOthers: others }, []);
  if (!bundle) return { ...NOTHING, bases: [], left_out: null };
  const hash: ContentHash = await addBytes(sink, bundle.bytes);
  await sink.settle();
  if (!sink.isHeld(hash)) return { ...NOTHING, bases: [], left_out: "the store is at its cap" };
  return { bundle: hash, bases: [...bundle.bases], commits, bytes: bundle.bytes.length, left_out: null };
}

/** As they lie in the repository now, which is about what a pack of them has. */
async function sizeBeyond(repository: Repository, id: string, others: readonly string[]): Promise<number> {
  const input = Buffer.from([id, ...others.map((one) => `^${one}`)].map((line) => `${line}\n`).join(""));
  const args = ["rev-list", "--objects", "--disk-usage", "--stdin"];
  return Number(
    (await repository.run(args, { input, timeoutMs: CAPTURE_COMMITS_MS })).toString("latin1").trim(),
  );
}
