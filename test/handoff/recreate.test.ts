/** `resume --recreate`: a work tree that was removed comes back with what its session had done in it, or not at all. */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { RECREATE_CRASH_POINTS } from "../../src/platform/crash-point.ts";
import { type JsonObject, makePlace, type Place } from "../support/cli.ts";
import { type TestRepository, testRepository } from "../support/git-repository.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** Edits, adds, deletes, stages, makes a link, then dies; started again it only says what it sees. */
const AGENT = `if [ -e new/deep.txt ]; then git status --porcelain --untracked-files=all; exit 0; fi
  echo two > a.txt; mkdir new; echo deep > new/deep.txt; chmod 755 new/deep.txt; rm gone.txt; ln -s a.txt link
  echo staged > s.txt; git add s.txt; echo cached > x.cache; kill -9 $$`;
const STATUS = [" D gone.txt", " M a.txt", "?? link", "?? new/deep.txt", "A  s.txt"].sort();

interface Scene {
  readonly place: Place;
  readonly repo: TestRepository;
  readonly tree: string;
  readonly session: string;
  recreate(flags?: readonly string[], env?: Record<string, string>): Promise<JsonObject>;
}

async function scene(how: { detached?: boolean } = {}): Promise<Scene> {
  const place = makePlace();
  const repo = testRepository(place.workspace);
  repo.write("a.txt", "one\n");
  repo.write("gone.txt", "going\n");
  repo.write("kept.txt", "kept\n");
  repo.write(".gitignore", "*.cache\n");
  repo.commit();
  const tree = join(temporaryFolder(), "side");
  repo.git("worktree", "add", "-q", ...(how.detached ? ["--detach", tree] : ["-b", "side", tree]));
  const ran = await place.refloat(["run", "--name", "work", "--", "sh", "-c", AGENT], { cwd: tree });
  expect(ran.code, ran.stderr).toBe(137);
  const recreate = (flags: readonly string[] = [], env = {}): Promise<JsonObject> =>
    place.refloat(["resume", "work", "--recreate", ...flags], { env });
  return { place, repo, tree, session: "work", recreate };
}

/** Everything below it but git's own file: kind, permission bits, bytes. */
function filesIn(folder: string, below = ""): string[] {
  return readdirSync(join(folder, below))
    .sort()
    .flatMap((name) => {
      const path = join(below, name);
      const stat = lstatSync(join(folder, path));
      if (path === ".git") return [];
      if (stat.isDirectory()) return filesIn(folder, path);
      const what = stat.isSymbolicLink() ? "link" : readFileSync(join(folder, path), "utf8");
      return [`${path} ${(stat.mode & 0o777).toString(8)} ${what}`];
    });
}

const withoutIgnored = (files: readonly string[]): string[] =>
  files.filter((one) => !one.startsWith("x.cache "));
const strays = (tree: string): string[] => readdirSync(dirname(tree)).filter((name) => name !== "side");
const statusLines = (text: string): string[] => text.replace(/\n$/, "").split("\n").sort();

describe("resume --recreate", () => {
  for (const removal of ["by hand", "by git"] as const) {
    it(`brings a work tree that was removed ${removal} back with branch, index and captured files, goes on in it, and undo takes the files out again`, async () => {
      const { place, repo, tree, session, recreate } = await scene();
      const before = withoutIgnored(filesIn(tree));
      if (removal === "by git") repo.git("worktree", "remove", "--force", tree);
      else rmSync(tree, { recursive: true });
      const refused = await place.json(["resume", session]);
      expect(refused.json).toMatchObject({
        code: "E_WORKSPACE_GONE",
        hint: expect.stringContaining("--recreate"),
      });
      const printed = await place.json(["resume", "--recreate", "--print"]);
      expect(printed.json.sessions).toMatchObject([
        { workspace: tree, recreate: { branch: "side", paths: 5 } },
      ]);
      expect(existsSync(tree), "--print changes nothing").toBe(false);
      const went = await recreate();
      expect(went.code, went.stderr).toBe(0);
      expect(statusLines(went.stdout)).toEqual(STATUS);
      expect(went.stderr).toContain("is back, on side, with 5 files");
      expect(filesIn(tree)).toEqual(before);
      expect(repo.git("-C", tree, "symbolic-ref", "HEAD")).toBe("refs/heads/side");
      expect(strays(tree)).toEqual([]);
      repo.git("fsck", "--strict");
      const { json } = await place.json(["inspect", session], { cwd: tree });
      const owners = json.groups.flatMap(({ changes }: JsonObject) =>
        changes.map(({ owner }: JsonObject) => owner),
      );
      expect(new Set(owners)).toEqual(new Set(["session"]));
      expect(owners).toHaveLength(5);
      const undone = await place.json(["undo", "--yes"], { cwd: tree });
      expect(undone).toMatchObject({ code: 0, json: { done: true } });
      // Removed by hand, git still had its index: that was never ours to change, and undo leaves it as it is.
      expect(repo.git("-C", tree, "status", "--porcelain")).toBe(removal === "by git" ? "" : "AD s.txt");
    });
  }

  it("brings a detached one back at its commit, and a branch that was deleted with it", async () => {
    const detached = await scene({ detached: true });
    detached.repo.git("worktree", "remove", "--force", detached.tree);
    const went = await detached.recreate();
    expect(went.code, went.stderr).toBe(0);
    expect(went.stderr).toContain("detached at");
    expect(detached.repo.git("-C", detached.tree, "rev-parse", "HEAD")).toBe(
      detached.repo.git("rev-parse", "main"),
    );
    const { repo, tree, recreate } = await scene();
    repo.git("worktree", "remove", "--force", tree);
    repo.git("branch", "-q", "-D", "side");
    expect((await recreate()).code).toBe(0);
    expect(repo.git("rev-parse", "side")).toBe(repo.git("rev-parse", "main"));
  });

  it("refuses when something is at the place, and changes nothing of it: a file, a folder, a link, another repository (W3)", async () => {
    const { place, repo, tree, session, recreate } = await scene();
    repo.git("worktree", "remove", "--force", tree);
    const refs = repo.git("for-each-ref");
    const elsewhere = temporaryFolder();
    const put: readonly (() => void)[] = [
      () => writeFileSync(tree, "mine\n"),
      () => mkdirSync(tree),
      () => symlinkSync(elsewhere, tree),
      () => void testRepository(tree).commit(),
    ];
    for (const one of put) {
      one();
      const { json } = await place.json(["resume", session, "--recreate"]);
      expect(json).toMatchObject({
        code: "E_RECREATE_TAKEN",
        hint: expect.stringContaining("refloat restore"),
      });
      rmSync(tree, { recursive: true });
    }
    expect(readdirSync(elsewhere)).toEqual([]);
    expect(repo.git("for-each-ref")).toBe(refs);
    expect(repo.git("worktree", "list", "--porcelain")).not.toContain(tree);
    expect((await recreate()).code).toBe(0);
  });

  it("refuses when its branch is checked out elsewhere, or moved since, or its repository is gone, and says what to type", async () => {
    const { place, repo, tree, session } = await scene();
    repo.git("worktree", "remove", "--force", tree);
    const other = join(temporaryFolder(), "other");
    repo.git("worktree", "add", "-q", other, "side");
    expect((await place.json(["resume", session, "--recreate"])).json).toMatchObject({
      code: "E_RECREATE_ELSEWHERE",
      message: expect.stringContaining(other),
    });
    repo.git("-C", other, "commit", "-q", "--allow-empty", "-m", "more");
    repo.git("worktree", "remove", other);
    expect((await place.json(["resume", session, "--recreate"])).json).toMatchObject({
      code: "E_RECREATE_MOVED",
      hint: expect.stringContaining(`git worktree add ${tree} side`),
    });
    rmSync(repo.root, { recursive: true });
    expect((await place.json(["resume", session, "--recreate"], { cwd: place.home })).json).toMatchObject({
      code: "E_RECREATE_UNKNOWN",
      message: expect.stringContaining("its repository is gone, too"),
    });
    expect(existsSync(tree)).toBe(false);
  });

  it("goes on with a work tree that is there, as without the flag", async () => {
    const { recreate } = await scene();
    const went = await recreate();
    expect(went.code, went.stderr).toBe(0);
    expect(went.stderr).not.toContain("is back");
  });
});

describe("resume --recreate, killed in the middle", () => {
  for (const point of Object.keys(RECREATE_CRASH_POINTS)) {
    it(`at ${point}: git works, nothing is at the place or all of it, and the next start brings it back whole (S5, S6)`, async () => {
      const { repo, tree, recreate, place } = await scene();
      const before = withoutIgnored(filesIn(tree));
      repo.git("worktree", "remove", "--force", tree);
      const killed = await recreate([], { REFLOAT_CRASH_AT: point });
      expect(killed.signal, killed.stderr).toBe("SIGKILL");
      repo.git("fsck", "--strict");
      repo.git("status");
      if (existsSync(tree)) expect(readFileSync(join(tree, "kept.txt"), "utf8")).toBe("kept\n");
      const went = existsSync(tree)
        ? await place.refloat(["resume", "work"], { cwd: tree })
        : await recreate();
      expect(went.code, went.stderr).toBe(0);
      expect(statusLines(went.stdout)).toEqual(STATUS);
      expect(filesIn(tree)).toEqual(before);
      expect(strays(tree)).toEqual([]);
    });
  }

  it("leaves alone what somebody wrote into the work tree meanwhile, and says so (W5)", async () => {
    const { repo, tree, recreate } = await scene();
    repo.git("worktree", "remove", "--force", tree);
    await recreate([], { REFLOAT_CRASH_AT: "recreate.after-place" });
    writeFileSync(join(tree, "a.txt"), "somebody's\n");
    const went = await recreate();
    expect(readFileSync(join(tree, "a.txt"), "utf8")).toBe("somebody's\n");
    expect(readFileSync(join(tree, "new/deep.txt"), "utf8")).toBe("deep\n");
    expect(went.stderr).toContain("changed by somebody meanwhile, and left so: a.txt");
    expect(went.code).toBe(3);
  });

  it("lays nothing over a commit that somebody made meanwhile: the capture stays in the store, and that is said (W5)", async () => {
    const { repo, tree, recreate, place } = await scene();
    repo.git("worktree", "remove", "--force", tree);
    await recreate([], { REFLOAT_CRASH_AT: "recreate.after-place" });
    writeFileSync(join(tree, "a.txt"), "committed\n");
    repo.git("-C", tree, "commit", "-q", "-a", "-m", "somebody's");
    const ran = await place.refloat(["run", "--", "git", "status", "--porcelain"], { cwd: tree });
    expect([ran.code, ran.stdout]).toEqual([0, ""]);
    expect(ran.stderr).toMatch(
      /its HEAD has moved since: what was captured stays in the store \(refloat restore \w+\)/,
    );
    const [, capture = ""] = /refloat restore (\w+)/.exec(ran.stderr) ?? [];
    expect((await place.json(["restore", capture, "new/deep.txt", "--yes"], { cwd: tree })).code).toBe(0);
    expect(readFileSync(join(tree, "new/deep.txt"), "utf8")).toBe("deep\n");
  });

  it("uses nothing of what a git that was stopped while it registered the work tree left", async () => {
    const { repo, tree, recreate } = await scene();
    repo.git("worktree", "remove", "--force", tree);
    await recreate([], { REFLOAT_CRASH_AT: "recreate.after-register" });
    const admin = join(repo.root, ".git/worktrees/side");
    writeFileSync(join(admin, "HEAD"), `${"0".repeat(40)}\n`);
    writeFileSync(join(admin, "locked"), "initializing");
    const went = await recreate();
    expect(went.code, went.stderr).toBe(0);
    expect(repo.git("worktree", "list", "--porcelain")).not.toContain("locked");
  });
});
