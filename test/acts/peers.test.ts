/** What peers got wrong, with real git and the built program (facts of real data losses, scenarios 1 to 5 and 14). */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { acted, writeMany } from "../support/acted.ts";
import { treeOf } from "../support/acting.ts";
import type { JsonObject } from "../support/cli.ts";

const actsOf = (json: JsonObject, act: string): string[] =>
  (json.plan.acts as { act: string; paths: string[] }[])
    .filter((one) => one.act === act)
    .flatMap(({ paths }) => paths)
    .sort();

describe("a restore", () => {
  it("1: puts two edited files back, touches none of a thousand foreign and ignored ones, names them all before, and undo brings back every byte", async () => {
    const { repo, run, capture } = acted();
    repo.write("src/a.ts", "a\n");
    repo.write("src/b.ts", "b\n", 0o755);
    repo.write(".gitignore", "data/\n");
    repo.commit();
    const id = await capture();
    mkdirSync(join(repo.root, "data"));
    writeMany(repo.root, "foreign-", 1000);
    writeMany(join(repo.root, "data"), "set-", 1);
    repo.write("src/a.ts", "agent\n");
    repo.write("src/b.ts", "agent\n");
    const before = treeOf(repo.root);
    const planned = (await run("restore", id, "--dry-run")).json;
    expect(actsOf(planned, "restore")).toEqual(["src/a.ts", "src/b.ts"]);
    expect(actsOf(planned, "leave")).toHaveLength(1000);
    expect(treeOf(repo.root)).toEqual(before);
    const { code, json } = await run("restore", id, "--yes");
    expect([code, json.done, json.conflicts]).toEqual([0, true, []]);
    expect([repo.read("src/a.ts"), repo.read("src/b.ts")]).toEqual(["a\n", "b\n"]);
    const others = (tree: Record<string, string>): [string, string][] =>
      Object.entries(tree).filter(([path]) => !path.startsWith("src/"));
    expect(others(treeOf(repo.root))).toEqual(others(before));
    expect((await run("undo", "--yes")).code).toBe(0);
    expect(treeOf(repo.root)).toEqual(before);
  });

  it("2: leaves ignored files alone when the rule that ignores them is itself uncommitted, nested, in info/exclude or global", async () => {
    const { repo, run, place, capture } = acted();
    const global = join(place.home, "ignore");
    writeFileSync(global, "global-notes\n");
    writeFileSync(join(place.home, ".gitconfig"), `[core]\n\texcludesFile = ${global}\n`);
    repo.write(".gitignore", "*.log\n");
    repo.write("sub/keep.txt", "keep\n");
    repo.commit();
    repo.write(".gitignore", "*.log\ndata/\n");
    repo.write("sub/.gitignore", "nested-data\n");
    writeFileSync(join(repo.root, ".git/info/exclude"), "excluded\n");
    const precious = ["data/x.bin", "sub/nested-data", "excluded", "global-notes"];
    for (const path of precious) repo.write(path, `${path}\n`);
    repo.write("n.txt", "untracked\n");
    const id = await capture();
    repo.write(".gitignore", "*.log\n");
    repo.write("sub/.gitignore", "\n");
    repo.write("n.txt", "edited\n");
    repo.write("sub/keep.txt", "edited\n");
    const { code, json } = await run("restore", id, "--yes");
    expect([code, json.conflicts]).toEqual([0, []]);
    for (const path of precious) expect(repo.read(path)).toBe(`${path}\n`);
    expect(repo.read(".gitignore")).toBe("*.log\ndata/\n");
    expect(repo.read("sub/.gitignore")).toBe("nested-data\n");
    expect([repo.read("n.txt"), repo.read("sub/keep.txt")]).toEqual(["untracked\n", "keep\n"]);
  });

  it("3: after a capture that failed there is only the older one, under its true time, and it never claims to be newer (W4, T1)", async () => {
    const { repo, run, place, capture } = acted();
    repo.write("f", "0\n");
    repo.commit();
    repo.write("f", "v1\n");
    const id = await capture();
    repo.write("f", "v2\n");
    repo.git("config", "core.worktree", "/");
    const failed = await run("capture");
    expect(failed.code).not.toBe(0);
    expect(failed.json).toMatchObject({ schema: "refloat.error/1", code: "E_GIT_REDIRECTED" });
    repo.git("config", "--unset", "core.worktree");
    const { json } = await run("captures");
    expect(json.captures.map((one: { id: string }) => one.id)).toEqual([id]);
    expect((await run("restore", id, "--yes")).code).toBe(0);
    expect(repo.read("f")).toBe("v1\n");
    // What was there is held by the plan's own safety capture.
    expect((await place.json(["undo", "--yes"])).code).toBe(0);
    expect(repo.read("f")).toBe("v2\n");
  });

  it("5: keeps HEAD, branches and later commits where they are, detached or not (W2)", async () => {
    const { repo, run, capture } = acted();
    repo.write("f", "0\n");
    repo.write("g", "0\n");
    repo.commit();
    repo.write("f", "v1\n");
    const id = await capture();
    const after = repo.commit("a human's commit");
    repo.write("g", "agent\n");
    const refs = repo.git("for-each-ref");
    const { json } = await run("restore", id, "--yes");
    expect(actsOf(json, "restore")).toEqual(["g"]);
    expect([repo.git("rev-parse", "HEAD"), repo.git("for-each-ref"), repo.read("f")]).toEqual([
      after,
      refs,
      "v1\n",
    ]);
    repo.git("checkout", "-q", "--detach");
    repo.write("f", "v2\n");
    const detached = repo.commit("unpushed, on no branch");
    repo.write("g", "agent again\n");
    const last = (await run("restore", id, "--yes")).json;
    expect(actsOf(last, "leave")).toEqual(["f"]);
    expect(last.left).toMatchObject([{ path: "f", why: "it was committed since" }]);
    expect([repo.git("rev-parse", "HEAD"), repo.read("f")]).toEqual([detached, "v2\n"]);
  });

  it("14: needs nothing of git's objects: the user's gc --prune=now takes nothing from a capture", async () => {
    const { repo, run, capture } = acted();
    repo.write("f", "0\n");
    repo.commit();
    repo.write("f", "v1\n");
    repo.git("add", "f");
    repo.write("f", "v2\n");
    const id = await capture();
    repo.git("reset", "-q");
    repo.write("f", "v3\n");
    repo.git("reflog", "expire", "--expire=now", "--all");
    repo.git("gc", "-q", "--prune=now");
    expect((await run("restore", id, "--yes")).code).toBe(0);
    expect(repo.read("f")).toBe("v2\n");
    expect((await run("prove")).json).toMatchObject({ whole: true });
  });
});

describe("a discard", () => {
  it("4: drops only the session's own, from a subdirectory too, and says why the others' stay", async () => {
    const { place, repo, run, session } = acted();
    for (const path of ["be/a.ts", "fe/b.ts", "docs/c.md"]) repo.write(path, "0\n");
    repo.commit();
    await session("session-a", { "be/a.ts": "A\n" });
    repo.write("docs/c.md", "human\n");
    await session("session-b", { "fe/b.ts": "B\n", "fe/new.ts": "B\n" });
    const refused = await place.json(["discard", "session-b", "--all"]);
    expect(refused).toMatchObject({ code: 1, json: { code: "E_NEEDS_YES" } });
    expect(actsOf(refused.json, "discard")).toEqual(["fe/b.ts", "fe/new.ts"]);
    const cwd = join(repo.root, "fe");
    const { code, json } = await place.json(["discard", "session-b", "--all", "--yes"], { cwd });
    expect([code, json.done]).toEqual([0, true]);
    expect(json.left).toEqual([
      { path: "be/a.ts", why: "the session session-a changed it" },
      { path: "docs/c.md", why: "it was so before the session began" },
    ]);
    expect([repo.read("be/a.ts"), repo.read("docs/c.md"), repo.read("fe/b.ts")]).toEqual([
      "A\n",
      "human\n",
      "0\n",
    ]);
    expect(Object.keys(treeOf(repo.root))).not.toContain("fe/new.ts");
    expect(repo.git("status", "--porcelain", "fe")).toBe("");
    const sessions = (await run("sessions")).json.sessions as { id: string; unsettled: boolean }[];
    expect(sessions.map(({ id, unsettled }) => [id, unsettled])).toEqual([
      ["session-b", false],
      ["session-a", true],
    ]);
    expect((await run("undo", "--yes")).code).toBe(0);
    expect([repo.read("fe/b.ts"), repo.read("fe/new.ts")]).toEqual(["B\n", "B\n"]);
  });

  it("puts back the very bytes where a file was dirty before, and goes by name where nothing ties it to the session (W5)", async () => {
    const { place, repo, run, session } = acted();
    repo.write("mine.txt", "0\n");
    repo.write("odd.txt", "0\n");
    repo.commit();
    repo.write("mine.txt", "dirty before\n", 0o600);
    await session("worker", { "mine.txt": "by the session\n" });
    repo.write("odd.txt", "whose?\n");
    const { json } = await run("discard", "--all", "--yes");
    expect(actsOf(json, "discard")).toEqual(["mine.txt"]);
    expect(repo.read("mine.txt")).toBe("dirty before\n");
    const named = await place.refloat(["--json", "discard", "worker", "--yes", "--", "odd.txt"]);
    expect([named.code, actsOf(JSON.parse(named.stdout), "discard")]).toEqual([0, ["odd.txt"]]);
    expect(repo.read("odd.txt")).toBe("0\n");
    expect(await run("discard", "worker", "--yes")).toMatchObject({ code: 64 });
  });

  it("is refused while the session lives, for all of it and for a path: what it writes is not over; the plan can be seen", async () => {
    const { place, repo, run } = acted();
    repo.write("f", "0\n");
    repo.commit();
    await place.withStore(async (store) => {
      const worker = await store.begin({ id: "worker", agent: "t", workspace: repo.root });
      const turn = await worker.turn("go");
      const call = await turn.call({ tool: "write", input: { path: join(repo.root, "f") } });
      repo.write("f", "1\n");
      await call.result("ok");
      for (const what of ["--all", "f"]) {
        expect(await run("discard", "worker", what, "--yes")).toMatchObject({
          code: 4,
          json: { code: "E_HELD" },
        });
        expect(repo.read("f")).toBe("1\n");
        const plan = await run("discard", "worker", what, "--dry-run");
        expect([plan.code, actsOf(plan.json, "discard")]).toEqual([0, ["f"]]);
      }
      await turn.end("completed");
      await worker.finish();
    });
    expect((await run("discard", "worker", "--all", "--yes")).code).toBe(0);
    expect(repo.read("f")).toBe("0\n");
  });

  it("is not for a process of the session itself: that may plan, no more (T2)", async () => {
    const { place, repo, session } = acted();
    repo.write("f", "0\n");
    repo.commit();
    await session("worker", { f: "1\n" });
    const env = { REFLOAT_SESSION: "worker.1.abc" };
    const own = await place.json(["discard", "worker", "--all", "--yes"], { env });
    expect(own).toMatchObject({ code: 1, json: { code: "E_UNDER_MARK" } });
    const plan = await place.json(["discard", "worker", "--all", "--dry-run"], { env });
    expect([plan.code, plan.json.done, actsOf(plan.json, "discard")]).toEqual([0, false, ["f"]]);
    expect(repo.read("f")).toBe("1\n");
    const other = await place.json(["discard", "worker", "--all", "--yes"], {
      env: { REFLOAT_SESSION: "manager.1.abc" },
    });
    expect(other.code).toBe(0);
    const undone = await place.json(["undo", "--yes"], { env });
    expect(undone).toMatchObject({ code: 1, json: { code: "E_UNDER_MARK" } });
  });
});

describe("undo and redo", () => {
  it("go last in, first out per path, refuse an older act and name the later one, and say when there is nothing (DESIGN 15)", async () => {
    const { repo, run, capture } = acted();
    repo.write("f", "0\n");
    repo.write("g", "0\n");
    repo.commit();
    expect(await run("undo", "--yes")).toMatchObject({ code: 1, json: { code: "E_NOTHING_TO_UNDO" } });
    const clean = await capture();
    repo.write("f", "1\n");
    const first = (await run("restore", clean, "--yes")).json.plan.id as string;
    repo.write("f", "2\n");
    const second = (await run("restore", clean, "--yes")).json.plan.id as string;
    const blocked = await run("undo", "--plan", first, "--yes");
    expect(blocked).toMatchObject({ code: 1, json: { code: "E_UNDO_BLOCKED" } });
    expect(blocked.json.message).toContain(second);
    expect((await run("undo", "--yes")).json.plan.acts[0].paths).toEqual(["f"]);
    expect(repo.read("f")).toBe("2\n");
    // The user edited it since: a conflict of that path, shown and left alone.
    repo.write("f", "by hand\n");
    const conflict = await run("redo", "--yes");
    expect(conflict.code).toBe(3);
    expect(conflict.json).toMatchObject({ done: false, conflicts: [{ path: "f" }] });
    expect(conflict.json.conflicts[0].found.hash).not.toBe(conflict.json.conflicts[0].expected.hash);
    expect(repo.read("f")).toBe("by hand\n");
  });
});

describe("restore --to", () => {
  it("writes the captured tree into a new or empty folder, never over anything, and never into the workspace", async () => {
    const { place, repo, run, capture } = acted();
    repo.write("a.txt", "a\n");
    repo.write("bin/run", "x\n", 0o755);
    repo.write("sub/b.txt", "b\n");
    repo.commit();
    repo.write("a.txt", "captured\n", 0o600);
    rmSync(join(repo.root, "sub/b.txt"));
    repo.write("new/deep.txt", "new\n");
    const id = await capture();
    const before = treeOf(repo.root);
    const to = join(place.home, "copy");
    const { code, json } = await run("restore", id, "--to", to);
    expect([code, json.done, json.to]).toEqual([0, true, to]);
    expect(Object.keys(treeOf(to)).sort()).toEqual(["a.txt", "bin", "bin/run", "new", "new/deep.txt"]);
    expect(readFileSync(join(to, "a.txt"), "utf8")).toBe("captured\n");
    expect(treeOf(to)["bin/run"]).toMatch(/^file 7/);
    expect(await run("restore", id, "--to", to)).toMatchObject({ code: 1, json: { code: "E_NOT_EMPTY" } });
    const inside = await run("restore", id, "--to", join(repo.root, "out"));
    expect(inside).toMatchObject({ code: 1, json: { code: "E_NOT_EMPTY" } });
    expect(treeOf(repo.root)).toEqual(before);
  });
});
