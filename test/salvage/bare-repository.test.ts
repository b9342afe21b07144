/** Git's own files are nobody's work: a bare repository is not taken for a plain folder, and no act reaches into one (W1, W2). */
import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { makePlace } from "../support/cli.ts";
import { fingerprint, testRepository } from "../support/git-repository.ts";

it("a bare repository is refused by name, by whatever reads or acts and before an agent is started; the list of sessions is not", async () => {
  const place = makePlace();
  const repo = testRepository();
  repo.write("f.txt", "one\n");
  repo.commit("base");
  repo.git("clone", "-q", "--bare", repo.root, place.workspace);
  const before = fingerprint(place.workspace);
  for (const args of [["inspect"], ["settle", "--adopt", "--policy", "park-all", "--yes"], ["capture"]]) {
    const { code, json } = await place.json(args);
    expect([code, json.code, json.message]).toEqual([1, "E_GIT_BARE", expect.stringContaining("bare")]);
  }
  const inHooks = await place.json(["inspect"], { cwd: join(place.workspace, "hooks") });
  expect(inHooks.json.code).toBe("E_GIT_BARE");
  const run = await place.refloat(["run", "--", "touch", "started"]);
  expect([run.code, existsSync(join(place.workspace, "started"))]).toEqual([125, false]);
  expect((await place.refloat(["sessions"])).code).toBe(0);
  expect(fingerprint(place.workspace)).toEqual(before);
}, 300_000);

it("in a plain folder one is named and not entered: a session that pushed into it is settled without moving its branch back", async () => {
  const place = makePlace();
  const bare = join(place.workspace, "shared.git");
  const repo = testRepository();
  repo.write("f.txt", "one\n");
  repo.commit("base");
  mkdirSync(bare);
  repo.git("clone", "-q", "--bare", repo.root, bare);
  repo.write("f.txt", "two\n");
  const pushed = repo.commit("more");
  const push = `git -C ${repo.root} push -q ${bare} main && echo done > note.txt`;
  expect((await place.refloat(["run", "--", "sh", "-c", push])).code).toBe(0);
  const { json } = await place.json(["inspect"]);
  expect(json.gaps).toEqual([{ path: "shared.git", why: "a repository lies there" }]);
  const parked = await place.json(["settle", "--policy", "park-all", "--yes"]);
  expect([parked.code, parked.json.plan.acts.map(({ paths }: { paths: string[] }) => paths)]).toEqual([
    0,
    [["note.txt"]],
  ]);
  expect(repo.git("-C", bare, "rev-parse", "main")).toBe(pushed);
}, 300_000);
