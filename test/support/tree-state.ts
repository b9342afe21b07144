/** What S5 calls equal: kinds, bytes, permission bits and link targets in the tree; index entries; HEAD and refs. */
import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import type { TestRepository } from "./git-repository.ts";

export interface TreeState {
  readonly tree: string;
  readonly index: string;
  readonly refs: string;
}

export function treeState(repo: TestRepository): TreeState {
  return {
    tree: treeText(repo.root),
    index: repo
      .git("ls-files", "-s", "-v", "--debug")
      .replace(/^ {2}(?!.*flags:).*$/gm, "")
      .replace(/size: \d+/g, ""),
    refs: `${repo.git("rev-parse", "HEAD")} ${repo.read(".git/HEAD")} ${repo.git("for-each-ref", "--format=%(refname) %(objectname)")}`,
  };
}

function treeText(root: string): string {
  const lines: string[] = [];
  const visit = (path: string): void => {
    for (const name of readdirSync(join(root, path)).sort()) {
      const inside = path === "" ? name : `${path}/${name}`;
      if (inside === ".git") continue;
      const stat = lstatSync(join(root, inside));
      const mode = (stat.mode & 0o7777).toString(8);
      if (stat.isSymbolicLink()) lines.push(`link ${inside} -> ${readlinkSync(join(root, inside))}`);
      else if (stat.isDirectory()) lines.push(`folder ${mode} ${inside}`);
      else
        lines.push(
          `file ${mode} ${inside} ${createHash("sha256")
            .update(readFileSync(join(root, inside)))
            .digest("hex")}`,
        );
      if (stat.isDirectory()) visit(inside);
    }
  };
  visit("");
  return lines.join("\n");
}
