/** The primitive on the user's index and refs: there and back, under git's own locks, and what must not happen. */
import { existsSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { inverseOf } from "../../src/acts/compilers/undo.ts";
import type { IndexEdit, PlanDraft } from "../../src/acts/plans/draft.ts";
import type { PathName } from "../../src/model/path-name.ts";
import type { StagedEntry } from "../../src/workspace/git/index-file.ts";
import { indexEntries } from "../../src/workspace/git/index-file.ts";
import { type Acting, acting, gitState, treeOf } from "../support/acting.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

async function staged(a: Acting, path: string): Promise<readonly StagedEntry[]> {
  if (a.here.kind === "folder") throw new Error("no repository");
  return (await indexEntries(await a.here.repository(), [path as PathName])).get(path as PathName) ?? [];
}

async function edit(a: Acting, path: string, put: readonly StagedEntry[], group = "g"): Promise<IndexEdit> {
  return { path: path as PathName, group, expect: await staged(a, path), put };
}

const noLeftovers = (a: Acting): void => {
  const left = readdirSync(join(a.repo.root, ".git")).filter((name) => /refloat|\.lock$/.test(name));
  expect(left).toEqual([]);
  expect(a.repo.git("fsck", "--no-dangling")).toBe("");
};

/** The index as a person sees it. */
const listed = (a: Acting): string => a.repo.git("ls-files", "-s", "-t", "-v");

describe("an act on the index", () => {
  it("S5: takes entries out, puts others in, keeps everything else staged, and undo brings each with its flags back", async () => {
    const a = await acting();
    const { repo } = a;
    for (const name of ["a", "b", "c", "d"]) repo.write(name, `${name}\n`);
    repo.commit();
    repo.write("a", "staged\n");
    repo.write("new", "new\n");
    repo.git("add", "a", "new");
    repo.git("update-index", "--skip-worktree", "b");
    repo.git("update-index", "--assume-unchanged", "c");
    repo.write("later", "later\n");
    repo.git("add", "-N", "later");
    const [before, tree] = [listed(a), treeOf(repo.root)];
    const blob = repo.git("hash-object", "-w", "d");
    const plan = await a.done({
      act: "park",
      puts: [],
      index: [
        await edit(a, "new", []),
        await edit(a, "b", []),
        await edit(a, "c", [{ mode: 0o100755, id: blob, stage: 0 }]),
        await edit(a, "later", []),
      ],
    });
    expect(repo.git("diff", "--cached", "--name-status")).toBe("M\ta\nD\tb\nM\tc");
    expect(treeOf(repo.root)).toEqual(tree);
    noLeftovers(a);
    expect(await a.undo(plan)).toMatchObject({ kind: "done", conflicts: [] });
    expect(listed(a)).toBe(before);
    noLeftovers(a);
  });

  it("S6: a change of the same size in the second the index was written stays a change to git, never hidden by an index that is younger", async () => {
    const a = await acting();
    const { repo } = a;
    // Git then goes by size and second alone, as it does where all of this happens within one second.
    repo.git("config", "core.checkStat", "minimal");
    repo.git("config", "core.trustctime", "false");
    const second = new Date(1_700_000_000_000);
    const inThatSecond = (name: string): void => utimesSync(join(repo.root, name), second, second);
    for (const [name, text] of [
      ["racy", "one\n"],
      ["other", "other\n"],
    ] as const) {
      repo.write(name, text);
      inThatSecond(name);
    }
    repo.commit();
    inThatSecond(".git/index");
    repo.write("racy", "two\n");
    inThatSecond("racy");
    const blob = repo.git("hash-object", "-w", "racy");
    const plan = await a.done({
      puts: [],
      index: [await edit(a, "other", [{ mode: 0o100644, id: blob, stage: 0 }])],
    });
    expect(repo.git("diff", "--name-only")).toBe("other\nracy");
    await a.undo(plan);
    expect(repo.git("diff", "--name-only")).toBe("racy");
  });

  it("S5: brings a staged blob back that the user's git gc has dropped meanwhile", async () => {
    const a = await acting();
    a.repo.write("f", "f\n");
    a.repo.commit();
    a.repo.write("only", "staged only\n");
    a.repo.git("add", "only");
    rmSync(join(a.repo.root, "only"));
    const before = listed(a);
    const plan = await a.done({ puts: [], index: [await edit(a, "only", [])] });
    a.repo.git("gc", "-q", "--prune=now");
    await expect(async () =>
      a.repo.git("cat-file", "-e", plan.index[0]?.expect[0]?.id ?? ""),
    ).rejects.toThrow();
    await a.undo(plan);
    expect(listed(a)).toBe(before);
    expect(a.repo.git("show", ":only")).toBe("staged only");
    noLeftovers(a);
  });

  it("W5: a path whose staged entry changed since is a conflict of its group, in the tree too; the other groups go on", async () => {
    const a = await acting();
    for (const name of ["a", "b"]) a.repo.write(name, `${name}\n`);
    a.repo.git("add", "-A");
    const draft: Pick<PlanDraft, "puts" | "index"> = {
      puts: [a.to("a", null, "one"), a.to("b", null, "two")],
      index: [await edit(a, "a", [], "one"), await edit(a, "b", [], "two")],
    };
    a.repo.write("x", "other\n");
    a.repo.git("update-index", "--cacheinfo", `100644,${a.repo.git("hash-object", "-w", "x")},a`);
    expect(await a.apply(draft)).toMatchObject({
      kind: "done",
      untouched: ["one"],
      conflicts: [{ path: "a", why: "the index has something else staged there" }],
    });
    expect([a.now("a") === null, a.now("b") === null]).toEqual([false, true]);
    expect(a.repo.git("ls-files")).toBe("a");
  });

  it("S6: refuses under somebody else's index.lock, changes nothing and leaves the lock", async () => {
    const a = await acting();
    a.repo.write("a", "a\n");
    a.repo.git("add", "a");
    const lock = join(a.repo.root, ".git/index.lock");
    writeFileSync(lock, "");
    const before = [treeOf(a.repo.root), listed(a)];
    const draft = { puts: [a.to("a", null)], index: [await edit(a, "a", [])] };
    expect(await a.apply(draft)).toMatchObject({ kind: "refused", error: { code: "E_INDEX_LOCKED" } });
    expect([treeOf(a.repo.root), listed(a)]).toEqual(before);
    expect(existsSync(lock)).toBe(true);
  });
});

describe("an act on refs", () => {
  async function committed(): Promise<{ a: Acting; draft: PlanDraft; first: string; second: string }> {
    const a = await acting();
    a.repo.write("f", "1\n");
    const first = a.repo.commit("first");
    a.repo.write("f", "2\n");
    a.repo.git("add", "f");
    const tree = a.repo.git("write-tree");
    const second = a.repo.git("commit-tree", "-p", first, "-m", "second", tree);
    const [entry] = await staged(a, "f");
    a.repo.git("reset", "-q");
    const draft: PlanDraft = {
      act: "commit",
      session: null,
      puts: [],
      index: [await edit(a, "f", entry ? [entry] : [])],
      refs: [{ ref: "refs/heads/main", expect: first, put: second }],
      head: "refs/heads/main",
    };
    return { a, draft, first, second };
  }

  it("W7, S5: moves index and branch together, so that nothing is staged; undo takes the commit back while only the branch has it", async () => {
    const { a, draft, first, second } = await committed();
    const before = gitState(a.repo);
    const plan = await a.done(draft);
    expect(a.repo.git("rev-parse", "HEAD")).toBe(second);
    expect(a.repo.git("status", "--porcelain")).toBe("");
    expect(await a.undo(plan)).toMatchObject({ kind: "done" });
    expect(gitState(a.repo)).toEqual(before);
    expect([a.repo.git("rev-parse", "HEAD"), a.repo.git("status", "--porcelain")]).toEqual([first, " M f"]);
    noLeftovers(a);
  });

  it("S6, T1: under somebody else's lock on the branch everything is put back, the lock stays and is named, and later it works", async () => {
    const { a, draft, first, second } = await committed();
    const lock = join(a.repo.root, ".git/refs/heads/main.lock");
    writeFileSync(lock, "");
    const before = [treeOf(a.repo.root), listed(a)];
    const error = { code: "E_REF_LOCKED", data: { path: lock } };
    expect(await a.apply(draft)).toMatchObject({ kind: "refused", error });
    expect([treeOf(a.repo.root), listed(a)]).toEqual(before);
    expect([existsSync(lock), a.repo.git("rev-parse", "HEAD")]).toEqual([true, first]);
    rmSync(lock);
    await a.done(draft);
    expect(a.repo.git("rev-parse", "HEAD")).toBe(second);
  });

  it("moves a detached HEAD, and leaves the branch it came from", async () => {
    const { a, draft, first, second } = await committed();
    a.repo.git("checkout", "-q", "--detach");
    const refs = [{ ref: "HEAD", expect: first, put: second }];
    await a.done({ ...draft, head: null, refs });
    expect([a.repo.git("rev-parse", "HEAD"), a.repo.git("rev-parse", "main")]).toEqual([second, first]);
  });

  it("makes the first commit of a branch, and undo takes the branch away again", async () => {
    const a = await acting();
    a.repo.write("f", "1\n");
    a.repo.git("add", "f");
    const id = a.repo.git("commit-tree", "-m", "first", a.repo.git("write-tree"));
    const plan = await a.done({
      puts: [],
      refs: [{ ref: "refs/heads/main", expect: null, put: id }],
      head: "refs/heads/main",
    });
    expect(a.repo.git("rev-parse", "HEAD")).toBe(id);
    expect(await a.undo(plan)).toMatchObject({ kind: "done" });
    expect(a.repo.git("for-each-ref")).toBe("");
    expect(a.repo.git("status", "--porcelain")).toBe("A  f");
  });

  it("W2: does not take back a commit that a tag, another branch or another worktree has, or that refloat did not make", async () => {
    const { a, draft, first, second } = await committed();
    const plan = await a.done(draft);
    const undo = { act: "undo", undoes: plan.id, ...inverseOf(plan) } as const;
    a.repo.git("tag", "seen");
    expect(await a.apply(undo)).toMatchObject({ kind: "refused", error: { code: "E_REF_BACKWARDS" } });
    a.repo.git("tag", "-d", "seen");
    const worktree = join(temporaryFolder(), "wt");
    a.repo.git("worktree", "add", "-q", "--detach", worktree, "HEAD");
    expect(await a.apply(undo)).toMatchObject({ kind: "refused", error: { code: "E_REF_BACKWARDS" } });
    a.repo.git("worktree", "remove", worktree);
    const back = [{ ref: "refs/heads/main", expect: second, put: first }];
    expect(await a.apply({ puts: [], refs: back })).toMatchObject({
      kind: "refused",
      error: { code: "E_REF_BACKWARDS" },
    });
    expect(a.repo.git("rev-parse", "HEAD")).toBe(second);
    expect(await a.apply(undo)).toMatchObject({ kind: "done" });
  });

  it("refuses when the branch moved, when HEAD is on another one, during a merge, and on a branch checked out elsewhere", async () => {
    const { a, draft } = await committed();
    const before = listed(a);
    writeFileSync(join(a.repo.root, ".git/MERGE_HEAD"), `${a.repo.git("rev-parse", "HEAD")}\n`);
    expect(await a.apply(draft)).toMatchObject({ kind: "refused", error: { code: "E_GIT_IN_PROGRESS" } });
    rmSync(join(a.repo.root, ".git/MERGE_HEAD"));
    a.repo.git("checkout", "-q", "-b", "other");
    expect(await a.apply(draft)).toMatchObject({ kind: "refused", error: { code: "E_REF_MOVED" } });
    const worktree = join(temporaryFolder(), "wt");
    a.repo.git("worktree", "add", "-q", worktree, "main");
    const { head: _anywhere, ...anywhere } = draft;
    expect(await a.apply(anywhere)).toMatchObject({ kind: "refused", error: { code: "E_BRANCH_ELSEWHERE" } });
    a.repo.git("worktree", "remove", worktree);
    a.repo.git("checkout", "-q", "main");
    a.repo.git("commit", "-q", "--allow-empty", "-m", "meanwhile");
    expect(await a.apply(draft)).toMatchObject({ kind: "refused", error: { code: "E_REF_MOVED" } });
    expect(listed(a)).toBe(before);
    noLeftovers(a);
  });
});
