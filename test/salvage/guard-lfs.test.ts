/** `guard` and Git LFS: commits only point at what it keeps, so holding them holds nothing of it (W4). Neither LFS nor a filter is run (T2). */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { guard } from "../../src/library/workspace.ts";
import { makePlace } from "../support/cli.ts";
import { DOOR_ENV, type TestRepository, testRepository } from "../support/git-repository.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const objectOf = (repo: TestRepository, oid: string): string =>
  join(repo.root, ".git/lfs/objects", oid.slice(0, 2), oid.slice(2, 4), oid);

/** As LFS leaves it: the bytes in its folder, a pointer in the commit. */
function addLarge(repo: TestRepository, path: string, bytes: string): string {
  const oid = createHash("sha256").update(bytes).digest("hex");
  mkdirSync(dirname(objectOf(repo, oid)), { recursive: true });
  writeFileSync(objectOf(repo, oid), bytes);
  const size = Buffer.byteLength(bytes);
  repo.write(path, `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${size}\n`);
  repo.commit();
  return oid;
}

function scene() {
  const place = makePlace();
  const env = { ...DOOR_ENV, REFLOAT_HOME: place.home };
  const repo = testRepository(join(temporaryFolder(), "clone"));
  const origin = join(temporaryFolder(), "origin.git");
  repo.git("init", "-q", "--bare", origin);
  repo.write(".gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n");
  addLarge(repo, "a.bin", "pushed".repeat(1000));
  repo.git("remote", "add", "origin", origin);
  repo.git("push", "-q", "origin", "main");
  const ran = join(temporaryFolder(), "ran");
  const kinds = async (hold = false): Promise<string[]> => {
    // A clone brings its own configuration: whatever its filter is, it is not run. The test's own git would run it.
    for (const way of ["clean", "smudge", "process"]) repo.git("config", `filter.lfs.${way}`, `touch ${ran}`);
    const { verdict, findings } = await guard(repo.root, { hold, env });
    expect(existsSync(ran), "T2").toBe(false);
    repo.git("config", "--remove-section", "filter.lfs");
    return [verdict, ...new Set(findings.map(({ kind }) => kind))];
  };
  return { place, env, repo, kinds };
}

it("W4: objects of Git LFS that no remote points at keep a clone until they are held, and come back byte by byte", async () => {
  const { place, repo, kinds } = scene();
  expect(await kinds()).toEqual(["removable"]);
  const bytes = "only here".repeat(300_000);
  const oid = addLarge(repo, "b.bin", bytes);
  expect(await kinds()).toEqual(["keep", "commits", "lfs"]);
  expect(await kinds(true)).toEqual(["removable"]);
  // Another one under the same name is not what was held.
  writeFileSync(objectOf(repo, oid), "damaged");
  expect(await kinds()).toEqual(["keep", "lfs"]);
  writeFileSync(objectOf(repo, oid), bytes);
  const { json } = await place.json(["guard", repo.root, "--hold"]);
  rmSync(repo.root, { recursive: true });
  const to = join(temporaryFolder(), "back");
  const [tree] = json.trees;
  expect((await place.refloat(["restore", tree.capture, "--commits", to])).code).toBe(0);
  const back = join(to, "git/lfs/objects", oid.slice(0, 2), oid.slice(2, 4), oid);
  expect(readFileSync(back, "utf8") === bytes).toBe(true);
});

it("W4: an object that no commit points at any more keeps it, too: it may be all there is of a file", async () => {
  const { repo, kinds } = scene();
  addLarge(repo, "b.bin", "first");
  repo.git("reset", "-q", "--hard", "HEAD~1");
  repo.git("reflog", "expire", "--expire=now", "--all");
  rmSync(join(repo.root, ".git/ORIG_HEAD"), { force: true });
  expect(await kinds()).toEqual(["keep", "lfs"]);
  expect(await kinds(true)).toEqual(["removable"]);
});

it("S7: objects that are kept elsewhere stay there, and a linked work tree takes none with it", async () => {
  const { repo, env, kinds } = scene();
  addLarge(repo, "b.bin", "first");
  repo.git("push", "-q", "--no-verify", "origin", "main");
  addLarge(repo, "c.bin", "second");
  const linked = join(temporaryFolder(), "linked");
  repo.git("worktree", "add", "-q", linked, "-b", "side");
  expect((await guard(linked, { env })).findings.map(({ kind }) => kind)).toEqual([]);
  repo.git("worktree", "remove", linked);
  const shared = join(temporaryFolder(), "shared");
  renameSync(join(repo.root, ".git/lfs"), shared);
  symlinkSync(shared, join(repo.root, ".git/lfs"));
  expect(await kinds()).toEqual(["keep", "commits"]);
});
