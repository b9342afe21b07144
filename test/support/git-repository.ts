/** A real repository in a temporary folder, and git as its user would run it. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { temporaryFolder } from "./temporary-folder.ts";

/** The user's own configuration: an identity, and nothing of the machine the tests run on. */
const IDENTITY = {
  GIT_AUTHOR_NAME: "Ann",
  GIT_AUTHOR_EMAIL: "ann@example.invalid",
  GIT_COMMITTER_NAME: "Ann",
  GIT_COMMITTER_EMAIL: "ann@example.invalid",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
};

/** What our own door is given in tests: no identity at all. */
export const DOOR_ENV = {
  PATH: process.env.PATH,
  HOME: "/nonexistent",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
};

export interface TestRepository {
  readonly root: string;
  git(...args: string[]): string;
  write(path: string, text: string | Uint8Array, mode?: number): void;
  commit(message?: string): string;
  read(path: string): string;
}

export function testRepository(root = temporaryFolder()): TestRepository {
  const git = (...args: string[]): string =>
    execFileSync("git", args, {
      cwd: root,
      encoding: "utf8",
      env: { PATH: process.env.PATH, HOME: root, ...IDENTITY },
      stdio: ["ignore", "pipe", "pipe"],
    }).trimEnd();
  mkdirSync(root, { recursive: true });
  git("init", "-q", "-b", "main");
  return {
    root,
    git,
    write: (path, text, mode) => {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), text, mode === undefined ? {} : { mode });
    },
    commit: (message = "work") => {
      git("add", "-A");
      git("commit", "-q", "--allow-empty", "-m", message);
      return git("rev-parse", "HEAD");
    },
    read: (path) => readFileSync(join(root, path), "utf8"),
  };
}

/** `f` differs between `main`, which is checked out, and `topic`: merging or rebasing one stops in the middle. */
export function clashingBranches(repo: TestRepository): void {
  repo.write("f", "base\n");
  repo.commit();
  repo.git("checkout", "-q", "-b", "topic");
  repo.write("f", "topic\n");
  repo.commit();
  repo.git("checkout", "-q", "main");
  repo.write("f", "main\n");
  repo.commit();
}

/** Every file below a folder with kind, mode and bytes, as one text: equal texts are equal folders. */
export function fingerprint(folder: string): string {
  const lines: string[] = [];
  const visit = (path: string): void => {
    const stat = lstatSync(path);
    const what = stat.isSymbolicLink()
      ? readlinkSync(path)
      : stat.isFile()
        ? createHash("sha256").update(readFileSync(path)).digest("hex")
        : "";
    // Also the inode and the time: rewritten with the same bytes is written, too.
    lines.push(`${path} ${stat.mode} ${stat.isDirectory() ? "" : `${stat.ino} ${stat.mtimeMs}`} ${what}`);
    if (stat.isDirectory()) for (const name of readdirSync(path).sort()) visit(join(path, name));
  };
  visit(folder);
  return lines.join("\n");
}
