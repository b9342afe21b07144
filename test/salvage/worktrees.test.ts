/** `worktrees`: what may go is proved, and whatever cannot be proved stays (facts/peers: trees collected with work in them). */
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { BIN, type JsonObject, makePlace, type Place } from "../support/cli.ts";
import { fingerprint, type TestRepository, testRepository } from "../support/git-repository.ts";
import { unshareArguments } from "../support/needs.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

interface Scene {
  readonly place: Place;
  readonly repo: TestRepository;
  /** A work tree on a branch of its own, one commit ahead of main. */
  worktree(name: string): string;
  /** Of each path, by one run of the command. */
  verdicts(): Promise<(path: string | undefined) => { verdict: string; reasons: string }>;
}

function scene(): Scene {
  const place = makePlace();
  const repo = testRepository(place.workspace);
  repo.write("f", "1\n");
  repo.commit();
  const trees = temporaryFolder();
  return {
    place,
    repo,
    worktree: (name) => {
      const path = join(trees, name);
      repo.git("worktree", "add", "-q", "-b", name, path);
      writeFileSync(join(path, name), "new\n");
      repo.git("-C", path, "add", "-A");
      repo.git("-C", path, "commit", "-q", "-m", name);
      return path;
    },
    verdicts: async () => {
      const { json } = await place.json(["worktrees"]);
      return (path) => {
        const found = json.worktrees.find((one: JsonObject) => one.path === path);
        return { verdict: found.verdict, reasons: found.reasons.join("; ") };
      };
    },
  };
}

describe("worktrees", () => {
  it("calls a work tree removable only when its commits are merged, squashed, rebased or on a remote", async () => {
    const { repo, worktree, verdicts } = scene();
    const [open, merged, squashed, rebased, pushed] = ["open", "merged", "squashed", "rebased", "pushed"].map(
      worktree,
    );
    repo.git("merge", "-q", "--no-ff", "-m", "merge", "merged");
    repo.git("merge", "-q", "--squash", "squashed");
    repo.git("commit", "-q", "-m", "squashed in one");
    repo.git("cherry-pick", "rebased");
    repo.git("update-ref", "refs/remotes/origin/pushed", "pushed");
    repo.git("update-ref", "refs/remotes/origin/main", "main");
    const verdict = await verdicts();
    expect(verdict(open)).toMatchObject({
      verdict: "keep",
      reasons: expect.stringMatching(/neither its commits nor/),
    });
    expect(verdict(merged)).toMatchObject({
      verdict: "removable",
      reasons: expect.stringMatching(/its commits are on/),
    });
    expect(verdict(squashed)).toMatchObject({
      verdict: "removable",
      reasons: expect.stringMatching(/has its patch as/),
    });
    expect(verdict(rebased)).toMatchObject({ verdict: "removable" });
    expect(verdict(pushed)).toMatchObject({
      verdict: "removable",
      reasons: expect.stringMatching(/on origin\/pushed/),
    });
    expect(verdict(repo.root)).toMatchObject({
      verdict: "keep",
      reasons: expect.stringMatching(/the main work tree/),
    });
  });

  it("counts what the user's own default branch has and has not pushed yet; a work tree on that branch proves nothing by itself", async () => {
    const { repo, worktree, verdicts } = scene();
    repo.git("update-ref", "refs/remotes/origin/main", "main");
    const squashed = worktree("squashed");
    repo.git("merge", "-q", "--squash", "squashed");
    repo.git("commit", "-q", "-m", "squashed in one");
    repo.git("checkout", "-q", "--detach");
    const onMain = `${squashed}-main`;
    repo.git("worktree", "add", "-q", onMain, "main");
    const verdict = await verdicts();
    expect(verdict(squashed)).toMatchObject({ verdict: "removable" });
    expect(verdict(onMain)).toMatchObject({
      verdict: "keep",
      reasons: expect.stringMatching(/origin\/main has neither/),
    });
  });

  it("keeps a work tree whose patch is there only in part", async () => {
    const { repo, worktree, verdicts } = scene();
    const path = worktree("two");
    repo.git("cherry-pick", "two");
    writeFileSync(join(path, "second"), "more\n");
    repo.git("-C", path, "add", "-A");
    repo.git("-C", path, "commit", "-q", "-m", "second");
    expect((await verdicts())(path)).toMatchObject({ verdict: "keep" });
  });

  it("keeps whatever is dirty, untracked, locked, stashed, hidden from git, in the middle of something or live", async () => {
    const { place, repo, worktree, verdicts } = scene();
    const names = ["dirty", "untracked", "locked", "stashed", "hidden", "merging", "live", "clean"];
    const paths = Object.fromEntries(names.map((name) => [name, worktree(name)])) as Record<string, string>;
    for (const name of names) repo.git("merge", "-q", "--no-ff", "-m", "merge", name);
    writeFileSync(join(paths.dirty as string, "f"), "2\n");
    writeFileSync(join(paths.untracked as string, "note"), "x\n");
    repo.git("worktree", "lock", "--reason", "mine", paths.locked as string);
    writeFileSync(join(paths.stashed as string, "f"), "3\n");
    repo.git("-C", paths.stashed as string, "stash", "-q");
    repo.git("-C", paths.hidden as string, "update-index", "--assume-unchanged", "f");
    writeFileSync(join(repo.root, ".git/worktrees/merging/MERGE_HEAD"), repo.git("rev-parse", "HEAD"));
    await place.withStore(async (store) => {
      await store.begin({ id: "worker", agent: "t", workspace: paths.live as string });
      const before = fingerprint(repo.root);
      const verdict = await verdicts();
      expect(verdict(paths.dirty)).toEqual({
        verdict: "keep",
        reasons: "1 changed and not committed",
      });
      expect(verdict(paths.untracked)).toEqual({ verdict: "keep", reasons: "1 untracked" });
      expect(verdict(paths.locked)).toEqual({
        verdict: "keep",
        reasons: "it is locked: mine",
      });
      expect(verdict(paths.stashed)).toEqual({
        verdict: "keep",
        reasons: "1 stashed from stashed",
      });
      expect(verdict(paths.hidden)).toMatchObject({
        verdict: "keep",
        reasons: expect.stringMatching(/not to look at 1/),
      });
      expect(verdict(paths.merging)).toEqual({
        verdict: "keep",
        reasons: "a merge is under way",
      });
      expect(verdict(paths.live)).toEqual({
        verdict: "keep",
        reasons: "the session worker is live there",
      });
      expect(verdict(paths.clean)).toMatchObject({ verdict: "removable" });
      expect(fingerprint(repo.root), "reading changes nothing (W1)").toBe(before);
    });
  });

  it("names a work tree whose folder is gone, and says so in a plain folder without git", async () => {
    const { repo, worktree, verdicts } = scene();
    const path = worktree("gone");
    rmSync(path, { recursive: true });
    expect((await verdicts())(path)).toMatchObject({
      verdict: "keep",
      reasons: expect.stringMatching(/its folder is gone/),
    });
    rmSync(repo.root, { recursive: true });
    const plain = makePlace();
    expect(await plain.json(["worktrees"])).toMatchObject({ code: 1, json: { code: "E_NO_GIT" } });
  });
});

describe("worktrees remove", () => {
  it("never reaches into what is mounted in it, and takes nothing out where something in it cannot be held (W3)", async () => {
    const { place, repo, worktree } = scene();
    const path = worktree("mounted");
    repo.git("merge", "-q", "mounted");
    writeFileSync(join(repo.root, ".git/info/exclude"), "data/\n");
    const outside = temporaryFolder();
    writeFileSync(join(outside, "precious"), "1\n");
    mkdirSync(join(path, "data"));
    const before = fingerprint(path);
    // A bind of the same disk has the same device: only the table of mounts tells.
    const command = `mount --bind "$1" "$2/data" && exec "$3" "$4" worktrees remove "$2" --yes --drop-ignored --json`;
    const words = [outside, path, process.execPath, BIN];
    const mounted = spawnSync(
      "unshare",
      [...unshareArguments("--mount"), "sh", "-c", command, "sh", ...words],
      {
        cwd: place.workspace,
        env: { PATH: process.env.PATH, HOME: place.home, REFLOAT_HOME: place.home },
        encoding: "utf8",
      },
    );
    expect(JSON.parse(mounted.stdout), mounted.stderr).toMatchObject({ code: "E_NOT_REMOVABLE" });
    expect(mounted.stdout).toContain("mounted in it");
    expect(existsSync(join(outside, "precious"))).toBe(true);
    expect(fingerprint(path)).toBe(before);
    execFileSync("mkfifo", [join(path, "data/pipe")]);
    const { code, json } = await place.json(["worktrees", "remove", path, "--yes"]);
    expect([code, json.code]).toEqual([1, "E_NOT_REMOVABLE"]);
    expect(json.message).toContain("data/pipe cannot be held");
    rmSync(join(path, "data/pipe"));
    expect(fingerprint(path)).toBe(before);
  });

  it("removes what may go with its ignored files held; undo brings tree, branch, index and files back", async () => {
    const { place, repo, worktree } = scene();
    const path = worktree("feature");
    repo.git("merge", "-q", "--no-ff", "-m", "merge", "feature");
    writeFileSync(join(repo.root, ".git/info/exclude"), "*.cache\nbuild/\n");
    writeFileSync(join(path, "x.cache"), "cached\n");
    mkdirSync(join(path, "build/deep"), { recursive: true });
    writeFileSync(join(path, "build/deep/out.bin"), Buffer.from([0, 1, 2]));
    chmodSync(join(path, "build/deep/out.bin"), 0o700);
    const linked = testTree(repo, path);
    const before = linked();
    const ran = await place.json(["worktrees", "remove", path, "--yes"]);
    expect(ran).toMatchObject({ code: 0, json: { done: true, worktrees: [{ path, files: 4 }] } });
    expect(existsSync(path)).toBe(false);
    expect(repo.git("worktree", "list", "--porcelain")).not.toContain(path);
    repo.git("branch", "-q", "-D", "feature");
    expect(await place.json(["undo", "--yes"])).toMatchObject({ code: 0, json: { done: true } });
    expect(linked()).toEqual(before);
    expect(repo.git("-C", path, "status", "--porcelain")).toBe("");
    expect(repo.git("-C", path, "symbolic-ref", "HEAD")).toBe("refs/heads/feature");
    expect(await place.json(["undo", "--yes"]), "once").toMatchObject({ code: 1 });
  });

  it("W3: undo overwrites nothing where somebody made another work tree in its place, names what is in the way, and brings it back once that is gone", async () => {
    const { place, repo, worktree } = scene();
    const path = worktree("feature");
    repo.git("merge", "-q", "--no-ff", "-m", "merge", "feature");
    writeFileSync(join(repo.root, ".git/info/exclude"), "*.cache\n");
    writeFileSync(join(path, "x.cache"), "cached\n");
    const before = testTree(repo, path)();
    expect((await place.json(["worktrees", "remove", path, "--yes"])).code).toBe(0);
    repo.git("worktree", "add", "-q", "--detach", path, "feature");
    writeFileSync(join(path, "x.cache"), "another\n");
    writeFileSync(join(path, "staged"), "the user's\n");
    repo.git("-C", path, "add", "staged");
    const others = testTree(repo, path)();
    expect(await place.json(["undo", "--yes"])).toMatchObject({
      code: 3,
      json: { done: false, conflicts: [{ path: "x.cache" }] },
    });
    expect(testTree(repo, path)()).toEqual(others);
    repo.git("worktree", "remove", "--force", path);
    expect(await place.json(["undo", "--yes"])).toMatchObject({ code: 0, json: { done: true } });
    expect(testTree(repo, path)()).toEqual(before);
  });

  it("W7: undo after its branch went on, or was checked out elsewhere, brings it back on no branch and says so: nothing is staged as reversed", async () => {
    const { place, repo, worktree } = scene();
    for (const how of ["went on", "elsewhere"]) {
      const name = how.replace(" ", "-");
      const path = worktree(name);
      repo.git("merge", "-q", "--no-ff", "-m", "merge", name);
      const head = repo.git("rev-parse", name);
      expect((await place.json(["worktrees", "remove", path, "--yes"])).code).toBe(0);
      if (how === "went on") repo.git("update-ref", `refs/heads/${name}`, "main");
      else repo.git("worktree", "add", "-q", `${path}-again`, name);
      const tip = repo.git("rev-parse", name);
      const { code, json } = await place.json(["undo", "--yes"]);
      expect([code, json.detached]).toEqual([0, [{ path, why: expect.stringContaining(name) }]]);
      expect(repo.git("-C", path, "status", "--porcelain")).toBe("");
      expect(repo.git("-C", path, "rev-parse", "HEAD", "--abbrev-ref", "HEAD")).toBe(`${head}\nHEAD`);
      expect(repo.git("rev-parse", name)).toBe(tip);
    }
  });

  it("with --removable takes all that may go and no other, in one plan; without it and without a name it is a usage error", async () => {
    const { place, repo, worktree } = scene();
    const [one = "", two = "", open = ""] = ["one", "two", "open"].map((name) => worktree(name));
    for (const name of ["one", "two"]) repo.git("merge", "-q", "--no-ff", "-m", "merge", name);
    expect((await place.json(["worktrees", "remove", "--yes"])).code).toBe(64);
    expect((await place.json(["worktrees", "remove", one, "--removable", "--yes"])).code).toBe(64);
    const states = [one, two, open].map((path) => testTree(repo, path));
    const before = states.map((state) => state());
    expect((await place.refloat(["worktrees"])).stdout).toContain("refloat worktrees remove --removable");
    const dry = await place.json(["worktrees", "remove", "--removable", "--dry-run"]);
    expect(dry.json.plan.acts).toHaveLength(2);
    const ran = await place.json(["worktrees", "remove", "--removable", "--yes"]);
    expect([ran.code, ran.json.worktrees.length]).toEqual([0, 2]);
    expect([one, two, open].map((path) => existsSync(path))).toEqual([false, false, true]);
    const again = await place.json(["worktrees", "remove", "--removable", "--yes"]);
    expect([again.code, again.json.worktrees]).toEqual([0, []]);
    expect((await place.json(["undo", "--yes"])).code).toBe(0);
    expect(states.map((state) => state())).toEqual(before);
  });

  it("of several at once, one undo brings all of them back; by the id of one, that one (DESIGN 10)", async () => {
    const { place, repo, worktree } = scene();
    const paths = ["one", "two"].map((name) => worktree(name));
    for (const name of ["one", "two"]) repo.git("merge", "-q", "--no-ff", "-m", "merge", name);
    const remove = async (): Promise<JsonObject> =>
      (await place.json(["worktrees", "remove", ...paths, "--yes"])).json;
    const { plan } = await remove();
    expect(paths.map((path) => existsSync(path))).toEqual([false, false]);
    const undone = await place.json(["undo", "--yes"]);
    expect(undone).toMatchObject({ code: 0, json: { done: true, plan: { id: plan.id } } });
    expect(undone.json.plan.acts).toHaveLength(2);
    for (const path of paths) expect(repo.git("-C", path, "status", "--porcelain")).toBe("");
    expect((await place.json(["undo", "--yes"])).code).toBe(1);
    const { worktrees } = await remove();
    expect((await place.json(["undo", "--yes", "--plan", worktrees[1].removal])).code).toBe(0);
    expect(paths.map((path) => existsSync(path))).toEqual([false, true]);
    expect((await place.json(["undo", "--yes"])).code).toBe(0);
    expect(paths.map((path) => existsSync(path))).toEqual([true, true]);
  });

  it("refuses what is to be kept, and ignored files too large to hold unless they are let go (W6)", async () => {
    const { place, repo, worktree } = scene();
    const path = worktree("open");
    const kept = await place.json(["worktrees", "remove", path, "--yes"]);
    expect(kept).toMatchObject({ code: 1, json: { code: "E_NOT_REMOVABLE" } });
    repo.git("merge", "-q", "--no-ff", "-m", "merge", "open");
    writeFileSync(join(repo.root, ".git/info/exclude"), "*.img\n");
    writeFileSync(join(path, "disk.img"), "");
    truncateSync(join(path, "disk.img"), 65 * 1024 * 1024);
    const large = await place.json(["worktrees", "remove", path, "--yes"]);
    expect(large.json.message).toContain("disk.img");
    expect(existsSync(join(path, "disk.img"))).toBe(true);
    const dropped = await place.json(["worktrees", "remove", path, "--drop-ignored", "--yes"]);
    expect(dropped).toMatchObject({ code: 0, json: { worktrees: [{ dropped: 1 }] } });
    expect(existsSync(path)).toBe(false);
  });
});

/** The linked tree as S5 compares it: files, index and where HEAD is. */
function testTree(repo: TestRepository, path: string): () => string[] {
  return () => [
    ...fingerprint(path)
      .split("\n")
      .filter((line) => !line.includes("/.git "))
      .map((line) => line.replace(/ \d+ [\d.]+ (?=[0-9a-f]*$)/, " ")),
    repo.git("-C", path, "ls-files", "-s"),
    repo.git("-C", path, "rev-parse", "HEAD"),
  ];
}
