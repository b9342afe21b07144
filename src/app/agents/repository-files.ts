/** Files that an agent reads in a repository: where its top is, and which of them git ignores, by the user's effective rules (W6). */
import { join, relative } from "node:path";
import type { PlannedFile } from "../../agents/install/plan-file.ts";
import { RefloatError } from "../../model/errors.ts";
import { shellWord } from "../../text/escape.ts";
import type { GitWorkspace } from "../../workspace/opening/workspace.ts";
import type { AppPlace } from "../place/app-place.ts";
import { workspaceHere } from "../place/workspace-here.ts";

export async function repositoryHere(at: AppPlace): Promise<GitWorkspace> {
  const { workspace } = await workspaceHere(at, null);
  if (workspace.kind === "git") return workspace;
  throw new RefloatError("E_NO_GIT", { path: workspace.root, why: "there are no files of a repository" });
}

/** Where this clone's own rules are, as it can be typed where somebody stands (T6): one file for all work trees, in their common folder. */
const excludeFile = ({ root, location }: GitWorkspace, stands: string): string => {
  const path = join(location.commonDir, "info/exclude");
  return location.kind === "main" && stands === root ? relative(root, path) : path;
};

/** Git's exit code for it. */
const NONE_IGNORED = 1;

/** Those that git would show are refused: what is put into them is this user's alone. A tracked file is never ignored. */
export async function onlyIgnored(
  workspace: GitWorkspace,
  files: readonly PlannedFile[],
  stands: string,
): Promise<readonly PlannedFile[]> {
  const changed = files.filter(({ kind }) => kind === "change");
  if (changed.length === 0) return files;
  const repository = await workspace.repository();
  const inside = ({ path }: PlannedFile): string => `./${relative(workspace.root, path)}`;
  const output = await repository.run(["check-ignore", "-z", "--stdin"], {
    input: Buffer.from(changed.map((file) => `${inside(file)}\0`).join("")),
    pathspecs: "magic",
    answers: [NONE_IGNORED],
  });
  const ignored = new Set(output.toString("utf8").split("\0"));
  const excludes = shellWord(excludeFile(workspace, stands));
  return files.map((file) => {
    if (file.kind !== "change" || ignored.has(inside(file))) return file;
    const { path, what, owner } = file;
    const line = shellWord(inside(file).slice(2));
    const why = `git does not ignore it: \`echo ${line} >>${excludes}\` first, or --shared`;
    return { path, what, owner, kind: "refused", why };
  });
}
