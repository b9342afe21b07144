/** `run --bundle`: whatever ends the agent or its supervisor, the folder holds whole files that bring the work back. */
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { endOf, until } from "../run/run-scene.ts";
import { type JsonObject, makePlace } from "../support/cli.ts";
import { testRepository } from "../support/git-repository.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const manifestIn = (bundle: string): JsonObject =>
  JSON.parse(readFileSync(join(bundle, "manifest.json"), "utf8")) as JsonObject;

function repositoryWith(place: ReturnType<typeof makePlace>) {
  const repo = testRepository(place.workspace);
  repo.write("a.txt", "one\n");
  repo.write("journal/day.md", "# Day\n");
  repo.commit();
  return repo;
}

/** Types README.txt's lines in a fresh clone of the repository. */
function putBack(bundle: string, from: string, clone: string): void {
  execFileSync("git", ["clone", "-q", from, clone], { stdio: "pipe" });
  const [, plain = ""] =
    /With plain git[^\n]*\n\n([\s\S]*?)\n\n/.exec(readFileSync(join(bundle, "README.txt"), "utf8")) ?? [];
  execFileSync("sh", ["-ec", plain.replaceAll("BUNDLE", `'${bundle}'`)], { cwd: clone, stdio: "pipe" });
}

describe("run --bundle", () => {
  it("keeps what an agent left that our timeout ended, commits that no remote has included, and another machine goes on with it", async () => {
    const here = makePlace();
    const repo = repositoryWith(here);
    const origin = temporaryFolder();
    repo.git("clone", "-q", "--bare", repo.root, join(origin, "origin.git"));
    const bundle = join(temporaryFolder(), "bundle");
    // Told to end it does its work, however long that takes: the timeout is no race with it.
    const script = `work() { echo two >> a.txt; git -c user.name=A -c user.email=a@b.c commit -qam 'a commit';
      echo more >> journal/day.md; mkdir new; echo n > new/file.txt; echo working; exit 0; }
      trap work INT; while :; do sleep 0.05; done`;
    const ran = await here.refloat([
      "run",
      "--timeout",
      "3s",
      "--drain",
      "100s",
      "--bundle",
      bundle,
      "--",
      "sh",
      "-c",
      script,
    ]);
    expect(ran.code).toBe(124);
    expect(existsSync(join(bundle, "commits.bundle"))).toBe(true);
    const there = makePlace();
    putBack(bundle, join(origin, "origin.git"), there.workspace);
    expect(readFileSync(join(there.workspace, "a.txt"), "utf8")).toBe("one\ntwo\n");
    expect(readFileSync(join(there.workspace, "new/file.txt"), "utf8")).toBe("n\n");
    expect((await there.json(["store", "import", bundle])).json.moved.to).toBe(there.workspace);
    const { json } = await there.json(["inspect"]);
    const paths = json.groups.flatMap(({ changes }: JsonObject) =>
      changes.map(({ path }: JsonObject) => path),
    );
    expect(paths.sort()).toEqual(["journal/day.md", "new/file.txt"]);
    expect(json).toMatchObject({ session: { unsettled: true }, last_output: "working" });
    expect((await there.refloat(["handoff"])).stdout).toContain("Last output: `working`");
  });

  it("is whole at any instant: after SIGTERM, and even when the supervisor is killed with SIGKILL", async () => {
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      const here = makePlace();
      const repo = repositoryWith(here);
      const bundle = join(temporaryFolder(), "bundle");
      const script = "echo half > half.txt; echo begun; sleep 100";
      const child = here.start(["run", "--drain", "1s", "--bundle", bundle, "--", "sh", "-c", script]);
      await until(
        () => existsSync(join(repo.root, "half.txt")) && existsSync(join(bundle, "README.txt")),
        "the bundle",
      );
      child.kill(signal);
      await endOf(child);
      const left = readdirSync(bundle).filter((name) => !name.startsWith(".tmp-"));
      expect(left.sort()).toEqual(
        [
          "README.txt",
          "blackbox.html",
          "changes.patch",
          "handoff.md",
          "journal.jsonl",
          "manifest.json",
          "untracked.tar",
        ].sort(),
      );
      expect(manifestIn(bundle).session.id).toEqual(expect.any(String));
      if (signal === "SIGTERM")
        expect(readFileSync(join(bundle, "untracked.tar")).includes("half.txt")).toBe(true);
      const taken = await makePlace().json(["store", "import", bundle]);
      expect(taken).toMatchObject({ code: 0, json: { sessions: 1 } });
      await here.refloat(["inspect"]);
    }
  });

  it("refuses a folder inside the workspace before anything starts: it would be captured into itself", async () => {
    const here = makePlace();
    repositoryWith(here);
    const ran = await here.refloat(["run", "--bundle", "bundle", "--", "touch", "started"]);
    expect(ran.code).toBe(64);
    expect(existsSync(join(here.workspace, "started"))).toBe(false);
  });
});
