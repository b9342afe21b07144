/** Whether a path got these bytes since a commit, in a branch or tag of this repository: work that was committed somewhere and came with the clone. */
import { createHash } from "node:crypto";
import { RefloatError } from "../../model/errors.ts";
import type { PathName } from "../../model/path-name.ts";
import { lastValue } from "./config.ts";
import type { Repository } from "./repository.ts";

/** A history this long to walk proves nothing, and a person waits for the answer. */
const WALK_TIMEOUT_MS = 5000;

export async function hadBytes(
  repository: Repository,
  since: string,
  path: PathName,
  bytes: Uint8Array,
): Promise<boolean> {
  if (!path.isWellFormed()) return false;
  const id = blobId(bytes, objectHash(repository));
  try {
    const refs = ["--branches", "--remotes", "--tags", "HEAD", "--not", since];
    const args = ["log", "-1", "--format=%H", `--find-object=${id}`, ...refs, "--", path];
    const found = await repository.run(args, { timeoutMs: WALK_TIMEOUT_MS, answers: [128] });
    return found.length > 0;
  } catch (thrown) {
    if (thrown instanceof RefloatError && thrown.code === "E_GIT_LIMIT") return false;
    throw thrown;
  }
}

const objectHash = ({ config }: Repository): "sha1" | "sha256" =>
  lastValue(config, "extensions.objectformat") === "sha256" ? "sha256" : "sha1";

/** What git calls these bytes. */
export const blobId = (bytes: Uint8Array, hash: "sha1" | "sha256"): string =>
  createHash(hash).update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
