/** What commands say of acts and sessions: all of what was done, and nothing that is not so (T1). */
import { createHash } from "node:crypto";
import { rmSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { runScript } from "../../src/store/sqlite/connection.ts";
import { type JsonObject, makePlace, type Place } from "../support/cli.ts";
import { type TestRepository, testRepository } from "../support/git-repository.ts";
import { ANN, leftSession } from "../support/left-session.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { treeState } from "../support/tree-state.ts";

/** notes.md is new, by a dead session; everything else is committed. */
async function leftNotes(): Promise<{ place: Place; repo: TestRepository; group: string }> {
  const place = makePlace();
  const repo = testRepository(place.workspace);
  repo.write("f.txt", "one\n");
  repo.commit("base");
  await leftSession(place, repo, { edits: { "notes.md": () => repo.write("notes.md", "A note.\n") } });
  const { json } = await place.json(["inspect"]);
  return { place, repo, group: json.groups[0].id };
}

describe("undo of a commit that changed no file", () => {
  it("says which commit left which branch and what is uncommitted again, not that nothing was done; redo says the reverse", async () => {
    const { place, repo } = await leftNotes();
    const before = treeState(repo);
    expect((await place.refloat(["commit", "--all", "--yes"], { env: ANN })).code).toBe(0);
    const commit = repo.git("rev-parse", "HEAD");
    const short = commit.slice(0, 12);
    const dry = await place.refloat(["undo", "--dry-run"], { env: ANN });
    expect(dry.stdout).toContain(`The commit ${short} is taken off main`);
    const undone = await place.refloat(["undo", "--yes"], { env: ANN });
    expect(undone.stdout).toContain(`The commit ${short} is taken off main`);
    expect(undone.stdout).toContain("1 path is uncommitted again: notes.md");
    expect(undone.stdout).not.toMatch(/0 paths|nothing to do/);
    expect(treeState(repo)).toEqual(before);
    const redone = await place.refloat(["redo", "--yes"], { env: ANN });
    expect(redone.stdout).toContain(`The commit ${short} is on main again`);
    const again = await place.json(["undo", "--yes"], { env: ANN });
    expect(again.json.uncommitted).toEqual({ commit, ref: "refs/heads/main", paths: ["notes.md"] });
    const acts = async (...args: string[]): Promise<JsonObject[]> =>
      (await place.json(args, { env: ANN })).json.plan.acts;
    expect(again.json.plan.acts).toEqual([
      { group: expect.any(String), act: "restore", paths: ["notes.md"] },
    ]);
    expect(await acts("redo", "--yes")).toMatchObject([{ act: "commit", paths: ["notes.md"] }]);
    // What stands in the way stands in the way of all of it.
    repo.write("more.txt", "more\n");
    repo.git("add", "more.txt");
    repo.git("commit", "-q", "-m", "later", "more.txt");
    expect(await acts("undo", "--dry-run")).toMatchObject([{ act: "restore", paths: ["notes.md"] }]);
  }, 300_000);
});

describe("unpark of what is there already", () => {
  it("takes it out of what is parked, with a line, and changes no file; undo parks it again", async () => {
    const { place, repo, group } = await leftNotes();
    const judged: JsonObject[] = (await place.json(["inspect"])).json.groups;
    const { reasons } = judged.find(({ id }) => id === group) ?? {};
    expect((await place.refloat(["park", "--group", group, "--yes"], { env: ANN })).code).toBe(0);
    // Why it was parked is said with its evidence, as `inspect` did: the tree no longer shows it.
    expect((await place.json(["parked"])).json.parked).toMatchObject([{ name: group, reasons }]);
    repo.write("notes.md", "A note.\n");
    const before = treeState(repo);
    const parked = async (): Promise<JsonObject[]> => (await place.json(["parked"])).json.parked;
    expect((await place.refloat(["unpark", group, "--dry-run"])).stdout).toContain("there already");
    expect(await parked()).toHaveLength(1);
    const ran = await place.refloat(["unpark", group, "--yes"], { env: ANN });
    expect([ran.code, ran.stdout]).toEqual([0, expect.stringContaining("it is no longer parked")]);
    expect(await parked()).toEqual([]);
    expect(treeState(repo)).toEqual(before);
    expect((await place.refloat(["undo", "--yes"], { env: ANN })).code).toBe(0);
    expect(await parked()).toHaveLength(1);
    expect(treeState(repo)).toEqual(before);
    // Something else lies there: a conflict, and it stays parked.
    repo.write("notes.md", "Another note.\n");
    expect((await place.refloat(["unpark", group, "--yes"], { env: ANN })).code).toBe(3);
    expect(await parked()).toHaveLength(1);
    expect(repo.read("notes.md")).toBe("Another note.\n");
  }, 300_000);
});

describe("a session named from another folder", () => {
  it("is looked at, settled and taken back where it worked; what lies where one stands is not touched (W5)", async () => {
    const { place, repo, group } = await leftNotes();
    const elsewhere = testRepository(temporaryFolder());
    elsewhere.write("mine.txt", "mine\n");
    elsewhere.commit("base");
    elsewhere.write("mine.txt", "changed\n");
    const untouched = treeState(elsewhere);
    const there = { cwd: elsewhere.root, env: ANN };
    const { json } = await place.json(["inspect", "left-session"], there);
    expect(json.groups.map(({ id }: JsonObject) => id)).toEqual([group]);
    expect(json.session).toMatchObject({ id: "left-session", unsettled: true });
    expect((await place.json(["handoff", "left-session"], there)).json.markdown).toContain("notes.md");
    const settled = await place.json(["settle", "left-session", "--policy", "park-all", "--yes"], there);
    expect(settled).toMatchObject({
      code: 0,
      json: { done: true, plan: { acts: [{ group, act: "park" }] } },
    });
    expect(repo.git("status", "--porcelain")).toBe("");
    expect(treeState(elsewhere)).toEqual(untouched);
    rmSync(repo.root, { recursive: true });
    expect(await place.json(["inspect", "left-session"], there)).toMatchObject({
      code: 1,
      json: { code: "E_WORKSPACE_GONE" },
    });
  }, 300_000);
});

describe("a session that left only what nobody can look into", () => {
  it("is unsettled while that is there, and settled when it is gone; what was so before is not its own (L6, W4)", async () => {
    const place = makePlace();
    const repo = testRepository(place.workspace);
    const inner = testRepository(temporaryFolder());
    inner.write("code.txt", "one\n");
    inner.commit("base");
    repo.write("f.txt", "one\n");
    for (const name of ["sub", "old"])
      repo.git("-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner.root, name);
    repo.commit("base");
    repo.write("old/code.txt", "the user's\n");
    await leftSession(place, repo, { edits: { "sub/code.txt": () => repo.write("sub/code.txt", "two\n") } });
    const unsettled = async (): Promise<boolean> => (await place.json(["inspect"])).json.session.unsettled;
    expect(await unsettled()).toBe(true);
    expect((await place.json(["inspect"])).json.gaps.map(({ path }: JsonObject) => path)).toContain("sub");
    const { code, stdout } = await place.refloat(["inspect", "--exit-code"]);
    expect([code, stdout]).toEqual([3, expect.stringContaining("Settled once git lists it no more")]);
    repo.write("sub/code.txt", "one\n");
    expect(await unsettled()).toBe(false);
    repo.git("-C", "sub", "commit", "-q", "--allow-empty", "-m", "on");
    const { groups } = (await place.json(["inspect"])).json;
    const said = groups.flatMap(({ reasons }: JsonObject) =>
      reasons.map(({ message }: JsonObject) => message),
    );
    expect(said).toContain("sub is a submodule at another commit than HEAD names.");
    expect(said.join(" "), "T1: it is what it was").not.toContain("another kind of thing");
  }, 300_000);
});

describe("prove", () => {
  const damage = (place: Place, text: string): void => {
    const hash = createHash("sha256").update(text).digest("hex");
    runScript(place.store, `UPDATE chunks SET bytes = X'00' WHERE hash = X'${hash}'`);
  };

  it.each([
    ["in the tree", "A note.\n"],
    ["in the index alone", "Staged.\n"],
  ])(
    "reads back what was parked, %s, and names the group that cannot be brought back whole",
    async (_where, text) => {
      const place = makePlace();
      const repo = testRepository(place.workspace);
      repo.write("f.txt", "one\n");
      repo.commit("base");
      const edit = (): void => {
        repo.write("notes.md", "Staged.\n");
        repo.git("add", "notes.md");
        repo.write("notes.md", "A note.\n");
      };
      await leftSession(place, repo, { edits: { "notes.md": edit } });
      expect((await place.refloat(["park", "--all", "--yes"], { env: ANN })).code).toBe(0);
      expect(repo.git("status", "--porcelain")).toBe("");
      const whole = await place.json(["prove"]);
      expect(whole).toMatchObject({ code: 0, json: { whole: true, parked: [{ whole: true }] } });
      expect((await place.refloat(["prove"])).stdout).toContain("1 parked group is whole.");
      damage(place, text);
      const proof = await place.json(["prove"]);
      expect(proof).toMatchObject({ code: 5, json: { parked: [{ whole: false }] } });
      const said = `Parked ${whole.json.parked[0].name} cannot be brought back whole.`;
      expect((await place.refloat(["prove"])).stdout).toContain(said);
    },
    300_000,
  );
});

describe("prove of a content that is not whole", () => {
  const hash = createHash("sha256").update("A note.\n").digest("hex");
  it.each([
    ["a piece is gone", `DELETE FROM chunks WHERE hash = X'${hash}'`, /a piece of it is not in the store/],
    ["its bytes are others", `UPDATE chunks SET bytes = X'00' WHERE hash = X'${hash}'`, /is damaged/],
  ])(
    "says which: %s (T1)",
    async (_what, statement, said) => {
      const { place } = await leftNotes();
      expect((await place.refloat(["park", "--all", "--yes"], { env: ANN })).code).toBe(0);
      runScript(place.store, `PRAGMA foreign_keys = OFF; ${statement}`);
      const { code, json } = await place.json(["prove"]);
      expect(code).toBe(5);
      const found = json.lost.find((one: JsonObject) => one.path === "notes.md" && one.what === "content");
      expect(found).toMatchObject({ hash, why: expect.stringMatching(said) });
      expect((await place.refloat(["prove"])).stdout).toMatch(said);
    },
    300_000,
  );
});

describe("an act that finds nothing to do", () => {
  it("is done, for restore as for settle; a dry run is not", async () => {
    const { place } = await leftNotes();
    const { json: taken } = await place.json(["capture"]);
    for (const words of [
      ["restore", taken.capture, "--yes"],
      ["settle", "--policy", "leave", "--yes"],
    ]) {
      const { code, json } = await place.json(words);
      expect({ words, code, ...json }).toMatchObject({ code: 0, done: true, conflicts: [], undo: null });
      expect(json.plan.id).toBeNull();
    }
    const dry = await place.json(["restore", taken.capture, "--dry-run"]);
    expect(dry).toMatchObject({ code: 0, json: { done: false } });
  }, 300_000);
});

describe("a group of a live session", () => {
  it("is unknown because it is still being written, said once (S2)", async () => {
    const place = makePlace();
    const repo = testRepository(place.workspace);
    repo.write("f.txt", "one\n");
    repo.commit("base");
    await place.withStore(async (store) => {
      const session = await store.begin({ id: "at-work", agent: "tester", workspace: repo.root });
      const turn = await session.turn("go");
      const call = await turn.call({ tool: "edit", input: { path: "notes.md" } });
      repo.write("notes.md", "A note.\n");
      await call.result("ok");
      const { json } = await place.json(["inspect", "at-work"]);
      const [group] = json.groups;
      expect(group.verdict).toBe("unknown");
      expect(group.reasons[0].message).toBe("It is still being written: the session is live.");
      await turn.end("completed");
      await session.finish();
    });
  }, 300_000);
});
