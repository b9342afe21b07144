/** Links that nobody captured: their bytes are their targets, and the tree has them (S1). */
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { makePlace } from "../support/cli.ts";
import { testRepository } from "../support/git-repository.ts";
import { ANN } from "../support/left-session.ts";
import { treeState } from "../support/tree-state.ts";

it("S1: untracked links without a session are committed as links, never followed, like anything that can be parked; undo brings them back", async () => {
  const place = makePlace();
  const repo = testRepository(place.workspace);
  repo.write("f.txt", "one\n");
  repo.write("folder/inside", "in\n");
  repo.commit();
  const link = (target: string | Buffer, name: string): void => symlinkSync(target, join(repo.root, name));
  link("f.txt", "to-file");
  link("folder", "to-folder");
  link("/nowhere/at all", "dangling");
  link(Buffer.from([0x61, 0xff]), "odd");
  const before = treeState(repo);
  const committed = await place.json(["commit", "--adopt", "--all", "--yes"], { env: ANN });
  expect(committed).toMatchObject({ code: 0, json: { conflicts: [], commit: expect.any(String) } });
  expect(repo.git("status", "--porcelain")).toBe("");
  const modes = repo.git("ls-tree", "HEAD", "dangling", "odd", "to-file", "to-folder").split("\n");
  expect(modes.map((line) => line.slice(0, 6))).toEqual(["120000", "120000", "120000", "120000"]);
  expect(repo.git("show", "HEAD:dangling")).toBe("/nowhere/at all");
  expect((await place.json(["undo", "--yes"], { env: ANN })).code).toBe(0);
  expect(treeState(repo)).toEqual(before);
}, 300_000);
