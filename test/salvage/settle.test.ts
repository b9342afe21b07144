/** Settling, as a user does it: the first seed's case from end to end, and what must not happen on the way. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { type JsonObject, makePlace, type Place } from "../support/cli.ts";
import { type TestRepository, testRepository } from "../support/git-repository.ts";
import { ANN, leftSession } from "../support/left-session.ts";
import { seedSession } from "../support/seed-session.ts";
import { treeState } from "../support/tree-state.ts";

type Ann = (...args: string[]) => Promise<{ code: number | null; json: JsonObject }>;

const as =
  (place: Place, env: Readonly<Record<string, string>> = ANN): Ann =>
  (...args) =>
    place.json(args, { env });

const actOn = (json: JsonObject, path: string): string | undefined =>
  json.plan.acts.find(({ paths }: JsonObject) => paths.includes(path))?.act;

async function groupAt(ann: Ann, path: string): Promise<string> {
  const { json } = await ann("inspect");
  return json.groups.find(({ changes }: JsonObject) => changes.some((one: JsonObject) => one.path === path))
    .id;
}

interface Scene {
  readonly place: Place;
  readonly repo: TestRepository;
  readonly ann: Ann;
}

/** f and g are committed, ten lines each. */
function scene(): Scene {
  const place = makePlace();
  const repo = testRepository(place.workspace);
  const lines = Array.from({ length: 10 }, (_, n) => `${n}\n`);
  for (const name of ["f.txt", "g.txt"]) repo.write(name, lines.join(""));
  repo.commit("base");
  return { place, repo, ann: as(place) };
}

const withLine = (repo: TestRepository, path: string, n: number, text: string): void =>
  repo.write(path, repo.read(path).split("\n").with(n, text).join("\n"));

describe("settle, the first seed's case", () => {
  it("commits journal and queue only, parks the risky, leaves the dotfiles; undo brings everything back (S5)", async () => {
    const place = makePlace();
    const { repo } = await seedSession(place);
    const ann = as(place);
    const { groups } = (await ann("inspect")).json;
    expect(groups.map(({ verdict }: JsonObject) => verdict)).toEqual(["risky", "unknown", "safe", "safe"]);
    const before = treeState(repo);
    const head = repo.git("rev-parse", "HEAD");
    const without = await ann("settle");
    expect(without).toMatchObject({ code: 1, json: { code: "E_NEEDS_YES" } });
    expect(actOn({ plan: without.json.plan }, "Makefile")).toBe("park");
    expect((await ann("settle", "--dry-run")).json).toMatchObject({ done: false, commit: null });
    expect(treeState(repo)).toEqual(before);
    const settled = await ann("settle", "--yes");
    expect(settled.code).toBe(0);
    const { json } = settled;
    expect(json).toMatchObject({ done: true, conflicts: [], commit: repo.git("rev-parse", "HEAD") });
    expect(actOn(json, "journal/2026-04-16.md")).toBe("commit");
    expect(actOn(json, "state/queue-manual.md")).toBe("commit");
    expect(actOn(json, "packages/gptmail")).toBe("park");
    expect(actOn(json, "dotfiles/.bashrc")).toBe("leave");
    expect(repo.git("log", "--format=%P %an %ae %cn", "-1")).toBe(`${head} Ann ann@example.invalid Ann`);
    expect(repo.git("show", "--name-only", "--format=", "HEAD").split("\n").sort()).toEqual([
      "journal/2026-04-16.md",
      "state/queue-manual.md",
    ]);
    expect(repo.git("status", "--porcelain")).toBe(" M dotfiles/.bashrc");
    expect((await ann("inspect")).json.session.unsettled, "a policy merely leaves the dotfiles").toBe(true);
    const { parked } = (await ann("parked")).json;
    expect(parked).toHaveLength(1);
    expect((await ann("undo", "--yes")).code).toBe(0);
    expect(treeState(repo)).toEqual(before);
    expect((await ann("parked")).json.parked).toEqual([]);
  });
});

describe("commit", () => {
  it("carries the user's staged work along: nothing of it is committed, nothing is staged in reverse (W7)", async () => {
    const { place, repo, ann } = scene();
    withLine(repo, "f.txt", 0, "USER");
    repo.git("add", "f.txt");
    withLine(repo, "g.txt", 0, "USER");
    repo.git("add", "g.txt");
    await leftSession(place, repo, { edits: { "f.txt": () => withLine(repo, "f.txt", 9, "SESSION") } });
    const before = treeState(repo);
    const done = await ann(
      "commit",
      "--group",
      await groupAt(ann, "f.txt"),
      "-m",
      "The session's part",
      "--yes",
    );
    expect(done).toMatchObject({ code: 0, json: { done: true } });
    expect(repo.git("show", "HEAD", "--format=%s", "-U0")).toMatch(
      /^The session's part\n[\s\S]*-9\n\+SESSION$/,
    );
    expect(repo.git("show", "HEAD:f.txt")).not.toContain("USER");
    expect(repo.git("diff", "--cached", "-U0", "f.txt")).toContain("+USER");
    expect(repo.git("diff", "--cached", "-U0")).not.toContain("SESSION");
    expect(repo.git("diff", "--cached", "--name-only").split("\n")).toEqual(["f.txt", "g.txt"]);
    expect(repo.git("diff"), "the tree is as the index").toBe("");
    expect((await ann("undo", "--yes")).code).toBe(0);
    expect(treeState(repo)).toEqual(before);
  });

  it("cannot commit a file whose lines both changed; it can be parked, and the user's lines stay", async () => {
    const { place, repo, ann } = scene();
    withLine(repo, "f.txt", 5, "USER");
    await leftSession(place, repo, { edits: { "f.txt": () => withLine(repo, "f.txt", 5, "BOTH") } });
    const before = treeState(repo);
    const group = await groupAt(ann, "f.txt");
    const refused = await ann("commit", "--group", group, "--yes");
    expect(refused).toMatchObject({ code: 3, json: { commit: null, conflicts: [{ path: "f.txt", group }] } });
    expect(treeState(repo)).toEqual(before);
    expect(await ann("park", "--group", group, "--yes")).toMatchObject({ code: 0, json: { done: true } });
    expect(repo.read("f.txt")).toContain("USER");
    expect(await ann("unpark", group, "--yes")).toMatchObject({ code: 0 });
    expect(treeState(repo)).toEqual(before);
  });

  it("T1: does not call parked what the session found so: named, it is left with the reason, and nothing is changed", async () => {
    const { place, repo, ann } = scene();
    withLine(repo, "f.txt", 5, "USER");
    await leftSession(place, repo, { edits: { "notes.md": () => repo.write("notes.md", "A note.\n") } });
    const before = treeState(repo);
    const { code, json } = await ann("park", "f.txt", "--yes");
    expect([code, json.plan.acts, json.conflicts]).toMatchObject([
      3,
      [{ act: "leave", paths: ["f.txt"] }],
      [{ path: "f.txt", why: "it was so before the session began" }],
    ]);
    expect(treeState(repo)).toEqual(before);
  });

  it("is refused in the middle of a merge, for an unknown identity, and on an unborn branch by policy", async () => {
    const { place, repo, ann } = scene();
    await leftSession(place, repo, { edits: { "notes.md": () => repo.write("notes.md", "A note.\n") } });
    const before = treeState(repo);
    const nobody = as(place, {});
    expect(await nobody("commit", "--all", "--yes")).toMatchObject({
      code: 1,
      json: { code: "E_NO_IDENTITY" },
    });
    writeFileSync(join(repo.root, ".git/MERGE_HEAD"), repo.git("rev-parse", "HEAD"));
    expect(await ann("commit", "--all", "--yes")).toMatchObject({
      code: 1,
      json: { code: "E_GIT_IN_PROGRESS" },
    });
    expect(treeState(repo)).toEqual(before);
    const empty = makePlace();
    const fresh = testRepository(empty.workspace);
    await leftSession(empty, fresh, { edits: { "a.md": () => fresh.write("a.md", "A note.\n") } });
    const own = as(empty);
    expect(await own("commit", "--all", "--yes")).toMatchObject({ code: 1, json: { code: "E_UNBORN" } });
    expect(await own("commit", "--group", await groupAt(own, "a.md"), "--yes")).toMatchObject({ code: 0 });
    expect(fresh.git("log", "--format=%an %s")).toBe("Ann Tidy up");
  });

  it("moves a detached HEAD forwards, and undo brings it back (W2)", async () => {
    const { place, repo, ann } = scene();
    repo.git("checkout", "-q", "--detach");
    await leftSession(place, repo, { edits: { "notes.md": () => repo.write("notes.md", "A note.\n") } });
    const before = treeState(repo);
    const planned = await place.refloat(["commit", "--all"], { env: ANN });
    expect(planned.stdout).toContain("HEAD is on no branch: the commit moves HEAD alone.");
    const done = await place.refloat(["commit", "--all", "--yes"], { env: ANN });
    expect(done.code).toBe(0);
    const id = repo.git("rev-parse", "HEAD");
    expect(done.stdout).toContain(`The commit is ${id.slice(0, 12)}, and HEAD, on no branch, is there.`);
    expect(repo.git("rev-parse", "HEAD^")).toBe(repo.git("rev-parse", "main"));
    expect((await ann("undo", "--yes")).code).toBe(0);
    expect(treeState(repo)).toEqual(before);
  });

  it("T1: a plan shows every group it would act on, however many there are", async () => {
    const { place, repo } = scene();
    const names = Array.from({ length: 15 }, (_, i) => `journal/day-${i + 10}.md`);
    const edits = Object.fromEntries(names.map((name) => [name, () => repo.write(name, "Worked.\n")]));
    await leftSession(place, repo, { edits });
    const { stdout } = await place.refloat(["settle", "--dry-run"], { env: ANN });
    expect(names.filter((name) => !stdout.includes(name))).toEqual([]);
    expect(stdout).not.toContain("more group");
  });

  it("leaves a file whose name may mean git's own folder, and only that: it is a gap that is named, nothing holds or writes it (W3, W4)", async () => {
    const { place, repo, ann } = scene();
    const edits = {
      "sub/.GIT": () => repo.write("sub/.GIT", "a trap\n"),
      "notes.md": () => repo.write("notes.md", "A note.\n"),
    };
    await leftSession(place, repo, { edits });
    const parked = await ann("park", "--all", "--yes");
    expect(parked).toMatchObject({ code: 0, json: { done: true, conflicts: [] } });
    expect((await ann("inspect")).json.gaps).toMatchObject([{ path: "sub/.GIT" }]);
    expect(repo.git("status", "--porcelain", "-uall")).toBe("?? sub/.GIT");
    expect((await ann("undo", "--yes")).code).toBe(0);
    expect(await ann("commit", "--all", "--yes")).toMatchObject({ code: 0, json: { done: true } });
    expect(repo.git("show", "--name-only", "--format=", "HEAD")).toBe("notes.md");
    expect(repo.read("sub/.GIT")).toBe("a trap\n");
  });
});
