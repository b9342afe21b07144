/** A machine that comes again from the same image, a start that is killed halfway, and what was parked on a machine that is gone (W8, S5). */
import { execFileSync } from "node:child_process";
import { mkdirSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { RECREATE_CRASH_POINTS } from "../../src/platform/crash-point.ts";
import { BIN, type Ran } from "../support/cli.ts";
import { testRepository } from "../support/git-repository.ts";
import { freshSchema } from "../support/postgres.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { AGENT, broken, diedOn, STATUS, seenBy, statusOf, until } from "./death.ts";
import { type Host, startHost } from "./host.ts";

const { url } = freshSchema();
const BUILT = Date.now() / 1000 - 3600;

describe("a container that is started again from its image", () => {
  it.each([
    ["commits and edits", AGENT, 2],
    ["edits alone", AGENT.replace(/git checkout -qb topic;.*done\n/, ""), 0],
  ] as const)(
    "at the same path, as another machine: with %s of a session it is told apart, and `resume` brings all of it back",
    async (_what, agent, commits) => {
      const image = testRepository(temporaryFolder());
      for (const name of ["a.txt", "gone.txt"]) image.write(name, "one\n");
      image.commit("base");
      // An image is older than what is done in it by more than a file system's clock is coarse.
      for (const name of ["a.txt", "gone.txt", "."]) utimesSync(join(image.root, name), BUILT, BUILT);
      // One path for both; the disk behind it is the container's own.
      const work = join(temporaryFolder(), "workspace");
      const spawned = (): void => {
        rmSync(work, { recursive: true, force: true });
        execFileSync("cp", ["-a", image.root, work]);
      };
      spawned();
      const first = startHost("first", url);
      const child = first.start(["run", "--", "sh", "-c", agent, process.execPath, BIN], { cwd: work });
      await until(join(work, ".git/ready"));
      const gone = new Promise((resolve) => child.once("close", resolve));
      child.kill("SIGKILL");
      await gone;
      const { sessions } = (await first.json(["sessions"], { cwd: work })).json;
      const session: string = sessions[0].id;
      const head = first.git(work, "rev-parse", "HEAD");
      spawned();
      const next = startHost("second", url);
      const here = { cwd: work };
      await broken(next, session, work);
      const started = await next.refloat(["run", "--json", "--", "true"], here);
      expect(JSON.parse(started.stdout).code).toBe("E_CHECKOUT_OLDER");
      const ran = await next.refloat(["resume", session, "--recreate", "--yes"], here);
      expect(ran.code, ran.stderr).toBe(0);
      expect(seenBy(ran)).toEqual([head, ...STATUS]);
      if (commits > 0) expect(ran.stderr).toContain(`with ${commits} commits that no remote had`);
    },
    300_000,
  );
});

/**
 * Each command of a simulated machine is in a pid namespace of its own, so that whoever was killed before it cannot be seen to be dead from
 * within (K2): the command that is printed for it is given, and then the same one again.
 */
async function freed(host: Host, words: string[], options: Parameters<Host["refloat"]>[1]): Promise<Ran> {
  const ran = await host.refloat(words, options);
  const [, claim] = /refloat claim break (acts-\S+) --reason WHY/.exec(ran.stderr) ?? [];
  if (!ran.stderr.includes("E_ACT_BUSY") || claim === undefined) return ran;
  const broke = await host.refloat(["claim", "break", claim, "--reason", "it was killed", "--yes"], {
    cwd: options?.cwd,
  });
  expect(broke.code, broke.stderr).toBe(0);
  return host.refloat(words, options);
}

describe("bringing a session to another machine", () => {
  it("that is killed at any step loses nothing: the same command goes on, and ends with the same tree once (S5)", async () => {
    const { origin, session, head } = await diedOn(url);
    const next = startHost("next", url);
    const clone = join(next.disk, "app");
    next.git(next.disk, "clone", "-q", origin, clone);
    await broken(next, session, clone);
    const words = ["resume", session, "--recreate", "--yes"];
    const killed: string[] = [];
    for (const point of Object.keys(RECREATE_CRASH_POINTS)) {
      const ran = await freed(next, words, { cwd: clone, env: { REFLOAT_CRASH_AT: point } });
      if (ran.code !== 0) killed.push(point);
      expect(next.git(clone, "fsck", "--no-dangling"), "git works").toBe("");
    }
    expect(killed).not.toEqual([]);
    const tree = `${clone}-${session.slice(0, 8)}`;
    const ran = await freed(next, words, { cwd: clone });
    if (ran.code === 0) expect(seenBy(ran)).toEqual([head, ...STATUS]);
    expect(statusOf(next, tree)).toEqual(STATUS);
    expect(next.git(clone, "worktree", "list").split("\n")).toHaveLength(2);
  }, 300_000);

  it("what was parked there is listed and brought back in a clone here (W8)", async () => {
    const origin = testRepository(temporaryFolder());
    origin.write("a.txt", "one\n");
    origin.commit("base");
    const first = startHost("first", url);
    const work = join(first.disk, "work");
    first.git(first.disk, "clone", "-q", origin.root, work);
    await first.refloat(["run", "--", "sh", "-c", "echo parked > p.txt"], { cwd: work });
    const parked = await first.refloat(["park", "--all", "--yes"], { cwd: work });
    expect(parked.code, parked.stderr).toBe(0);
    const next = startHost("next", url);
    mkdirSync(join(next.disk, "x"));
    const clone = join(next.disk, "x/clone");
    next.git(next.disk, "clone", "-q", origin.root, clone);
    const { json } = await next.json(["parked"], { cwd: clone });
    expect(json.parked).toHaveLength(1);
    const back = await next.refloat(["unpark", json.parked[0].name, "--yes"], { cwd: clone });
    expect(back.code, back.stderr).toBe(0);
    expect(statusOf(next, clone)).toEqual(["?? p.txt"]);
  }, 300_000);
});
