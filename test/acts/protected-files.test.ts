/** Files the kernel lets nobody move: a conflict of their group, and no plan is left open that keeps every later command from working. */
import { execFileSync, spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { acting, slotsIn, treeOf } from "../support/acting.ts";
import { BIN, type JsonObject, makePlace } from "../support/cli.ts";
import { testRepository } from "../support/git-repository.ts";
import { leftSession } from "../support/left-session.ts";
import { need, unshareArguments } from "../support/needs.ts";

it("S5, DESIGN 15: one that something is mounted on is found out when it is to be moved: its group goes back whole, the other is parked", async () => {
  const place = makePlace();
  const repo = testRepository(place.workspace);
  for (const name of ["mounted.md", "notes.md"]) repo.write(name, "One.\n");
  repo.commit("base");
  const edit = (name: string) => (): void => repo.write(name, "One.\nTwo.\n");
  await leftSession(place, repo, {
    edits: { "mounted.md": edit("mounted.md"), "notes.md": edit("notes.md") },
  });
  const before = treeOf(repo.root);
  // A bind of the same disk has the same device: nothing tells before it is tried.
  const script = 'mount --bind mounted.md mounted.md && exec "$0" "$1" --json settle --policy park-all --yes';
  const words = [...unshareArguments("--mount"), "sh", "-c", script, process.execPath, BIN];
  const env = { PATH: process.env.PATH, HOME: place.home, REFLOAT_HOME: place.home };
  const ran = spawnSync("unshare", words, { cwd: repo.root, env, encoding: "utf8" });
  const { conflicts } = JSON.parse(ran.stdout) as JsonObject;
  expect([ran.status, conflicts]).toEqual([
    3,
    [expect.objectContaining({ path: "mounted.md", why: expect.stringContaining("may not be moved") })],
  ]);
  expect([repo.read("mounted.md"), repo.read("notes.md")]).toEqual(["One.\nTwo.\n", "One.\n"]);
  expect(slotsIn(repo.root)).toEqual([]);
  expect((await place.json(["undo", "--yes"])).code).toBe(0);
  expect(treeOf(repo.root)).toEqual(before);
  expect((await place.json(["settle", "--policy", "park-all", "--yes"])).code).toBe(0);
  expect(repo.read("mounted.md")).toBe("One.\n");
}, 300_000);

function markImmutable(path: string): void {
  need("immutable files");
  execFileSync("chattr", ["+i", path]);
  onTestFinished(() => void execFileSync("chattr", ["-i", path]));
}

it("DESIGN 15: a file that is marked immutable is a conflict before a plan is made; its group stays, the other goes on", async () => {
  const a = await acting();
  for (const name of ["fixed", "plain"]) a.repo.write(name, `${name}\n`);
  markImmutable(join(a.repo.root, "fixed"));
  const put = await a.file("new\n");
  const outcome = await a.apply({ puts: [a.to("fixed", put, "one"), a.to("plain", put, "two")] });
  expect(outcome).toMatchObject({
    kind: "done",
    conflicts: [{ path: "fixed", group: "one", why: "it is marked immutable" }],
  });
  expect([a.repo.read("fixed"), a.repo.read("plain")]).toEqual(["fixed\n", "new\n"]);
  expect(slotsIn(a.repo.root)).toEqual([]);
});
