/** What settling must not touch, and what it does when it is not alone (origins: Bob's rows; peers: 10, 19, 20). */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { BIN, type JsonObject, makePlace, type Place } from "../support/cli.ts";
import { type TestRepository, testRepository } from "../support/git-repository.ts";
import { ANN, leftSession } from "../support/left-session.ts";
import { treeState } from "../support/tree-state.ts";

interface Scene {
  readonly place: Place;
  readonly repo: TestRepository;
  ann(...args: string[]): ReturnType<Place["json"]>;
}

function scene(): Scene {
  const place = makePlace();
  const repo = testRepository(place.workspace);
  for (const name of ["a.md", "b.md", "c.md"]) repo.write(name, "A note.\n");
  repo.commit("base");
  return { place, repo, ann: (...args) => place.json(args, { env: ANN }) };
}

describe("settling beside others", () => {
  it("leaves another live session's work, a peer's untracked file and the user's own edits alone (W5)", async () => {
    const { place, repo, ann } = scene();
    repo.write("b.md", "The user's.\n");
    await leftSession(place, repo, { edits: { "a.md": () => repo.write("a.md", "A note.\nMore.\n") } });
    await place.withStore(async (store) => {
      const other = await store.begin({ id: "other", agent: "t", workspace: repo.root });
      const turn = await other.turn("go");
      const call = await turn.call({ tool: "edit", input: { path: "c.md" } });
      repo.write("c.md", "The other's.\n");
      repo.write("untracked.md", "A peer's.\n");
      await call.result("ok");
      const settled = await ann("settle", "left-session", "--policy", "park-all", "--yes");
      expect(settled).toMatchObject({ code: 0, json: { done: true } });
      expect(repo.read("a.md")).toBe("A note.\n");
      expect([repo.read("b.md"), repo.read("c.md")]).toEqual(["The user's.\n", "The other's.\n"]);
      expect(repo.read("untracked.md")).toBe("A peer's.\n");
      const { json } = await ann("inspect", "left-session");
      const theirs = json.groups.find(({ changes }: JsonObject) => changes[0].path === "c.md");
      expect(theirs.changes[0]).toMatchObject({ owner: "other", owner_session: "other" });
      expect(await ann("park", "left-session", "--group", theirs.id, "--yes")).toMatchObject({
        code: 1,
        json: { code: "E_NOT_OWNED" },
      });
      expect(await ann("settle", "other", "--yes"), "a live one").toMatchObject({ code: 4 });
    });
  });

  it("lets one of two who settle at once win; the other finds nothing left or is told who holds it", async () => {
    const { place, repo, ann } = scene();
    await leftSession(place, repo, {
      edits: {
        "a.md": () => repo.write("a.md", "A note.\nMore.\n"),
        "b.md": () => repo.write("b.md", "A note.\nMore.\n"),
      },
    });
    const before = treeState(repo);
    const both = await Promise.all([1, 2].map(() => ann("settle", "--policy", "park-all", "--yes")));
    const winners = both.filter(({ json }) => json.plan?.id);
    expect(winners, JSON.stringify(both)).toHaveLength(1);
    for (const { code, json } of both)
      if (!json.plan?.id) expect([0, 3, 4].includes(code ?? -1), JSON.stringify(json)).toBe(true);
    expect(repo.git("status", "--porcelain")).toBe("");
    expect((await ann("undo", "--yes")).code).toBe(0);
    expect(treeState(repo)).toEqual(before);
  });

  it("leaves a group whose file changed since the session's end, and settles the others (DESIGN 15)", async () => {
    const { place, repo, ann } = scene();
    await leftSession(place, repo, {
      edits: {
        "a.md": () => repo.write("a.md", "A note.\nMore.\n"),
        "b.md": () => repo.write("b.md", "A note.\nMore.\n"),
      },
    });
    await ann("settle", "--policy", "leave", "--yes"); // proves the death, takes the end capture
    repo.write("a.md", "Somebody went on here.\n");
    const { code, json } = await ann("settle", "--policy", "park-all", "--yes");
    expect({ code, json }).toMatchObject({ code: 0, json: { done: true } });
    expect(json.plan.acts.map(({ paths }: JsonObject) => paths)).toEqual([["b.md"]]);
    expect(repo.read("a.md")).toBe("Somebody went on here.\n");
    expect(repo.read("b.md")).toBe("A note.\n");
  });

  it("never commits half of a link that became a folder, nor writes through a link that leads outside (peers 10)", async () => {
    const { place, repo, ann } = scene();
    const outside = join(place.home, "outside");
    mkdirSync(outside);
    writeFileSync(join(outside, "f"), "outside\n");
    repo.write("real/f", "1\n");
    symlinkSync("real", join(repo.root, "pkg"));
    repo.write("plain", "file\n");
    repo.commit("links");
    await leftSession(place, repo, {
      edits: {
        pkg: () => {
          rmSync(join(repo.root, "pkg"));
          mkdirSync(join(repo.root, "pkg"));
          writeFileSync(join(repo.root, "pkg/f"), "copied\n");
        },
        plain: () => {
          rmSync(join(repo.root, "plain"));
          symlinkSync(outside, join(repo.root, "plain"));
        },
      },
    });
    const before = treeState(repo);
    const { groups } = (await ann("inspect")).json;
    expect(groups.map(({ verdict }: JsonObject) => verdict)).toEqual(groups.map(() => "risky"));
    expect((await ann("commit", "--safe", "--yes")).json).toMatchObject({ commit: null });
    expect(await ann("commit", "--all", "-m", "both", "--yes")).toMatchObject({ code: 0 });
    expect(repo.git("show", "--format=", "--name-status", "--no-renames", "HEAD").split("\n").sort()).toEqual(
      ["A\tpkg/f", "D\tpkg", "T\tplain"],
    );
    expect((await ann("undo", "--yes")).code).toBe(0);
    expect(treeState(repo)).toEqual(before);
    expect(await ann("discard", "--group", groups[0].id, "--group", groups.at(-1).id, "--yes")).toMatchObject(
      { code: 0 },
    );
    expect(repo.git("status", "--porcelain")).toBe("");
    expect(existsSync(join(outside, "f"))).toBe(true);
  });

  it("acts on the repository it stands in, not on one around it (peers 19)", async () => {
    const { place, repo, ann } = scene();
    repo.write("a.md", "Changed by nobody knows whom.\n");
    const inner = testRepository(join(repo.root, "inner"));
    inner.write("x.md", "1\n");
    inner.commit("inner");
    inner.write("x.md", "1\n2\n");
    const head = repo.git("rev-parse", "HEAD");
    const ran = await place.json(["commit", "--adopt", "--all", "-m", "x", "--yes"], {
      env: ANN,
      cwd: inner.root,
    });
    expect(ran).toMatchObject({ code: 0, json: { done: true } });
    expect(repo.git("rev-parse", "HEAD")).toBe(head);
    expect(inner.git("log", "-1", "--format=%s")).toBe("x");
    expect(await ann("settle", "--yes")).toMatchObject({ code: 1, json: { code: "E_NOT_ADOPTED" } });
  });

  it.each([
    ["the older session's", "in the work tree", (repo: TestRepository) => repo.root],
    ["the older session's", "elsewhere", (_: TestRepository, place: Place) => place.home],
    ["the user's own", "in a folder of it", (repo: TestRepository) => join(repo.root, "sub")],
  ])(
    "what was added next to lines that are %s and not committed is left with the true reason, and the printed commands commit both in order, %s (W5, T6)",
    async (whose, _where, standing) => {
      const { place, repo, ann } = scene();
      repo.write("sub/x", "x\n");
      repo.commit("sub");
      const older = (): void => repo.write("a.md", "A note.\nOlder.\n");
      if (whose.startsWith("the user")) older();
      else await leftSession(place, repo, { id: "older", edits: { "a.md": older } });
      const newer = (): void => repo.write("a.md", "A note.\nOlder.\nNewer.\n");
      await leftSession(place, repo, { id: "newer", edits: { "a.md": newer } });
      const { code, json } = await ann("commit", "newer", "--all", "--yes");
      expect(code).toBe(3);
      expect(json.conflicts[0].why).toBe(
        "its lines stand next to lines that were changed before it began and are not committed yet",
      );
      expect(repo.git("log", "-1", "--format=%s")).toBe("sub");
      const bin = join(place.home, "bin");
      mkdirSync(bin);
      symlinkSync(BIN, join(bin, "refloat"));
      const PATH = `${bin}:${dirname(process.execPath)}:${process.env.PATH}`;
      const env = { PATH, HOME: place.home, REFLOAT_HOME: place.home, GIT_EDITOR: "echo mine >", ...ANN };
      const cwd = standing(repo, place);
      const { stdout } = await place.refloat(["settle", "newer", "--dry-run"], { env, cwd });
      const printed = stdout.slice(stdout.indexOf("This commits the older work first"));
      const typed = printed.split("\n").filter((line) => line.startsWith("  "));
      const ran = spawnSync("sh", ["-c", typed.join("\n")], { cwd, env, encoding: "utf8" });
      expect(ran.status, `${typed.join("\n")}\n${ran.stdout}${ran.stderr}`).toBe(0);
      expect(repo.git("show", "HEAD~1:a.md")).toBe("A note.\nOlder.");
      expect(repo.git("show", "HEAD:a.md")).toBe("A note.\nOlder.\nNewer.");
      expect(repo.git("status", "--porcelain")).toBe("");
    },
    120_000,
  );

  it("three sessions that went on with one file are committed in their order by what settling any of them prints (W5, T6)", async () => {
    const { place, repo, ann } = scene();
    const texts = ["A note.\nOne.\n", "A note.\nOne.\nTwo.\n", "A note.\nOne.\nTwo.\nThree.\n"];
    for (const [at, text] of texts.entries())
      await leftSession(place, repo, { id: `s${at + 1}`, edits: { "a.md": () => repo.write("a.md", text) } });
    for (const older of ["s1", "s2"]) {
      const { json } = await ann("settle", older, "--dry-run");
      expect([older, json.next]).toEqual([older, ["refloat commit s3 a.md --dry-run"]]);
      const { stdout } = await place.refloat(["settle", older, "--dry-run"]);
      expect(stdout).toContain("  a.md: session s3");
    }
    const run = async (line: string): Promise<void> => {
      for (const typed of line.split(" && ")) {
        const done = await ann(...typed.split(" ").slice(1));
        expect([0, 3], typed).toContain(done.code);
        for (const next of done.json.next ?? []) await run(next);
      }
    };
    await run("refloat commit s3 a.md --dry-run");
    const commits = repo.git("log", "-3", "--format=%H", "--reverse").split("\n");
    expect(commits.map((commit) => `${repo.git("show", `${commit}:a.md`)}\n`)).toEqual(texts);
    expect(repo.git("status", "--porcelain")).toBe("");
    expect((await place.refloat(["settle", "s1", "--dry-run"])).stdout).toContain("Nothing to settle.");
  }, 120_000);

  it("a commit of the journal alone is not named after the operation whose work was parked (T1)", async () => {
    const { place, repo, ann } = scene();
    repo.write("journal/today.md", "begin\n");
    repo.write("app.json", "{}\n");
    repo.commit("work");
    const work = "echo more >>journal/today.md; printf '{ \"a\": ' >app.json; sleep 1";
    const script = `echo '# BEGIN: rework'; sleep 1; ${work}; echo '# END: rework'; sleep 1; kill -9 $$`;
    await place.refloat(["run", "--", "sh", "-c", script]);
    expect((await ann("settle", "--yes")).code).toBe(0);
    expect(repo.read("app.json")).toBe("{}\n");
    expect(repo.git("log", "-1", "--format=%s")).toBe("Update journal/today.md");
  });

  it("a path that another session changed further is not committed in the older one's name, and the hint names a command that works (T6)", async () => {
    const { place, repo, ann } = scene();
    await leftSession(place, repo, { id: "older", edits: { "a.md": () => repo.write("a.md", "One.\n") } });
    await leftSession(place, repo, { id: "newer", edits: { "a.md": () => repo.write("a.md", "Two.\n") } });
    const { json } = await ann("commit", "older", "a.md", "--yes");
    expect(json).toMatchObject({
      code: "E_NOT_OWNED",
      hint: "Its owner settles it: `refloat settle newer`.",
    });
    expect((await ann("settle", "newer", "--dry-run")).code).toBe(0);
  });
});
