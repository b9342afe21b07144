/** Files the kernel lets nobody move: a conflict of their group, and no plan is left open that keeps every later command from working. */
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, chownSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { acting, slotsIn, treeOf } from "../support/acting.ts";
import { BIN, type JsonObject, makePlace } from "../support/cli.ts";
import { testRepository } from "../support/git-repository.ts";
import { ANN } from "../support/left-session.ts";

const isRoot = process.getuid?.() === 0;
const NOBODY = 65534;

it.runIf(isRoot)(
  "S5, DESIGN 15: another's file in a sticky folder is found out when it is to be moved: its group goes back whole, the others are settled",
  () => {
    const { home, workspace } = makePlace();
    const repo = testRepository(workspace);
    repo.write("shared/f.md", "One.\n");
    repo.write("notes.md", "One.\n");
    repo.commit("base");
    for (const folder of [workspace, home]) execFileSync("chown", ["-R", `${NOBODY}:${NOBODY}`, folder]);
    const asNobody = (...args: string[]): { status: number | null; json: JsonObject } => {
      const { status, stdout } = spawnSync(process.execPath, [BIN, "--json", ...args], {
        cwd: workspace,
        env: { PATH: process.env.PATH, HOME: home, REFLOAT_HOME: home, ...ANN },
        uid: NOBODY,
        gid: NOBODY,
        encoding: "utf8",
      });
      return { status, json: stdout.startsWith("{") ? JSON.parse(stdout) : {} };
    };
    const work = "echo Two. >> notes.md; echo Two. >> shared/f.md";
    expect(asNobody("run", "--", "sh", "-c", work).status).toBe(0);
    const [folder, file] = [join(workspace, "shared"), join(workspace, "shared/f.md")];
    chownSync(folder, 0, 0);
    chmodSync(folder, 0o1777);
    chownSync(file, 1, 1);
    const before = treeOf(workspace);
    const settled = asNobody("settle", "--policy", "park-all", "--yes");
    expect([settled.status, settled.json.conflicts]).toEqual([
      3,
      [expect.objectContaining({ path: "shared/f.md", why: expect.stringContaining("may not be moved") })],
    ]);
    expect([repo.read("shared/f.md"), repo.read("notes.md")]).toEqual(["One.\nTwo.\n", "One.\n"]);
    expect(slotsIn(workspace)).toEqual([]);
    expect(asNobody("undo", "--yes").status).toBe(0);
    expect(treeOf(workspace)).toEqual(before);
    chownSync(file, NOBODY, NOBODY);
    expect(asNobody("settle", "--policy", "park-all", "--yes").status).toBe(0);
    expect(repo.read("shared/f.md")).toBe("One.\n");
  },
  300_000,
);

/** Not every file system knows the mark, and only root may set it. */
function markImmutable(path: string): boolean {
  if (spawnSync("chattr", ["+i", path]).status !== 0) return false;
  onTestFinished(() => void execFileSync("chattr", ["-i", path]));
  return true;
}

it("DESIGN 15: a file that is marked immutable is a conflict before a plan is made; its group stays, the other goes on", async () => {
  const a = await acting();
  for (const name of ["fixed", "plain"]) a.repo.write(name, `${name}\n`);
  if (!markImmutable(join(a.repo.root, "fixed"))) return;
  const put = await a.file("new\n");
  const outcome = await a.apply({ puts: [a.to("fixed", put, "one"), a.to("plain", put, "two")] });
  expect(outcome).toMatchObject({
    kind: "done",
    conflicts: [{ path: "fixed", group: "one", why: "it is marked immutable" }],
  });
  expect([a.repo.read("fixed"), a.repo.read("plain")]).toEqual(["fixed\n", "new\n"]);
  expect(slotsIn(a.repo.root)).toEqual([]);
});
