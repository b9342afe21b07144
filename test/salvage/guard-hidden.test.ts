/** `guard`: what git does not show of itself counts all the same: what cannot be known, or held, is a no (S7, W4). */
import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { guard } from "../../src/library/workspace.ts";
import { DOOR_ENV, type TestRepository, testRepository } from "../support/git-repository.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

interface Scene {
  readonly repo: TestRepository;
  readonly env: NodeJS.ProcessEnv;
  kinds(path?: string): Promise<string[]>;
  held(path?: string): Promise<string[]>;
}

/** A clone with nothing that its remote has not. */
function scene(root = join(temporaryFolder(), "clone")): Scene {
  const env = { ...DOOR_ENV, REFLOAT_HOME: temporaryFolder() };
  const repo = testRepository(root);
  const origin = join(temporaryFolder(), "origin.git");
  repo.git("init", "-q", "--bare", origin);
  repo.write("a.txt", "1\n");
  repo.commit();
  repo.git("remote", "add", "origin", origin);
  repo.git("push", "-q", "origin", "main");
  const said = async (path: string, hold: boolean): Promise<string[]> => {
    const { verdict, findings } = await guard(path, { hold, env });
    return [verdict, ...new Set(findings.map(({ kind }) => kind))];
  };
  return { repo, env, kinds: (path = root) => said(path, false), held: (path = root) => said(path, true) };
}

const empty = (repo: TestRepository, text: string): void => {
  repo.git("commit", "-q", "--allow-empty", "-m", text);
};

describe("guard, of what git does not show", () => {
  it("W1: finds a linked work tree in git's own folder, and holds it", async () => {
    const { repo, env, kinds, held } = scene();
    const linked = join(repo.root, ".git/wt/x");
    repo.git("worktree", "add", "-q", "--detach", linked);
    expect(await kinds()).toEqual(["removable"]);
    writeFileSync(join(linked, "work"), "nowhere else\n");
    expect(await kinds()).toEqual(["keep", "changed"]);
    expect(await held()).toEqual(["removable"]);
    const { trees } = await guard(repo.root, { env });
    expect(trees.map(({ path }) => path)).toContain(linked);
  });

  it("S7: a submodule that is not checked out keeps it: its commits cannot be held", async () => {
    const { repo, kinds, held } = scene();
    const inner = testRepository(join(temporaryFolder(), "inner"));
    inner.write("i", "1\n");
    inner.commit();
    repo.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", inner.root, "sub");
    repo.commit("sub");
    repo.git("push", "-q", "origin", "main");
    expect(await kinds()).toEqual(["removable"]);
    repo.git("-C", join(repo.root, "sub"), "commit", "-q", "--allow-empty", "-m", "never pushed");
    repo.git("submodule", "deinit", "-q", "-f", "sub");
    expect(await kinds()).toEqual(["keep", "refused"]);
    expect(await held()).toEqual(["keep", "refused"]);
  });

  it.each([
    ["with a text", (repo: TestRepository) => repo.git("tag", "-a", "v1", "-m", "the only text")],
    ["on a file", (repo: TestRepository) => repo.git("tag", "v1", "HEAD:a.txt")],
    ["on a folder", (repo: TestRepository) => repo.git("tag", "v1", "HEAD^{tree}")],
  ])("S7: a tag %s that no remote is known to have keeps it, until it is held", async (_what, tag) => {
    const { repo, kinds, held } = scene();
    tag(repo);
    expect(await kinds()).toEqual(["keep", "tags"]);
    expect(await held()).toEqual(["removable"]);
    expect(await kinds()).toEqual(["removable"]);
  });

  it("a tag that is older than the clone came with it", async () => {
    const { repo, kinds } = scene();
    const at = (date: string) => ({ ...process.env, ...DOOR_ENV, GIT_COMMITTER_DATE: date });
    const tag = (folder: string, name: string, date: string): void => {
      const who = ["-c", "user.name=a", "-c", "user.email=a@b"];
      execFileSync("git", ["-C", folder, ...who, "tag", "-a", name, "-m", name], { env: at(date) });
    };
    tag(repo.root, "v1", "2020-01-01T00:00:00Z");
    const clone = join(temporaryFolder(), "second");
    execFileSync("git", ["clone", "-q", repo.root, clone], { env: at("2020-01-02T00:00:00Z") });
    expect(await kinds(clone)).toEqual(["removable"]);
    tag(clone, "v2", "2020-01-02T00:00:00Z");
    expect(await kinds(clone)).toEqual(["keep", "tags"]);
  });

  it("W4: an untracked file is not taken for a tracked one, whatever core.ignorecase says", async () => {
    const { repo, kinds, held } = scene();
    repo.git("config", "core.ignorecase", "true");
    repo.write("A.TXT", "nowhere else\n");
    expect(await kinds()).toEqual(["keep", "changed"]);
    expect(await held()).toEqual(["removable"]);
  });

  it("W4: grafts, replaced commits and a history that is cut off hide no commit", async () => {
    const { repo, kinds, held } = scene();
    const pushed = repo.git("rev-parse", "HEAD").trim();
    empty(repo, "hidden");
    const hidden = repo.git("rev-parse", "HEAD").trim();
    empty(repo, "tip");
    const tip = repo.git("rev-parse", "HEAD").trim();
    // By the graft the remote's branch stands on both.
    writeFileSync(join(repo.root, ".git/info/grafts"), `${pushed} ${tip}\n`);
    expect(await kinds()).toEqual(["keep", "commits"]);
    rmSync(join(repo.root, ".git/info/grafts"));
    repo.git("replace", "--graft", pushed, tip);
    expect(await kinds()).toEqual(["keep", "commits"]);
    repo.git("replace", "-d", pushed);
    writeFileSync(join(repo.root, ".git/shallow"), `${tip}\n`);
    expect(await held()).toEqual(["removable"]);
    rmSync(join(repo.root, ".git/shallow"));
    // What was held has the commit below the cut, too.
    repo.git("reset", "-q", "--hard", hidden);
    expect(await kinds()).toEqual(["removable"]);
  });

  it("S7: a remote's branch proves something only where that remote is configured", async () => {
    const { repo, kinds, held } = scene();
    empty(repo, "never pushed");
    repo.git("update-ref", "refs/remotes/gone/main", "HEAD");
    expect(await kinds()).toEqual(["keep", "commits"]);
    expect(await held()).toEqual(["removable"]);
  });

  it("commits that only FETCH_HEAD names count", async () => {
    const { repo, kinds, held } = scene();
    const other = testRepository(join(temporaryFolder(), "other"));
    empty(other, "of another");
    repo.git("fetch", "-q", other.root, "main");
    expect(await kinds()).toEqual(["keep", "commits"]);
    expect(await held()).toEqual(["removable"]);
  });

  it("never says 0 of a part of git's own folder", async () => {
    const { repo, kinds, held } = scene();
    mkdirSync(join(repo.root, ".git/modules/x"), { recursive: true });
    for (const part of [".git", ".git/refs", ".git/objects", ".git/modules", ".git/modules/x"]) {
      expect(await kinds(join(repo.root, part))).toEqual(expect.arrayContaining(["keep", "refused"]));
      expect(await held(join(repo.root, part))).toEqual(expect.arrayContaining(["keep", "refused"]));
    }
  });

  it("W4: a folder named .git that is no repository is not seen by git, and keeps it", async () => {
    const { repo, held } = scene();
    mkdirSync(join(repo.root, "sub/.git"), { recursive: true });
    expect(await held()).toEqual(["removable"]);
    writeFileSync(join(repo.root, "sub/.git/precious"), "nowhere else\n");
    expect(await held()).toEqual(["keep", "refused"]);
  });

  it("hooks of one's own keep it, until they are held; samples do not", async () => {
    const { repo, kinds, held } = scene();
    const hooks = join(repo.root, ".git/hooks");
    mkdirSync(hooks, { recursive: true });
    writeFileSync(join(hooks, "pre-push.sample"), "#!/bin/sh\n");
    expect(await kinds()).toEqual(["removable"]);
    writeFileSync(join(hooks, "pre-push"), "#!/bin/sh\nmine\n");
    chmodSync(join(hooks, "pre-push"), 0o755);
    expect(await kinds()).toEqual(["keep", "hooks"]);
    expect(await held()).toEqual(["removable"]);
    expect(await kinds()).toEqual(["removable"]);
  });

  it("a printed command is one that can be typed, whatever the folder is called", async () => {
    const { repo, env } = scene();
    const linked = join(temporaryFolder(), "it's $(here)\u001b[31m");
    repo.git("worktree", "add", "-q", "--detach", linked);
    repo.git("worktree", "lock", linked);
    const { findings } = await guard(linked, { env });
    const command = findings.find(({ kind }) => kind === "locked")?.command ?? "";
    expect(command).not.toContain("\u001b");
    execFileSync("bash", ["-c", command], { cwd: repo.root });
    expect((await guard(linked, { env })).findings).toEqual([]);
  });
});
