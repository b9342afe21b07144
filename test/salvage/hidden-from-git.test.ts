/** Files the user told git not to look at: named, left by every policy, committed only by name (DESIGN 6, S3). */
import { expect, it } from "vitest";
import { type JsonObject, makePlace } from "../support/cli.ts";
import { testRepository } from "../support/git-repository.ts";
import { ANN, leftSession } from "../support/left-session.ts";

it("settle leaves what git is told not to look at and says so, commits the rest, and takes it when it is named; the flags stay", async () => {
  const place = makePlace();
  const repo = testRepository(place.workspace);
  const names = ["skipped.md", "assumed.md", "journal/day.md", "plain.md"];
  for (const name of names) repo.write(name, "One.\n");
  repo.commit("base");
  repo.git("update-index", "--skip-worktree", "skipped.md", "journal/day.md");
  repo.git("update-index", "--assume-unchanged", "assumed.md");
  const flags = repo.git("ls-files", "-v");
  const edit = (name: string) => (): void => repo.write(name, "One.\nTwo.\n");
  await leftSession(place, repo, { edits: Object.fromEntries(names.map((name) => [name, edit(name)])) });
  const { json } = await place.json(["inspect"]);
  const groupOf = (path: string): JsonObject =>
    json.groups.find(({ changes }: JsonObject) => changes[0].path === path);
  expect(names.map((name) => groupOf(name).verdict)).toEqual(["unknown", "unknown", "unknown", "safe"]);
  expect(groupOf("skipped.md").reasons[0]).toMatchObject({
    rule: "hidden-from-git",
    evidence: ["skipped.md: skip-worktree"],
  });
  expect((await place.json(["settle", "--yes"], { env: ANN })).code).toBe(0);
  expect(repo.git("show", "--name-only", "--format=", "HEAD")).toBe("plain.md");
  expect(repo.read("skipped.md")).toBe("One.\nTwo.\n");
  const named = await place.json(["commit", "--group", groupOf("skipped.md").id, "--yes"], { env: ANN });
  expect([named.code, repo.git("show", "--name-only", "--format=", "HEAD")]).toEqual([0, "skipped.md"]);
  expect(repo.git("ls-files", "-v")).toBe(flags);
}, 300_000);
