/** Folders nobody may look into: git leaves them out and ends well, and that is no proof that nothing is in them (W4). */
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { giveToBoundUser, refloatAsBoundUser } from "../support/bound-user.ts";
import { type JsonObject, makePlace } from "../support/cli.ts";
import { testRepository } from "../support/git-repository.ts";
import { ANN } from "../support/left-session.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

/** The program as a user who is bound by modes: root is not, so it drops to nobody. */
function boundPlace(): {
  repo: ReturnType<typeof testRepository>;
  run: (...args: string[]) => { status: number | null; json: JsonObject };
  shut: (path: string) => void;
} {
  const { home, workspace } = makePlace();
  const repo = testRepository(workspace);
  repo.write("src/a.js", "export const a = 1;\n");
  repo.write("notes.md", "One.\n");
  repo.commit("base");
  return {
    repo,
    run: (...args) => {
      giveToBoundUser(...[workspace, home].filter((folder) => existsSync(folder)));
      const env = { HOME: home, REFLOAT_HOME: home, ...ANN };
      const { status, stdout } = refloatAsBoundUser(["--json", ...args], { cwd: workspace, env });
      return { status, json: stdout.startsWith("{") ? JSON.parse(stdout) : {} };
    },
    shut: (path) => {
      chmodSync(path, 0o000);
      // Else whoever is bound by modes could not clear it away.
      onTestFinished(() => void (existsSync(path) && chmodSync(path, 0o755)));
    },
  };
}

const NOT_LOOKED = "git could not look there";

it("one that a session shut, tracked or new, is a gap: named, the session stays unsettled, and the rest is settled", () => {
  const { repo, run, shut } = boundPlace();
  const work = "echo two >> notes.md; echo 2 > src/a.js; mkdir new; echo 1 > new/f.js";
  expect(run("run", "--", "sh", "-c", work).status).toBe(0);
  for (const folder of ["src", "new"]) shut(join(repo.root, folder));
  const captured = run("capture");
  expect([captured.status, captured.json.partial]).toEqual([0, true]);
  const { gaps, groups } = run("inspect").json;
  expect(gaps.toSorted((a: JsonObject, b: JsonObject) => (a.path < b.path ? -1 : 1))).toEqual(
    expect.arrayContaining(["new", "src"].map((path) => ({ path, why: NOT_LOOKED }))),
  );
  const paths = groups.flatMap(({ changes }: JsonObject) => changes.map(({ path }: JsonObject) => path));
  expect(paths).toEqual(["notes.md"]);
  const parked = run("settle", "--policy", "park-all", "--yes");
  expect([parked.status, repo.read("notes.md")]).toEqual([0, "One.\n"]);
  const session = run("sessions").json.sessions.find(({ agent }: JsonObject) => agent === "sh");
  expect(session).toMatchObject({ unsettled: true });
}, 300_000);

it("a work tree with one in it is kept, an ignored one keeps it from being removed, and nothing of it goes", () => {
  const { repo, run, shut } = boundPlace();
  const around = temporaryFolder();
  const path = join(around, "linked");
  repo.git("worktree", "add", "-q", "-b", "topic", path);
  writeFileSync(join(repo.root, ".git/info/exclude"), "ignored/\n");
  for (const name of ["shut", "ignored"]) {
    mkdirSync(join(path, name));
    writeFileSync(join(path, name, "f"), "mine\n");
  }
  giveToBoundUser(around);
  for (const name of ["shut", "ignored"]) shut(join(path, name));
  const kept = run("worktrees").json.worktrees[1];
  expect([kept.verdict, kept.reasons]).toEqual(["keep", ["git cannot look into shut"]]);
  expect(run("worktrees", "remove", path, "--yes").json.code).toBe("E_NOT_REMOVABLE");
  chmodSync(join(path, "shut"), 0o755);
  rmSync(join(path, "shut"), { recursive: true });
  expect(run("worktrees").json.worktrees[1].verdict).toBe("removable");
  const refused = run("worktrees", "remove", path, "--yes");
  expect(refused.json).toMatchObject({
    code: "E_NOT_REMOVABLE",
    message: expect.stringContaining("ignored"),
  });
  expect(existsSync(join(path, "notes.md"))).toBe(true);
}, 300_000);
