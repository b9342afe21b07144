/** `park --branch` and `commit.trailer`: what somebody asked for, and nothing else (DESIGN 7, W1). */
import { describe, expect, it } from "vitest";
import { makePlace, type Place } from "../support/cli.ts";
import { type TestRepository, testRepository } from "../support/git-repository.ts";
import { ANN, leftSession } from "../support/left-session.ts";
import { treeState } from "../support/tree-state.ts";

const LONG = { timeout: 10 * 60_000 };

async function scene(config = "{}\n"): Promise<{
  place: Place;
  repo: TestRepository;
  json: (...args: string[]) => ReturnType<Place["json"]>;
}> {
  const place = makePlace();
  const repo = testRepository(place.workspace);
  repo.write("a.md", "A note.\n");
  repo.write("refloat.json", config);
  repo.commit("base");
  await leftSession(place, repo, {
    edits: {
      "a.md": () => repo.write("a.md", "A note.\nAnd more.\n"),
      "new.md": () => repo.write("new.md", "New.\n"),
    },
  });
  return { place, repo, json: (...args) => place.json(args, { env: ANN }) };
}

describe("park --branch", LONG, () => {
  it("puts what is parked on a new branch as one commit on top of HEAD; HEAD stays, and undo takes the branch away", async () => {
    const { repo, json } = await scene();
    const before = treeState(repo);
    const head = repo.git("rev-parse", "HEAD");
    const parked = await json("park", "--all", "--branch", "half/done", "--yes");
    expect(parked).toMatchObject({
      code: 0,
      json: { done: true, commit: null, branch: { name: "half/done" } },
    });
    expect(repo.git("rev-parse", "half/done")).toBe(parked.json.branch.commit);
    expect(repo.git("rev-parse", "HEAD", "half/done^").split("\n")).toEqual([head, head]);
    expect(repo.git("show", "half/done:a.md")).toBe("A note.\nAnd more.");
    expect(repo.git("show", "half/done:new.md")).toBe("New.");
    expect(repo.git("show", "-s", "--format=%an %s", "half/done")).toMatch(/^Ann /);
    expect(repo.git("status", "--porcelain")).toBe("");
    expect(await json("undo", "--yes")).toMatchObject({ code: 0 });
    expect(treeState(repo), "undo takes all of it back (S5)").toEqual(before);
    expect(await json("redo", "--yes")).toMatchObject({ code: 0 });
    expect(repo.git("rev-parse", "half/done")).toBe(parked.json.branch.commit);
  });

  it("touches nothing where the branch is there already, git does not take the name, or it is only looked", async () => {
    const { repo, json } = await scene();
    repo.git("branch", "mine");
    const before = treeState(repo);
    const refused = (name: string): ReturnType<Place["json"]> =>
      json("park", "--all", `--branch=${name}`, "--yes");
    expect(await refused("mine")).toMatchObject({ code: 1, json: { code: "E_BRANCH_EXISTS" } });
    for (const name of ["-x", "a..b", "", "a b", "x.lock"])
      expect(await refused(name), name).toMatchObject({ code: 1, json: { code: "E_BAD_BRANCH" } });
    expect(await json("park", "--all", "--branch", "new", "--dry-run")).toMatchObject({ code: 0 });
    expect(treeState(repo)).toEqual(before);
  });
});

describe("commit.trailer", LONG, () => {
  it("adds what the config asks for to a commit, in the message's own block, and undo takes the commit back", async () => {
    const { repo, json } = await scene('{ "commit": { "trailer": true } }\n');
    expect(await json("commit", "--all", "--yes", "-m", "Notes")).toMatchObject({ code: 0 });
    expect(repo.git("show", "-s", "--format=%B").trim()).toBe("Notes\n\nRefloat-Session: left-session");
    expect(repo.git("show", "-s", "--format=%(trailers:key=Refloat-Session,valueonly)").trim()).toBe(
      "left-session",
    );
  });

  it("that is no trailer is a config that does not fit, with its line (D5)", async () => {
    const { json } = await scene('{ "commit": { "trailer": "just text" } }\n');
    expect(await json("commit", "--all", "--yes")).toMatchObject({ code: 1, json: { code: "E_BAD_CONFIG" } });
  });
});
