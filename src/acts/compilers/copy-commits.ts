/** The commits that went with a tree and were held first, as a bundle in a folder of its own, with git's own files beside it (W8). */
import { join } from "node:path";
import type { HeldRepository } from "../../model/capture.ts";
import type { ContentHash } from "../../model/ids.ts";
import { type PathName, pathFromText } from "../../model/path-name.ts";
import type { Store } from "../../store/store.ts";
import { emptyFolder, NewTree } from "./new-tree.ts";

export interface CopiedCommits {
  readonly to: string;
  /** Null: no commit went with it. */
  readonly bundle: string | null;
  readonly tips: readonly { readonly ref: string; readonly id: string }[];
  /** What the repository that fetches from it must have. */
  readonly bases: readonly string[];
  readonly files: readonly string[];
}

const BUNDLE = "commits.bundle" as PathName;
const PRIVATE = 0o600;

export async function copyCommits(
  store: Store,
  { bundle, tips, bases, files }: HeldRepository,
  { to: typed, isDryRun }: { readonly to: string; readonly isDryRun: boolean },
): Promise<CopiedCommits> {
  const to = emptyFolder(typed, { outside: null, isDryRun });
  const copied = {
    to,
    bundle: bundle === null ? null : join(to, BUNDLE),
    ...{ tips, bases, files: files.map(({ name }) => name) },
  };
  if (isDryRun) return copied;
  const tree = new NewTree(to);
  try {
    const put = (path: PathName, mode: number, hash: string): Promise<void> =>
      tree.put(path, { kind: "file", mode }, store.readContent(hash as ContentHash));
    if (bundle !== null) await put(BUNDLE, PRIVATE, bundle);
    for (const { name, mode, hash } of files) await put(pathFromText(`git/${name}`), mode, hash);
    tree.sync();
  } finally {
    tree.close();
  }
  return copied;
}
