/**
 * What a commit of refloat's holds is what `git add -A` and `git commit` would have stored: with the attributes that HEAD has,
 * the filters and line endings of the user, whatever kind of index or repository it is. Git itself says what that is.
 */
import { execFileSync } from "node:child_process";
import { copyFileSync, lstatSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makePlace, type Place } from "../support/cli.ts";
import { type TestRepository, testRepository } from "../support/git-repository.ts";
import { ANN, leftSession } from "../support/left-session.ts";
import { treeState } from "../support/tree-state.ts";

const LONG = { timeout: 10 * 60_000 };

/** The user's own configuration, not the repository's: nobody has to trust it. */
function configure(place: Place, text: string): void {
  writeFileSync(join(place.home, ".gitconfig"), text);
}

/** Git with that configuration. */
function userGit(place: Place, repo: TestRepository, args: readonly string[], indexFile?: string): string {
  const env = { PATH: process.env.PATH, HOME: place.home, GIT_CONFIG_NOSYSTEM: "1", ...ANN };
  return execFileSync("git", args, {
    cwd: repo.root,
    env: { ...env, ...(indexFile === undefined ? {} : { GIT_INDEX_FILE: indexFile }) },
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  }).trim();
}

/**
 * The tree git itself would commit, made beside the user's index: by a copy that is no younger, or git would take a file
 * of the same size, written in the same second as the index, for unchanged.
 */
function treeByGit(place: Place, repo: TestRepository): string {
  const [own, indexFile] = [join(repo.root, ".git/index"), join(place.home, "beside.index")];
  copyFileSync(own, indexFile);
  const writtenAt = Math.floor(lstatSync(own).mtimeMs / 1000);
  utimesSync(indexFile, writtenAt, writtenAt);
  userGit(place, repo, ["-c", "core.splitIndex=false", "add", "-A"], indexFile);
  return userGit(place, repo, ["write-tree"], indexFile);
}

interface Story {
  readonly config?: string;
  /** Of `git init`. */
  readonly init?: readonly string[];
  readonly base: (repo: TestRepository, git: (...args: string[]) => string) => void;
  readonly edits: (repo: TestRepository) => Readonly<Record<string, () => void>>;
  readonly isUndone?: true;
}

const FILTER =
  '[filter "big"]\n\tclean = sed s/RAW/POINTER/\n\tsmudge = sed s/POINTER/RAW/\n\trequired = true\n';

const STORIES: Readonly<Record<string, Story>> = {
  "a filter that HEAD's attributes name: the pointer, never the raw file": {
    config: FILTER,
    base: (repo, git) => {
      repo.write(".gitattributes", "*.big filter=big -text\n");
      repo.write("x.big", "RAW 1\n");
      git("add", "-A");
    },
    edits: (repo) => ({
      "x.big": () => repo.write("x.big", "RAW 2\n"),
      "in/y.big": () => repo.write("in/y.big", "RAW 3\n"),
    }),
  },
  "line endings that HEAD's attributes name": {
    base: (repo, git) => {
      repo.write(".gitattributes", "* text=auto\n");
      repo.write("in/.gitattributes", "*.bat eol=crlf\n");
      repo.write("a.md", "one\n");
      git("add", "-A");
    },
    edits: (repo) => ({
      "a.md": () => repo.write("a.md", "one\r\ntwo\r\n"),
      "in/b.bat": () => repo.write("in/b.bat", "dir\r\n"),
    }),
  },
  "a file that HEAD has with CR LF, under autocrlf: its other lines stay": {
    config: "[core]\n\tautocrlf = input\n",
    base: (repo, git) => {
      repo.write("a.md", "one\r\ntwo\r\n");
      git("-c", "core.autocrlf=false", "add", "-A");
    },
    edits: (repo) => ({ "a.md": () => repo.write("a.md", "one\r\ntwo\r\nthree\r\n") }),
  },
  "attributes that are committed together with what they are about": {
    base: (repo, git) => {
      repo.write("c.txt", "x\n");
      git("add", "-A");
    },
    edits: (repo) => ({
      ".gitattributes": () => repo.write(".gitattributes", "*.txt text eol=crlf\n"),
      "c.txt": () => repo.write("c.txt", "x\r\ny\r\n"),
    }),
  },
  "a link, where links cannot be made": {
    base: (repo, git) => {
      repo.write("a.md", "one\n");
      symlinkSync("a.md", join(repo.root, "to"));
      git("add", "-A");
      git("config", "core.symlinks", "false");
      rmSync(join(repo.root, "to"));
      git("checkout", "-q", "to");
    },
    edits: (repo) => ({ to: () => repo.write("to", "b.md") }),
  },
  "nothing but a deletion, in a repository of sha256": {
    isUndone: true,
    init: ["--object-format=sha256"],
    base: (repo, git) => {
      repo.write("a.md", "one\n");
      repo.write("b.md", "two\n");
      git("add", "-A");
    },
    edits: (repo) => ({ "b.md": () => rmSync(join(repo.root, "b.md")) }),
  },
  "a sparse index": {
    isUndone: true,
    base: (repo, git) => {
      for (const path of ["in/1.md", "in/2.md", "out/1.md", "out/2.md"]) repo.write(path, "one\n");
      git("add", "-A");
      git("commit", "-qm", "all of it");
      git("sparse-checkout", "init", "--cone", "--sparse-index");
      git("sparse-checkout", "set", "in");
    },
    edits: (repo) => ({
      "in/1.md": () => repo.write("in/1.md", "one\ntwo\n"),
      "in/2.md": () => rmSync(join(repo.root, "in/2.md")),
      "in/3.md": () => repo.write("in/3.md", "three\n"),
    }),
  },
};

describe(
  "a commit holds what git itself would store, and undo leaves everything as it was (S5):",
  LONG,
  () => {
    for (const [what, story] of Object.entries(STORIES))
      it(what, async () => {
        const place = makePlace();
        configure(place, story.config ?? "");
        execFileSync("git", ["init", "-q", "-b", "main", ...(story.init ?? []), place.workspace]);
        const repo = testRepository(place.workspace);
        const git = (...args: string[]): string => userGit(place, repo, args);
        story.base(repo, git);
        git("commit", "-q", "--allow-empty", "-m", "base");
        await leftSession(place, repo, { edits: story.edits(repo) });
        const before = treeState(repo);
        const tree = treeByGit(place, repo);
        expect(await place.json(["commit", "--all", "--yes"], { env: ANN })).toMatchObject({
          code: 0,
          json: { done: true, conflicts: [] },
        });
        expect(git("rev-parse", "HEAD^{tree}")).toBe(tree);
        expect(git("status", "--porcelain")).toBe("");
        if (!story.isUndone) return;
        expect(await place.json(["undo", "--yes"], { env: ANN })).toMatchObject({ code: 0 });
        expect(treeState(repo)).toEqual(before);
      });
  },
);

describe("a commit is refused, and HEAD and all refs stay what they are,", LONG, () => {
  it("on a branch that is only another name of one: it would become a branch of its own", async () => {
    const place = makePlace();
    const repo = testRepository(place.workspace);
    repo.write("a.md", "A note.\n");
    repo.commit("base");
    repo.git("branch", "-m", "trunk");
    repo.git("symbolic-ref", "refs/heads/main", "refs/heads/trunk");
    repo.git("symbolic-ref", "HEAD", "refs/heads/main");
    await leftSession(place, repo, { edits: { "b.md": () => repo.write("b.md", "Another.\n") } });
    const { code, json } = await place.json(["commit", "--all", "--yes"], { env: ANN });
    expect([code, json.code]).toEqual([1, "E_UNSUPPORTED"]);
    expect(`${json.message} ${json.hint}`).toContain("trunk");
    expect(repo.git("symbolic-ref", "refs/heads/main")).toBe("refs/heads/trunk");
    expect(repo.git("log", "--format=%s", "trunk")).toBe("base");
  });

  it("on a ref that is no branch", async () => {
    const place = makePlace();
    const repo = testRepository(place.workspace);
    repo.write("a.md", "A note.\n");
    const base = repo.commit("base");
    repo.git("update-ref", "refs/meta/x", base);
    repo.git("symbolic-ref", "HEAD", "refs/meta/x");
    await leftSession(place, repo, { edits: { "b.md": () => repo.write("b.md", "Another.\n") } });
    const { code, json } = await place.json(["commit", "--all", "--yes"], { env: ANN });
    expect([code, json.code]).toEqual([1, "E_UNSUPPORTED"]);
    expect(json.message).toContain("refs/meta/x");
    expect(repo.git("symbolic-ref", "HEAD")).toBe("refs/meta/x");
  });
});

it("a file that git does not store is a conflict of its group, named with git's words; the others are committed (DESIGN 15)", async () => {
  const place = makePlace();
  const repo = testRepository(place.workspace);
  repo.write(".gitattributes", "*.wide working-tree-encoding=UTF-16LE-BOM\n");
  repo.write("notes.md", "One.\n");
  repo.commit("base");
  await leftSession(place, repo, {
    edits: {
      "notes.md": () => repo.write("notes.md", "One.\nTwo.\n"),
      "bad.wide": () => repo.write("bad.wide", "odd"),
    },
  });
  const before = treeState(repo);
  const { code, json } = await place.json(["commit", "--all", "--yes"], { env: ANN });
  expect([code, json.conflicts]).toEqual([
    3,
    [expect.objectContaining({ path: "bad.wide", why: expect.stringContaining("UTF-16LE-BOM") })],
  ]);
  expect(repo.git("show", "--name-only", "--format=", "HEAD")).toBe("notes.md");
  expect((await place.json(["undo", "--yes"], { env: ANN })).code).toBe(0);
  expect(treeState(repo)).toEqual(before);
  const empty = await place.json(["commit", "--all", "--yes", "-m", " "], { env: ANN });
  expect([empty.code, empty.json.code], "no commit without a message").toEqual([64, "E_USAGE"]);
}, 300_000);
