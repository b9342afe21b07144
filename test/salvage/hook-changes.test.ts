/** Hooks that change files (formatters): refused by default with what they changed; taken on the user's word, undoably (DESIGN 7, S5). */
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { makePlace, type Place } from "../support/cli.ts";
import { type TestRepository, testRepository } from "../support/git-repository.ts";
import { ANN, leftSession } from "../support/left-session.ts";
import { treeState } from "../support/tree-state.ts";

const LONG = { timeout: 10 * 60_000 };
const FLAG = "--accept-hook-changes";

/** As a formatter does it: every line feed after "x" gets a full stop before it. */
const FORMAT = "for f in $(git diff --cached --name-only -- '*.md'); do sed -i 's/x$/x./' \"$f\"; done";
const STAGE = "git add -u";

interface Scene {
  readonly place: Place;
  readonly repo: TestRepository;
  commit(args: readonly string[], env?: Readonly<Record<string, string>>): ReturnType<Place["json"]>;
}

async function scene(hooksPath: string | null, script: string, last = "five"): Promise<Scene> {
  const place = makePlace();
  const repo = testRepository(place.workspace);
  repo.write("a.md", "A note\n");
  repo.write("other.md", "other x\n");
  repo.write("both.md", "one\ntwo\nthree\nfour\nfive\n");
  // One in the tree is the one HEAD has; one of git's own folder must not hear of the first commit.
  if (hooksPath !== null) hook(join(repo.root, hooksPath), script);
  repo.commit("base");
  if (hooksPath === null) hook(join(repo.root, ".git/hooks"), script);
  else repo.git("config", "core.hooksPath", hooksPath);
  repo.write("both.md", "one mine\ntwo\nthree\nfour\nfive\n");
  await leftSession(place, repo, {
    edits: {
      "a.md": () => repo.write("a.md", "A note x\n", 0o640),
      "run.md": () => repo.write("run.md", "new x\n", 0o750),
      ...(last === "five"
        ? {}
        : { "both.md": () => repo.write("both.md", `one mine\ntwo\nthree\nfour\n${last}\n`) }),
    },
  });
  const commit = (args: readonly string[], env = {}): ReturnType<Place["json"]> =>
    place.json(["commit", "--all", "--yes", ...args], { env: { ...ANN, ...env } });
  return { place, repo, commit };
}

function hook(folder: string, script: string): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "pre-commit"), `#!/bin/sh\n${script}\n`);
  chmodSync(join(folder, "pre-commit"), 0o755);
}

describe("a hook that changes what is committed", LONG, () => {
  const rows = [
    ["of git's own folder, in the files alone", null, FORMAT],
    ["of a hooksPath in the tree, and stages it", ".husky", `${FORMAT}; ${STAGE}`],
  ] as const;
  for (const [name, hooksPath, script] of rows) {
    it(`${name}, stops the act and is named; taken, it is in the commit and in the tree, and undo gives every byte back`, async () => {
      const { place, repo, commit } = await scene(hooksPath, script);
      const before = treeState(repo);
      const refused = await commit([]);
      expect(refused).toMatchObject({ code: 1, json: { code: "E_HOOK_CHANGED" } });
      expect(refused.json.message).toContain("a.md, run.md");
      expect(refused.json.hint).toContain(FLAG);
      expect(treeState(repo)).toEqual(before);
      expect(await commit([FLAG])).toMatchObject({ code: 0, json: { done: true, conflicts: [] } });
      expect(repo.git("show", "HEAD:a.md", "HEAD:run.md")).toBe("A note x.\nnew x.");
      expect(repo.read("a.md")).toBe("A note x.\n");
      expect(repo.git("status", "--porcelain")).toBe(" M both.md");
      expect(repo.git("ls-tree", "HEAD", "run.md")).toMatch(/^100755 /);
      expect(await place.json(["undo", "--yes"], { env: ANN })).toMatchObject({ code: 0 });
      expect(treeState(repo)).toEqual(before);
    });
  }

  it("killed in the middle of being taken, is finished by the next start; no byte is lost (S6)", async () => {
    const { place, repo, commit } = await scene(null, FORMAT);
    const before = treeState(repo);
    const killed = await place.refloat(["commit", "--all", "--yes", FLAG], {
      env: { ...ANN, REFLOAT_CRASH_AT: "act.after-tree" },
    });
    expect(killed.signal).toBe("SIGKILL");
    await commit(["--hooks", "skip"]);
    expect(repo.git("show", "HEAD:a.md")).toBe("A note x.");
    expect(repo.read("a.md")).toBe("A note x.\n");
    expect(await place.json(["undo", "--yes"], { env: ANN })).toMatchObject({ code: 0 });
    expect(treeState(repo)).toEqual(before);
  });

  it("and others as well, or adds some, or one of which only a part is committed, stops the act whatever is accepted", async () => {
    const more = { code: 1, json: { code: "E_HOOK_CHANGED_MORE" } };
    for (const [script, named, last] of [
      [FORMAT, "both.md", "five x"],
      ["sed -i 's/x$/x./' other.md", "other.md"],
      ["echo made > made.md; git add made.md", "made.md"],
      ["git rm -q --cached other.md", "other.md"],
      ["rm a.md; ln -s other.md a.md; git add a.md", "a.md"],
    ] as const) {
      const { repo, commit } = await scene(null, script, last);
      const before = treeState(repo);
      const refused = await commit([FLAG]);
      expect(refused, script).toMatchObject(more);
      expect(refused.json.message, script).toContain(named);
      expect(treeState(repo), script).toEqual(before);
    }
  });

  it("in the tree itself (--hooks in-place): refused, the paths are named; taken, the commit is what lies in the tree, and nothing else is lost", async () => {
    const taken = await scene(null, `${FORMAT}; git add a.md`);
    const before = treeState(taken.repo);
    expect(await taken.commit(["--hooks", "in-place", FLAG])).toMatchObject({
      code: 0,
      json: { done: true, conflicts: [] },
    });
    expect(taken.repo.git("show", "HEAD:a.md", "HEAD:run.md")).toBe("A note x.\nnew x.");
    expect(taken.repo.read("a.md")).toBe("A note x.\n");
    expect(taken.repo.git("status", "--porcelain")).toBe(" M both.md");
    expect(await taken.place.json(["undo", "--yes"], { env: ANN })).toMatchObject({ code: 0 });
    const { index, refs } = treeState(taken.repo);
    expect([index, refs]).toEqual([before.index, before.refs]);
    // The hook changed the tree itself, not the plan: it stays as the hook left it.
    expect(taken.repo.read("a.md")).toBe("A note x.\n");
    const { place, repo, commit } = await scene(null, FORMAT);
    const refused = await commit(["--hooks", "in-place"]);
    expect(refused).toMatchObject({ code: 1, json: { code: "E_HOOK_CHANGED_TREE" } });
    expect(refused.json.message).toContain("a.md, run.md");
    expect(repo.git("log", "--format=%s")).toBe("base");
    const named = ["commit", "a.md", "run.md", "--yes", "--hooks", "skip"];
    expect(await place.json(named, { env: ANN })).toMatchObject({ code: 0, json: { done: true } });
    expect(repo.git("show", "HEAD:a.md", "HEAD:run.md")).toBe("A note x.\nnew x.");
  });
});
