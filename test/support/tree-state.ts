/** What S5 calls equal: kinds, bytes, permission bits and link targets in the tree; index entries; HEAD and refs. */
import { createHash } from "node:crypto";
import { lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
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

/** By bytes: a name need not be text. Without git's own folder, or the file that stands for it. */
export function treeText(root: string): string {
  const lines: string[] = [];
  const visit = (path: Buffer): void => {
    const at = (name: Buffer): Buffer => Buffer.concat([Buffer.from(root), Buffer.from("/"), name]);
    const names = readdirSync(at(path), { encoding: "buffer" }).sort(Buffer.compare);
    for (const name of names) {
      const inside = path.length === 0 ? name : Buffer.concat([path, Buffer.from("/"), name]);
      const shown = inside.toString("latin1");
      if (shown === ".git") continue;
      const stat = lstatSync(at(inside));
      const mode = (stat.mode & 0o7777).toString(8);
      if (stat.isSymbolicLink())
        lines.push(`link ${shown} -> ${readlinkSync(at(inside), { encoding: "buffer" }).toString("latin1")}`);
      else if (stat.isDirectory()) lines.push(`folder ${mode} ${shown}`);
      else
        lines.push(
          `file ${mode} ${shown} ${createHash("sha256")
            .update(readFileSync(at(inside)))
            .digest("hex")}`,
        );
      if (stat.isDirectory()) visit(inside);
    }
  };
  visit(Buffer.alloc(0));
  return lines.join("\n");
}
