/** Changes whose other side git does not have: neither called new, nor safe, nor left out of what is said (W4, S3, T1). */
import { renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { type JsonObject, makePlace, type Place } from "../support/cli.ts";
import { type TestRepository, testRepository } from "../support/git-repository.ts";
import { ANN, leftSession } from "../support/left-session.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const HIGH = '{"name":"x","version":"1.0.0","dependencies":{"a":"^2.0.0"}}\n';
const LOW = HIGH.replace("^2.0.0", "^1.0.0");

async function leftChanges(place: Place, repo: TestRepository): Promise<void> {
  await leftSession(place, repo, {
    edits: {
      "package.json": () => repo.write("package.json", LOW),
      "kept.md": () => repo.write("kept.md", "One.\nTwo.\n"),
    },
  });
}

const toldOf = (json: JsonObject): { paths: string[]; gaps: string[] } => ({
  paths: json.groups.flatMap(({ changes }: JsonObject) => changes.map(({ path }: JsonObject) => path)),
  gaps: json.gaps.map(({ path, why }: JsonObject) => `${path}: ${why}`),
});

const NOT_THERE = "package.json: HEAD: git does not have what its commit holds there";

it("a change of a file whose blob git lost is named as not looked into: no rule calls it new or safe, and no act deletes it", async () => {
  const place = makePlace();
  const repo = testRepository(place.workspace);
  repo.write("package.json", HIGH);
  repo.write("kept.md", "One.\n");
  repo.commit("base");
  await leftChanges(place, repo);
  const blob = repo.git("rev-parse", "HEAD:package.json");
  rmSync(join(repo.root, ".git/objects", blob.slice(0, 2), blob.slice(2)));
  expect(toldOf((await place.json(["inspect"])).json)).toEqual({ paths: ["kept.md"], gaps: [NOT_THERE] });
  const parked = await place.json(["settle", "--policy", "park-all", "--yes"], { env: ANN });
  expect([parked.code, repo.read("package.json"), repo.read("kept.md")]).toEqual([0, LOW, "One.\n"]);
  const dropped = await place.json(["discard", "package.json", "--yes"], { env: ANN });
  expect([dropped.code, repo.read("package.json")]).toEqual([3, LOW]);
  const nothing = await place.refloat(["settle", "--yes"], { env: ANN });
  expect(nothing.stdout.replaceAll(/\s+/g, " ")).toContain(`could not be looked into: ${NOT_THERE}`);
}, 300_000);

it("in a partial clone whose remote is out of reach, one file it never fetched does not hide the other changes", async () => {
  const remote = testRepository();
  remote.write("package.json", HIGH);
  remote.write("kept.md", "One.\n");
  remote.commit("base");
  remote.git("config", "uploadpack.allowFilter", "true");
  const place = makePlace();
  const repo = testRepository(place.workspace);
  repo.git("remote", "add", "origin", `file://${remote.root}`);
  repo.git("fetch", "-q", "--filter=blob:none", "origin", "main");
  repo.git("sparse-checkout", "set", "--no-cone", "/kept.md");
  repo.git("checkout", "-q", "-B", "main", "FETCH_HEAD");
  renameSync(remote.root, join(temporaryFolder(), "away"));
  await leftChanges(place, repo);
  expect(toldOf((await place.json(["inspect"])).json)).toEqual({ paths: ["kept.md"], gaps: [NOT_THERE] });
  expect((await place.json(["settle", "--yes"], { env: ANN })).code).toBe(0);
  expect(repo.git("diff-tree", "-r", "--name-only", "--no-commit-id", "HEAD")).toBe("kept.md");
  expect((await place.json(["undo", "--yes"], { env: ANN })).code).toBe(0);
  expect([repo.read("package.json"), repo.read("kept.md")]).toEqual([LOW, "One.\nTwo.\n"]);
}, 300_000);
