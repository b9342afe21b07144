/**
 * The tree as it is now, to be compared with: read like a capture, held nowhere. Paths the other side names are
 * read by name where status does not list them, so that a file that is only ignored by now is not taken for gone.
 */
import type { PathName } from "../../model/path-name.ts";
import { hashingSink } from "../files/contents-sink.ts";
import { lookAt } from "../files/path-at.ts";
import type { Workspace } from "../opening/workspace.ts";
import { readTree, type TreeOptions } from "../tree/read-tree.ts";
import type { CompareSide } from "./sides.ts";

export async function nowSide(
  workspace: Workspace,
  otherPaths: readonly PathName[],
  options: TreeOptions,
): Promise<CompareSide> {
  const reading = await readTree(workspace, hashingSink(), options);
  const listed = new Set([...reading.entries, ...reading.gaps].map(({ path }) => path));
  const unlisted = otherPaths.filter(
    (path) => !listed.has(path) && lookAt(workspace.root, path)?.isDirectory() === false,
  );
  const headId = reading.head?.id ?? null;
  if (unlisted.length === 0) return { label: "now", reading, headId };
  const more = await readTree(workspace, hashingSink(), { ...options, paths: unlisted });
  const entries = [...reading.entries, ...more.entries];
  const both = { ...reading, entries, gaps: [...reading.gaps, ...more.gaps] };
  return { label: "now", reading: both, headId, unlisted: new Set(unlisted) };
}
