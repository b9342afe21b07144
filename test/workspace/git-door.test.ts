/** The one door to git: a hostile repository runs nothing, nothing is written into .git, and it leads nowhere else. */
import { existsSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { PathName } from "../../src/model/path-name.ts";
import { pathsWithFilter, readTracked } from "../../src/workspace/git/beside-status.ts";
import { headFromFiles, inProgress, readHead } from "../../src/workspace/git/head.ts";
import { indexIdentity, isSameIndex } from "../../src/workspace/git/index-file.ts";
import { locateRepository } from "../../src/workspace/git/locate.ts";
import { objectsAt, readBlobs, treeChanges } from "../../src/workspace/git/objects.ts";
import { openRepository, type Repository } from "../../src/workspace/git/repository.ts";
import { readStatus } from "../../src/workspace/git/status.ts";
import {
  clashingBranches,
  DOOR_ENV,
  fingerprint,
  type TestRepository,
  testRepository,
} from "../support/git-repository.ts";
import { need } from "../support/needs.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const LONG_MS = 60_000;

async function door(root: string, isTrusted?: (digest: string) => boolean): Promise<Repository> {
  const location = locateRepository(root);
  if (!location) throw new Error("no repository");
  return openRepository(location, { env: DOOR_ENV, ...(isTrusted ? { isTrusted } : {}) });
}

/** Everything we ever ask git, once. */
async function askEverything(repository: Repository, from: string, to: string): Promise<void> {
  await readStatus(repository, LONG_MS);
  await readTracked(repository, LONG_MS);
  await readHead(repository);
  const changes = await treeChanges(repository, from, to);
  const paths = changes.map(({ path }) => path);
  const objects = await objectsAt(repository, to, paths);
  await pathsWithFilter(repository, paths, ["evil"]);
  await readBlobs(
    repository,
    [...objects].flatMap(([path, { id }]) => [{ id, path }, { id }]),
  );
}

const codeOf = async (work: () => Promise<unknown>): Promise<unknown> => {
  try {
    return await work();
  } catch (thrown) {
    return (thrown as { code?: string }).code;
  }
};

function twoCommits(repo: TestRepository): { from: string; to: string } {
  repo.write("a.txt", "one\n");
  repo.write("b.bin", "bin\n");
  const from = repo.commit();
  repo.write("a.txt", "two\n");
  const to = repo.commit();
  return { from, to };
}

describe("a hostile repository", () => {
  const EVERY_WAY: readonly (readonly [
    what: string,
    arrange: (repo: TestRepository, run: string) => void,
  ])[] = [
    [
      "a clean, smudge and process filter",
      (repo, run) => {
        for (const key of ["clean", "smudge", "process"]) repo.git("config", `filter.evil.${key}`, run);
        repo.git("config", "filter.evil.required", "true");
      },
    ],
    [
      "a filter whose name holds an equals sign",
      (repo, run) => {
        repo.write(".git/info/attributes", "* filter=a=b\n");
        repo.git("config", "filter.a=b.clean", run);
        repo.git("config", "filter.a=b.smudge", run);
      },
    ],
    ["a file system monitor", (repo, run) => repo.git("config", "core.fsmonitor", run)],
    [
      "a monitor from an included work-tree file",
      (repo, run) => {
        repo.write("settings", `[core]\n\tfsmonitor = "${run}"\n[filter "evil"]\n\tclean = "${run}"\n`);
        repo.git("config", "include.path", "../settings");
      },
    ],
    [
      "a monitor from a conditional include",
      (repo, run) => {
        repo.write("settings", `[core]\n\tfsmonitor = "${run}"\n`);
        repo.git("config", "includeIf.gitdir:/**.path", "../settings");
      },
    ],
    [
      "worktree configuration",
      (repo, run) => {
        repo.git("config", "extensions.worktreeConfig", "true");
        repo.git("config", "--worktree", "core.fsmonitor", run);
      },
    ],
    [
      "hooks",
      (repo, run) => {
        mkdirSync(join(repo.root, "hooks"));
        for (const name of ["post-index-change", "pre-commit", "post-checkout", "fsmonitor-watchman"]) {
          writeFileSync(join(repo.root, "hooks", name), `#!/bin/sh\n${run}\n`, { mode: 0o755 });
          writeFileSync(join(repo.root, ".git/hooks", name), `#!/bin/sh\n${run}\n`, { mode: 0o755 });
        }
        repo.git("config", "core.hooksPath", "hooks");
      },
    ],
    [
      "textconv and an external diff",
      (repo, run) => {
        repo.git("config", "diff.evil.textconv", run);
        repo.git("config", "diff.evil.command", run);
        repo.git("config", "diff.external", run);
      },
    ],
    [
      "pager, editor, ssh, askpass, proxy and an alternates command",
      (repo, run) => {
        for (const key of ["pager", "editor", "sshCommand", "askPass", "gitProxy", "alternateRefsCommand"])
          repo.git("config", `core.${key}`, run);
        repo.git("config", "pager.status", run);
        repo.git("config", "pager.diff-tree", run);
        repo.git("config", "credential.helper", `!${run}`);
        repo.git("config", "gpg.program", run);
        repo.git("config", "log.showSignature", "true");
      },
    ],
    ["an alias over a command of git", (repo, run) => repo.git("config", "alias.status", `!${run}`)],
    [
      "a partial clone whose remote is a program",
      (repo, run) => {
        repo.git("config", "remote.origin.url", `ext::sh -c ${run}`);
        repo.git("config", "remote.origin.promisor", "true");
        repo.git("config", "protocol.ext.allow", "always");
        repo.git("config", "remote.origin.uploadpack", run);
        repo.git("config", "extensions.partialClone", "origin");
        repo.git("config", "core.repositoryFormatVersion", "1");
      },
    ],
  ];

  it.each(EVERY_WAY)("runs nothing with %s, whatever we ask of it", async (_what, arrange) => {
    const repo = testRepository();
    const { from, to } = twoCommits(repo);
    const marker = join(temporaryFolder(), "ran");
    const script = join(temporaryFolder(), "evil");
    writeFileSync(script, `#!/bin/sh\ntouch ${marker}\ncat\n`, { mode: 0o755 });
    repo.write(".git/info/attributes", "* filter=evil diff=evil\n");
    arrange(repo, script);
    // Same size, another time: git must look at the bytes to know.
    repo.write("a.txt", "TWO\n");
    repo.write("new.txt", "new\n");
    await askEverything(await door(repo.root), from, to);
    expect(existsSync(marker)).toBe(false);
  });

  it("would run its filter and its monitor for plain git: the test can fail", () => {
    const repo = testRepository();
    twoCommits(repo);
    const marker = join(temporaryFolder(), "ran");
    repo.write(".git/info/attributes", "* filter=evil\n");
    repo.git("config", "filter.evil.clean", `touch ${marker}; cat`);
    repo.write("a.txt", "TWO\n");
    repo.git("status");
    expect(existsSync(marker)).toBe(true);
  });

  it("fetches nothing for an object that a partial clone lacks, and says that it is missing", async () => {
    const repo = testRepository();
    const { to } = twoCommits(repo);
    const marker = join(temporaryFolder(), "ran");
    repo.git("config", "remote.origin.url", `ext::sh -c touch% ${marker}`);
    repo.git("config", "remote.origin.promisor", "true");
    repo.git("config", "protocol.ext.allow", "always");
    repo.git("config", "extensions.partialClone", "origin");
    repo.git("config", "core.repositoryFormatVersion", "1");
    const id = repo.git("rev-parse", "HEAD:a.txt");
    rmSync(join(repo.root, ".git/objects", id.slice(0, 2), id.slice(2)));
    const repository = await door(repo.root);
    const read = await codeOf(() => readBlobs(repository, [{ id }]));
    expect([[null], "E_GIT_FAILED"]).toContainEqual(read);
    await codeOf(() => askEverything(repository, `${to}~1`, to));
    expect(existsSync(marker)).toBe(false);
  });

  it("has its filters switched on only by trust in exactly their text, and names them until then", async () => {
    const repo = testRepository();
    repo.write(".gitattributes", "*.x filter=up\n");
    repo.git("config", "filter.up.clean", "tr a-z A-Z");
    repo.git("config", "filter.up.smudge", "tr A-Z a-z");
    repo.write("f.x", "text\n");
    repo.commit();
    const closed = await door(repo.root);
    expect(closed.untrustedFilters).toEqual(["up"]);
    expect(await pathsWithFilter(closed, ["f.x" as PathName, ".gitattributes" as PathName], ["up"])).toEqual(
      new Map([["f.x", "up"]]),
    );
    const blob = repo.git("rev-parse", "HEAD:f.x");
    const wanted = [{ id: blob, path: "f.x" as PathName }];
    expect(String(await readBlobs(closed, wanted))).toBe("TEXT\n");
    const { filterDigest } = closed;
    const open = await door(repo.root, (digest) => digest === filterDigest);
    expect(open.untrustedFilters).toEqual([]);
    expect(String(await readBlobs(open, wanted))).toBe("text\n");
    repo.git("config", "filter.up.smudge", "tr A-Z b-z");
    const changed = await door(repo.root, (digest) => digest === filterDigest);
    expect(changed.untrustedFilters).toEqual(["up"]);
  });
});

describe("the door", () => {
  it("W1: leaves every byte, inode and time in .git as it was, also with an index.lock there", async () => {
    const repo = testRepository();
    const { from, to } = twoCommits(repo);
    repo.write("a.txt", "TWO\n");
    repo.write(".git/index.lock", "");
    const before = fingerprint(join(repo.root, ".git"));
    await askEverything(await door(repo.root), from, to);
    expect(fingerprint(join(repo.root, ".git"))).toBe(before);
  });

  it("lets the user's identity through for commits alone, and takes an index and a work tree of our own", async () => {
    const repo = testRepository();
    repo.write("f", "1\n");
    repo.commit();
    const name = {
      GIT_AUTHOR_NAME: "Ann",
      GIT_AUTHOR_EMAIL: "ann@example.invalid",
      GIT_AUTHOR_DATE: "1 +0000",
    };
    const location = locateRepository(repo.root);
    if (!location) throw new Error("no repository");
    const repository = await openRepository(location, { env: { ...DOOR_ENV, ...name } });
    const ident = async (keepsIdentity: boolean): Promise<string> =>
      (await repository.run(["var", "GIT_AUTHOR_IDENT"], { keepsIdentity, answers: [128] })).toString();
    expect(await ident(false)).not.toContain("ann@example.invalid");
    expect(await ident(true)).toMatch(/^Ann <ann@example.invalid> (?!1 )/);
    const folder = temporaryFolder();
    writeFileSync(join(folder, "g"), "2\n");
    const own = { indexFile: join(folder, "index"), workTree: folder, isWriting: true };
    await repository.run(["update-index", "--add", "g"], own);
    expect((await repository.run(["ls-files"], own)).toString()).toBe("g\n");
    expect(repo.git("status", "--porcelain")).toBe("");
  });

  it("ignores GIT_DIR, GIT_INDEX_FILE and the like of whoever started us", async () => {
    const repo = testRepository();
    twoCommits(repo);
    repo.write("a.txt", "TWO\n");
    const location = locateRepository(repo.root);
    const env = { ...DOOR_ENV, GIT_DIR: "/nonexistent", GIT_INDEX_FILE: "/nonexistent", GIT_WORK_TREE: "/" };
    const repository = await openRepository(location as NonNullable<typeof location>, { env });
    expect((await readStatus(repository, LONG_MS)).map(({ path }) => path)).toEqual(["a.txt"]);
  });

  it("refuses core.worktree, a .git that is a link, and .git files that lead to a stranger's repository", async () => {
    const victim = testRepository();
    twoCommits(victim);
    const repo = testRepository();
    twoCommits(repo);
    repo.git("config", "core.worktree", victim.root);
    expect(await codeOf(() => door(repo.root))).toBe("E_GIT_REDIRECTED");
    const linked = temporaryFolder();
    symlinkSync(join(victim.root, ".git"), join(linked, ".git"));
    expect(await codeOf(async () => locateRepository(linked))).toBe("E_GIT_REDIRECTED");
    for (const text of [
      `gitdir: ${victim.root}/.git\n`,
      `gitdir: ${victim.root}/.git/modules/x\n`,
      "gitdir: /nonexistent\n",
      "nonsense\n",
    ]) {
      const folder = temporaryFolder();
      writeFileSync(join(folder, ".git"), text);
      expect(await codeOf(async () => locateRepository(folder))).toBe("E_GIT_REDIRECTED");
    }
    const common = testRepository();
    writeFileSync(join(common.root, ".git/commondir"), join(victim.root, ".git"));
    expect(await codeOf(async () => locateRepository(common.root))).toBe("E_GIT_REDIRECTED");
  });

  it("refuses a .git file that names a registered worktree of another directory", async () => {
    const repo = testRepository();
    twoCommits(repo);
    repo.git("worktree", "add", "-q", "../linked-of-it", "-b", "other");
    const stolen = temporaryFolder();
    writeFileSync(join(stolen, ".git"), `gitdir: ${repo.root}/.git/worktrees/linked-of-it\n`);
    expect(await codeOf(async () => locateRepository(stolen))).toBe("E_GIT_REDIRECTED");
    rmSync(join(repo.root, "../linked-of-it"), { recursive: true });
  });

  it("opens a linked worktree, a submodule and a subdirectory, each with its own HEAD", async () => {
    const repo = testRepository();
    const { to } = twoCommits(repo);
    const linked = join(temporaryFolder(), "tree");
    repo.git("worktree", "add", "-q", "-b", "side", linked);
    const found = locateRepository(linked);
    expect(found).toMatchObject({ kind: "linked", root: linked });
    expect(await readHead(await door(linked))).toEqual({
      id: to,
      branch: "side",
      detached: false,
      unborn: false,
    });
    mkdirSync(join(repo.root, "deep/er"), { recursive: true });
    expect(locateRepository(join(repo.root, "deep/er"))?.root).toBe(repo.root);
    const inner = testRepository();
    twoCommits(inner);
    repo.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", inner.root, "sub");
    expect(locateRepository(join(repo.root, "sub"))).toMatchObject({ kind: "submodule" });
    expect((await door(join(repo.root, "sub"))).root).toBe(join(repo.root, "sub"));
    // The same files elsewhere are no longer the submodule they were.
    const elsewhere = temporaryFolder();
    writeFileSync(join(elsewhere, ".git"), `gitdir: ${repo.root}/.git/modules/sub\n`);
    expect(await codeOf(() => door(elsewhere))).toBe("E_GIT_REDIRECTED");
  });

  it("refuses another user's repository as git itself would, and never passes safe.directory", async () => {
    need("another user");
    const repo = testRepository();
    twoCommits(repo);
    const { execFileSync } = await import("node:child_process");
    execFileSync("chown", ["-R", "65534", repo.root]);
    expect(await codeOf(() => door(repo.root))).toBe("E_GIT_OWNER");
  });

  it("refuses a git that is too old, by name, and one that is not there", async () => {
    const repo = testRepository();
    twoCommits(repo);
    const bin = temporaryFolder();
    const location = locateRepository(repo.root) as NonNullable<ReturnType<typeof locateRepository>>;
    const withPath = (): Promise<unknown> => openRepository(location, { env: { ...DOOR_ENV, PATH: bin } });
    expect(await codeOf(withPath)).toBe("E_GIT_MISSING");
    writeFileSync(join(bin, "git"), "#!/bin/sh\necho git version 2.35.9\n", { mode: 0o755 });
    expect(await codeOf(withPath)).toBe("E_GIT_TOO_OLD");
  });

  it("says that git failed, and hands out nothing, when the index is not one", async () => {
    const repo = testRepository();
    twoCommits(repo);
    repo.write(".git/index", "not an index");
    const repository = await door(repo.root);
    expect(await codeOf(() => readStatus(repository, LONG_MS))).toBe("E_GIT_FAILED");
  });
});

describe("HEAD, the index and what is under way", () => {
  it("is read from files: branch, packed branch, detached, unborn, and git agrees", async () => {
    const repo = testRepository();
    expect(headFromFiles(locate(repo))).toEqual({ id: null, branch: "main", detached: false, unborn: true });
    const { from, to } = twoCommits(repo);
    expect(headFromFiles(locate(repo))).toEqual({ id: to, branch: "main", detached: false, unborn: false });
    repo.git("pack-refs", "--all");
    expect(headFromFiles(locate(repo))?.id).toBe(to);
    repo.git("checkout", "-q", from);
    expect(headFromFiles(locate(repo))).toEqual({ id: from, branch: null, detached: true, unborn: false });
  });

  it("tells one index from the next, and knows when there is none", () => {
    const repo = testRepository();
    expect(indexIdentity(locate(repo))).toBeNull();
    repo.write("a", "1");
    repo.git("add", "a");
    const first = indexIdentity(locate(repo));
    expect(isSameIndex(first, indexIdentity(locate(repo)))).toBe(true);
    repo.write("b", "1");
    repo.git("add", "b");
    expect(isSameIndex(first, indexIdentity(locate(repo)))).toBe(false);
  });

  it("names a merge and a rebase in progress", () => {
    const repo = testRepository();
    clashingBranches(repo);
    expect(() => repo.git("merge", "topic")).toThrow();
    expect(inProgress(locate(repo))).toEqual(["merge"]);
    repo.git("merge", "--abort");
    expect(() => repo.git("rebase", "topic")).toThrow();
    expect(inProgress(locate(repo))).toEqual(["rebase"]);
  });

  it("names skip-worktree and assume-unchanged paths and submodules, however the index is split", async () => {
    const repo = testRepository();
    for (const name of ["plain", "skipped", "assumed"]) repo.write(name, name);
    repo.commit();
    repo.git("update-index", "--skip-worktree", "skipped");
    repo.git("update-index", "--assume-unchanged", "assumed");
    repo.git("update-index", "--add", "--cacheinfo", `160000,${"1".repeat(40)},gone`);
    const tracked = await readTracked(await door(repo.root), LONG_MS);
    expect(tracked).toEqual({
      hidden: [
        { path: "assumed", flag: "assume-unchanged" },
        { path: "skipped", flag: "skip-worktree" },
      ],
      hiddenCount: 2,
      leftOut: 0,
      submodules: [{ path: "gone", id: "1".repeat(40) }],
    });
  });

  it("reads status of every kind of line, with names of any bytes", async () => {
    const repo = testRepository();
    repo.write("mod", "1\n");
    repo.write("staged", "1\n");
    repo.write("gone", "1\n");
    repo.commit();
    repo.write("mod", "2\n");
    repo.write("staged", "2\n");
    repo.git("add", "staged");
    rmSync(join(repo.root, "gone"));
    writeFileSync(Buffer.concat([Buffer.from(`${repo.root}/bad`), Buffer.from([0xff, 0x0a, 0x22])]), "x");
    testRepository(join(repo.root, "nested"));
    renameSync(join(repo.root, "nested"), join(repo.root, "nested repo"));
    const lines = await readStatus(await door(repo.root), LONG_MS);
    const brief = lines.map(({ path, kind, head, staged }) => [
      path,
      kind,
      head?.mode ?? null,
      staged.length,
    ]);
    expect(brief).toEqual([
      ["gone", "changed", 0o100644, 1],
      ["mod", "changed", 0o100644, 1],
      ["staged", "changed", 0o100644, 1],
      ['bad\udcff\n"', "untracked", null, 0],
      ["nested repo", "nested", null, 0],
    ]);
  });
});

function locate(repo: TestRepository): NonNullable<ReturnType<typeof locateRepository>> {
  return locateRepository(repo.root) as NonNullable<ReturnType<typeof locateRepository>>;
}
