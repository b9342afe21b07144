/**
 * Holds what a repository would lose with its tree: the commits nobody else has, what is staged and nowhere else, and git's own files; and says
 * whether it is held, by reading it back: the very bytes, as a pack that git itself takes apart (W4).
 */
import { createHash } from "node:crypto";
import { join } from "node:path";
import type { HeldRepository } from "../../model/capture.ts";
import { giving, RefloatError } from "../../model/errors.ts";
import type { ContentHash } from "../../model/ids.ts";
import { writeAtomic } from "../../platform/durable-file.ts";
import { makeScratchDirectory, removeScratch } from "../../platform/scratch.ts";
import type { Store } from "../../store/store.ts";
import { addBytes, type ContentsSink } from "../files/contents-sink.ts";
import { gitFilesIn } from "../git/git-files.ts";
import { bundleOf, type GoingCommits, packIn } from "../git/going-commits.ts";
import { type LfsObject, lfsBytes } from "../git/lfs-objects.ts";
import type { Repository } from "../git/repository.ts";
import { isSubmodule } from "../git/status.ts";
import type { Reading } from "../tree/reading.ts";

export async function holdRepository(
  repository: Repository,
  going: GoingCommits,
  reading: Reading,
  sink: ContentsSink,
  lfs: readonly LfsObject[] = [],
): Promise<HeldRepository> {
  const bundle = await bundleOf(repository, going, stagedOnly(reading));
  const hash = bundle ? await addBytes(sink, bundle.bytes) : null;
  const { files, leftOut } = gitFilesIn(repository.gitDir);
  const held: { name: string; mode: number; hash: ContentHash }[] = [];
  for (const { name, mode, bytes } of files) held.push({ name, mode, hash: await addBytes(sink, bytes) });
  for (const object of lfs)
    held.push({ name: object.name, mode: LFS_MODE, hash: await sink.addStream(lfsBytes(object)) });
  await sink.settle();
  const all = [...(hash === null ? [] : [hash]), ...held.map((one) => one.hash)];
  // A cap that was reached is no hold.
  if (all.some((one) => !sink.isHeld(one)))
    throw new RefloatError("E_CAPTURE_GAP", { path: ".git", why: "the store is at its cap" });
  return {
    bundle: hash,
    tips: (bundle?.tips ?? []).map((tip) => ({ ...tip })),
    bases: [...(bundle?.bases ?? [])],
    files: held,
    left_out: [...leftOut],
  };
}

/** As LFS writes them. */
const LFS_MODE = 0o444;

/** Blobs the index has and HEAD has not: where the file was changed again since, they are nowhere else. */
export const stagedOnly = ({ entries }: Pick<Reading, "entries">): string[] => [
  ...new Set(
    entries.flatMap(({ head, staged = [] }) =>
      staged.filter((one) => one.id !== head?.id && !isSubmodule(one)).map(({ id }) => id),
    ),
  ),
];

/** Whether the store gives these very bytes back. */
export async function readsBack(store: Store, hash: ContentHash): Promise<boolean> {
  const whole = createHash("sha256");
  try {
    for await (const piece of store.readContent(hash)) whole.update(piece);
  } catch (thrown) {
    if (thrown instanceof RefloatError) return false;
    throw thrown;
  }
  return whole.digest("hex") === hash;
}

/** The tips that a held bundle really has, as git sees it; none of one that is damaged or gone. */
export async function tipsReadBack(
  store: Store,
  repository: Repository,
  { bundle, tips }: HeldRepository,
): Promise<readonly string[]> {
  if (bundle === null || !(await readsBack(store, bundle as ContentHash))) return [];
  const pieces: Uint8Array[] = [];
  for await (const piece of store.readContent(bundle as ContentHash)) pieces.push(piece);
  const objects = await objectsOf(repository, packIn(Buffer.concat(pieces))).catch(
    giving(new Set<string>(), "E_GIT_FAILED"),
  );
  return tips.map(({ id }) => id).filter((id) => objects.has(id));
}

async function objectsOf(repository: Repository, pack: Buffer): Promise<ReadonlySet<string>> {
  const scratch = makeScratchDirectory("refloat-pack-", pack.length * 2);
  try {
    const file = join(scratch, "held.pack");
    writeAtomic(file, pack);
    const index = join(scratch, "held.idx");
    await repository.run(["index-pack", "-o", index, file]);
    const listed = await repository.run(["verify-pack", "-v", index]);
    return new Set(
      listed
        .toString("latin1")
        .split("\n")
        .map((line) => line.split(" ")[0] ?? ""),
    );
  } finally {
    removeScratch(scratch);
  }
}
