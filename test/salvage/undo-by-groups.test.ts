/**
 * Undo, redo and parked work count by group (DESIGN 15): one conflict keeps one group, and that group can still be undone, done
 * again, unparked and restored. A commit is taken back whole or not at all (W2).
 */
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type JsonObject, makePlace, type Place } from "../support/cli.ts";
import { type TestRepository, testRepository } from "../support/git-repository.ts";
import { ANN, leftSession } from "../support/left-session.ts";
import { type TreeState, treeState } from "../support/tree-state.ts";

const LONG = { timeout: 10 * 60_000 };
const FILES = ["a.txt", "b.txt", "c.txt"] as const;

interface Scene {
  readonly place: Place;
  readonly repo: TestRepository;
  /** The three files changed, nothing else. */
  readonly before: TreeState;
  run(...args: string[]): Promise<{ code: number | null; json: JsonObject }>;
  /** Names of what is parked, by path. */
  parked(): Promise<Record<string, string>>;
  changed(): string[];
}

/** Three committed files, each appended to by nobody in particular: three groups. */
function scene(): Scene {
  const place = makePlace();
  const repo = testRepository(place.workspace);
  for (const file of FILES) repo.write(file, `${file}\n`);
  repo.commit("base");
  for (const file of FILES) repo.write(file, `${file}\nmore\n`);
  const run: Scene["run"] = (...args) => place.json(args, { env: ANN });
  return {
    place,
    repo,
    before: treeState(repo),
    run,
    parked: async () => {
      const { json } = await run("parked");
      return Object.fromEntries(json.parked.map((one: JsonObject) => [one.paths[0].path, one.name]));
    },
    changed: () =>
      repo
        .git("status", "--porcelain", "--no-renames")
        .split("\n")
        .filter(Boolean)
        .map((line) => line.trim().split(" ").at(-1) ?? ""),
  };
}

/** b is edited, the act undone: a and c are back, b is in conflict. */
async function undoneButOne(act: "park" | "discard"): Promise<Scene> {
  const made = scene();
  const { repo, run } = made;
  expect(await run(act, "--adopt", "--all", "--yes")).toMatchObject({ code: 0, json: { done: true } });
  repo.write("b.txt", "b.txt\noops\n");
  const undone = await run("undo", "--yes");
  expect(undone).toMatchObject({ code: 3, json: { done: true, conflicts: [{ path: "b.txt" }] } });
  expect([repo.read("a.txt"), repo.read("b.txt"), repo.read("c.txt")]).toEqual([
    "a.txt\nmore\n",
    "b.txt\noops\n",
    "c.txt\nmore\n",
  ]);
  return made;
}

const putAway = ({ repo }: Scene): string => repo.git("checkout", "-q", "--", "b.txt");

describe("undo with one group in conflict", LONG, () => {
  it.each(["park", "discard"] as const)(
    "takes the others of a %s back, and the next undo the one that is left, so that nothing is lost; then there is nothing to undo (S5)",
    async (act) => {
      const made = await undoneButOne(act);
      const { repo, run, before } = made;
      const again = await run("undo", "--yes");
      expect(again, "still in conflict, and still there").toMatchObject({ code: 3, json: { done: false } });
      putAway(made);
      expect(await run("undo", "--yes")).toMatchObject({
        code: 0,
        json: { done: true, plan: { acts: [{ paths: ["b.txt"] }] } },
      });
      expect(treeState(repo)).toEqual(before);
      const none = await run("undo", "--yes");
      expect(none).toMatchObject({ code: 1, json: { code: "E_NOTHING_TO_UNDO" } });
      // T1: much was done here; all of it is undone, and can be done again.
      expect(none.json.message).toContain("everything that was done here is undone already");
      expect(none.json.hint).toContain("refloat redo");
      expect(await run("prove")).toMatchObject({ code: 0 });
    },
  );

  it("keeps the group parked that is not back, and no other; unpark brings it, and that can be undone (S4)", async () => {
    const made = await undoneButOne("park");
    const { repo, run, parked, before } = made;
    const names = await parked();
    expect(Object.keys(names)).toEqual(["b.txt"]);
    putAway(made);
    expect(await run("unpark", names["b.txt"] ?? "", "--yes")).toMatchObject({ code: 0 });
    expect(treeState(repo)).toEqual(before);
    expect(await parked()).toEqual({});
    expect(await run("undo", "--yes"), "the unpark").toMatchObject({ code: 0 });
    expect([made.changed(), Object.keys(await parked())]).toEqual([["a.txt", "c.txt"], ["b.txt"]]);
    expect(await run("undo", "--yes"), "what is left of the park").toMatchObject({ code: 0 });
    expect(treeState(repo)).toEqual(before);
  });

  it("is done again by redo group by group, whatever order they came back in, and undone once more", async () => {
    const made = await undoneButOne("park");
    const { repo, run, parked, before } = made;
    putAway(made);
    expect((await run("undo", "--yes")).code).toBe(0);
    expect((await run("redo", "--yes")).code).toBe(0);
    expect([made.changed(), Object.keys(await parked())]).toEqual([["a.txt", "c.txt"], ["b.txt"]]);
    expect((await run("redo", "--yes")).code).toBe(0);
    expect(made.changed()).toEqual([]);
    expect(Object.keys(await parked()).sort()).toEqual([...FILES]);
    expect(await run("redo", "--yes")).toMatchObject({ code: 1, json: { code: "E_NOTHING_TO_UNDO" } });
    for (let i = 0; i < 2; i++) expect((await run("undo", "--yes")).code).toBe(0);
    expect(treeState(repo)).toEqual(before);
  });

  it("lets redo do the others again while one group stays parked, and one undo after the other brings all back", async () => {
    const made = await undoneButOne("park");
    const { repo, run, parked, before } = made;
    expect(await run("redo", "--yes")).toMatchObject({ code: 0 });
    expect([made.changed(), Object.keys(await parked()).sort()]).toEqual([["b.txt"], [...FILES]]);
    putAway(made);
    for (let i = 0; i < 2; i++) expect(await run("undo", "--yes")).toMatchObject({ code: 0 });
    expect(treeState(repo)).toEqual(before);
    expect(await parked()).toEqual({});
  });

  it("leaves a redo's group that is in conflict to the next redo", async () => {
    const { repo, run, parked } = scene();
    expect((await run("park", "--adopt", "--all", "--yes")).code).toBe(0);
    expect((await run("undo", "--yes")).code).toBe(0);
    repo.write("b.txt", "b.txt\noops\n");
    expect(await run("redo", "--yes")).toMatchObject({ code: 3, json: { conflicts: [{ path: "b.txt" }] } });
    expect(Object.keys(await parked()).sort()).toEqual(["a.txt", "c.txt"]);
    repo.write("b.txt", "b.txt\nmore\n");
    expect(await run("redo", "--yes")).toMatchObject({ code: 0 });
    expect(Object.keys(await parked()).sort()).toEqual([...FILES]);
  });

  it("counts a group that somebody brought back himself as taken back, so that undo comes to what is older (T1)", async () => {
    const { repo, run, parked, before } = scene();
    expect((await run("park", "--adopt", "a.txt", "--yes")).code).toBe(0);
    expect((await run("park", "--adopt", "b.txt", "--yes")).code).toBe(0);
    repo.write("b.txt", "b.txt\nmore\n");
    const noted = await run("undo", "--yes");
    expect(noted).toMatchObject({ code: 0, json: { done: true, already: [{ path: "b.txt" }] } });
    expect(Object.keys(await parked())).toEqual(["a.txt"]);
    expect((await run("undo", "--yes")).code).toBe(0);
    expect(treeState(repo)).toEqual(before);
    for (let i = 0; i < 2; i++) expect((await run("redo", "--yes")).code).toBe(0);
    expect(await run("redo", "--yes")).toMatchObject({ code: 1, json: { code: "E_NOTHING_TO_UNDO" } });
  });

  it("refuses the rest of a plan where a later act touched it, and names that act (DESIGN 15)", async () => {
    const made = await undoneButOne("discard");
    const { run } = made;
    const [first] = (await run("captures")).json.captures.filter((one: JsonObject) => one.plan).slice(-1);
    const parkedEdit = await run("park", "--adopt", "b.txt", "--yes");
    expect(parkedEdit.code).toBe(0);
    expect(await run("undo", "--plan", first.plan, "--yes")).toMatchObject({
      code: 1,
      json: { code: "E_UNDO_BLOCKED" },
    });
  });
});

describe("safety captures", LONG, () => {
  it("are listed with their reason and plan, shown by diff, and put back what an act took, named or not, undoably (W3)", async () => {
    const made = await undoneButOne("discard");
    const { place, repo, run } = made;
    const listed = (await run("captures")).json.captures;
    const safety = listed.filter(({ reason }: JsonObject) => reason === "safety");
    expect(safety.length).toBe(2);
    const first = safety.at(-1);
    expect(first).toMatchObject({ held: 3, partial: false });
    expect((await place.refloat(["captures"])).stdout).toMatch(/safety .* before discard /);
    expect(await run("undo", "--plan", first.plan, "--dry-run")).toMatchObject({ code: 0 });
    const edited = treeState(repo);
    expect(await run("restore", first.id.slice(0, 8), "b.txt", "--yes")).toMatchObject({ code: 0 });
    expect(treeState(repo)).toEqual(made.before);
    expect((await run("undo", "--yes")).code).toBe(0);
    expect(treeState(repo)).toEqual(edited);
    expect(await run("restore", first.id, "--yes")).toMatchObject({ code: 0 });
    expect(treeState(repo)).toEqual(made.before);
    expect(await run("diff", first.id, "now")).toMatchObject({ code: 0, json: { changes: [] } });
  });

  it("say in a conflict how to have beside it what undo would bring back, and that can be typed as it stands (T6)", async () => {
    const made = await undoneButOne("park");
    const { place, repo } = made;
    const cwd = join(repo.root, "deep/er");
    mkdirSync(cwd, { recursive: true });
    const { stdout, code } = await place.refloat(["undo", "--yes"], { env: ANN, cwd });
    expect([code, stdout]).toEqual([3, expect.stringContaining("`refloat undo` again")]);
    const typed = /refloat (restore .*)/.exec(stdout)?.[1]?.split(" ") ?? [];
    expect(typed.at(-1)).toBe("../../b.txt");
    expect((await place.refloat([...typed, "--yes"], { env: ANN, cwd })).code).toBe(0);
    expect(repo.read("b.txt")).toBe("b.txt\nmore\n");
  });
});

/** A dead session: journal.md only grew and is committed, x.ts does not parse and is parked, and so are two more. */
async function mixed(): Promise<Scene & { readonly head: string; readonly plan: string }> {
  const made = scene();
  const { place, repo } = made;
  for (const file of FILES) repo.git("checkout", "-q", "--", file);
  repo.write("CHANGELOG.md", "# Changes\n\n- one\n");
  for (const name of ["x.ts", "y.ts"]) repo.write(name, "export const one = 1;\n");
  repo.commit("more");
  await leftSession(place, repo, {
    edits: {
      "CHANGELOG.md": () => repo.write("CHANGELOG.md", "# Changes\n\n- one\n- two\n"),
      "x.ts": () => repo.write("x.ts", "export const one = {;\n"),
      "y.ts": () => repo.write("y.ts", "export const two = {;\n"),
    },
  });
  const head = repo.git("rev-parse", "HEAD");
  const before = treeState(repo);
  const settled = await made.run("settle", "--yes");
  expect(settled).toMatchObject({ code: 0, json: { commit: expect.any(String) } });
  const acts = settled.json.plan.acts as JsonObject[];
  expect(acts.map(({ act, paths }) => `${act} ${paths}`).sort()).toEqual([
    "commit CHANGELOG.md",
    "park x.ts",
    "park y.ts",
  ]);
  return { ...made, before, head, plan: settled.json.plan.id };
}

describe("undo of a plan with a commit in it", LONG, () => {
  it("takes the commit back whole and every group that fits; a parked one in conflict stays parked, and the next undo brings it (W2)", async () => {
    const { repo, run, parked, before, head } = await mixed();
    repo.write("x.ts", "export const one = 11;\n");
    const undone = await run("undo", "--yes");
    expect(undone).toMatchObject({
      code: 3,
      json: { done: true, conflicts: [{ path: "x.ts" }], uncommitted: { paths: ["CHANGELOG.md"] } },
    });
    expect([repo.git("rev-parse", "HEAD"), repo.read("y.ts")]).toEqual([head, "export const two = {;\n"]);
    expect(Object.keys(await parked())).toEqual(["x.ts"]);
    repo.git("checkout", "-q", "--", "x.ts");
    expect(await run("undo", "--yes")).toMatchObject({ code: 0 });
    expect(treeState(repo)).toEqual(before);
    expect(await run("redo", "--yes")).toMatchObject({ code: 0 });
    expect([repo.git("rev-parse", "HEAD"), Object.keys(await parked())]).toEqual([head, ["x.ts"]]);
    expect(await run("redo", "--yes")).toMatchObject({ code: 0 });
    expect(repo.git("rev-parse", "HEAD^")).toBe(head);
    expect(Object.keys(await parked()).sort()).toEqual(["x.ts", "y.ts"]);
  });

  it.each([
    ["changed by a later commit", "commit"],
    ["amended away", "amend"],
  ] as const)(
    "brings the parked groups back where the commit is %s, and leaves the commit (W2, W5)",
    async (_, how) => {
      const { repo, run, parked } = await mixed();
      repo.write("CHANGELOG.md", "# Changes\n\n- one\n- two\n- three\n");
      const identity = ["-c", "user.name=U", "-c", "user.email=u@example.invalid"];
      repo.git(...identity, "commit", "-qam", "the user's", ...(how === "amend" ? ["--amend"] : []));
      const head = repo.git("rev-parse", "HEAD");
      expect(await run("undo", "--yes")).toMatchObject({
        code: 3,
        json: { done: true, commit: null, conflicts: [{ path: "CHANGELOG.md" }] },
      });
      expect(repo.git("rev-parse", "HEAD")).toBe(head);
      expect([repo.read("x.ts"), repo.read("y.ts"), await parked()]).toEqual([
        "export const one = {;\n",
        "export const two = {;\n",
        {},
      ]);
    },
  );
});

describe("undo of a park with a branch", LONG, () => {
  it("says that the branch goes and which path is uncommitted again, not every file of the repository (T1)", async () => {
    const { place, repo, run, before } = scene();
    const parked = await run("park", "--adopt", "b.txt", "--branch", "aside", "--yes");
    expect(parked).toMatchObject({ code: 0 });
    const { stdout } = await place.refloat(["undo", "--yes"], { env: ANN });
    expect(stdout).toContain("1 path is uncommitted again: b.txt");
    expect(stdout).toContain("The branch aside is removed");
    expect(treeState(repo)).toEqual(before);
  });

  it("that went on adds a commit to it that reverses what was parked alone: no other file goes from it (W2)", async () => {
    const { repo, run } = scene();
    expect((await run("park", "--adopt", "b.txt", "--branch", "aside", "--yes")).code).toBe(0);
    const tip = repo.git("rev-parse", "aside");
    const tree = repo.git("rev-parse", "aside^{tree}");
    const identity = ["-c", "user.name=U", "-c", "user.email=u@example.invalid"];
    repo.git(
      "update-ref",
      "refs/heads/aside",
      repo.git(...identity, "commit-tree", "-p", tip, "-m", "on", tree),
    );
    expect(await run("undo", "--yes")).toMatchObject({ code: 0, json: { reverses: tip } });
    expect(repo.git("ls-tree", "--name-only", "aside").split("\n")).toEqual([...FILES]);
    expect(repo.git("diff", "--stat", "aside", "main")).toBe("");
    expect(repo.read("b.txt")).toBe("b.txt\nmore\n");
  });
});

describe("what else counts a plan", LONG, () => {
  it("the handoff names what stands with its own number of paths, and no plan that was taken back (T6)", async () => {
    const { repo, run } = await mixed();
    repo.write("x.ts", "export const one = 11;\n");
    expect((await run("undo", "--yes")).code).toBe(3);
    const done = (await run("handoff")).json.done.map(({ text }: { text: string }) => text);
    expect(done).toEqual([expect.stringMatching(/^parked 1 path \(x\.ts\): back with refloat unpark \w+$/)]);
    repo.git("checkout", "-q", "--", "x.ts");
    expect(await run("unpark", done[0].split(" ").at(-1), "--yes")).toMatchObject({ code: 0 });
    const told = JSON.stringify((await run("handoff")).json.done);
    expect(told).not.toContain("parked");
  });

  it("a removed work tree comes back by undo although acts done since were taken back again", async () => {
    const { repo, run } = scene();
    for (const file of FILES) repo.git("checkout", "-q", "--", file);
    const linked = join(repo.root, "../linked-tree");
    repo.git("worktree", "add", "-q", "--detach", linked);
    expect(await run("worktrees", "remove", linked, "--yes")).toMatchObject({ code: 0 });
    repo.write("a.txt", "a.txt\nmore\n");
    expect((await run("park", "--adopt", "--all", "--yes")).code).toBe(0);
    expect((await run("undo", "--yes")).code).toBe(0);
    try {
      expect(await run("undo", "--yes")).toMatchObject({
        code: 0,
        json: { plan: { acts: [{ paths: [linked] }] } },
      });
    } finally {
      rmSync(linked, { recursive: true, force: true });
    }
  });
});
