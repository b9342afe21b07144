/** What dies on one machine goes on on another, from what the store they share has of it (W8, K1). */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { BIN, type JsonObject } from "../support/cli.ts";
import { testRepository } from "../support/git-repository.ts";
import { freshSchema } from "../support/postgres.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { AGENT, broken, diedOn, type MachineDeath, STATUS, seenBy, statusOf, until } from "./death.ts";
import { startHost } from "./host.ts";

const { url } = freshSchema();
const died = (agent?: string): Promise<MachineDeath> => diedOn(url, agent);

describe("a session whose machine is gone", () => {
  it("goes on in a fresh clone at another path: commits, branch and tree in a work tree of its own, as the next try, and it is said what was done (W8)", async () => {
    const { origin, session, head } = await died();
    const next = startHost("next", url);
    const clone = join(next.disk, "elsewhere");
    next.git(next.disk, "clone", "-q", origin, clone);
    const here = { cwd: clone };
    const held = await next.json(["resume", session], here);
    expect(held.json.code, "held by a machine that may live: nobody takes it by accident (K2)").toBe(
      "E_HELD",
    );
    await broken(next, session, clone);
    const before = (await next.json(["show", session], here)).json.session.attempt;
    const refused = await next.json(["resume", session], here);
    expect(refused.json).toMatchObject({
      code: "E_RESUME_HELD",
      hint: expect.stringContaining("--recreate"),
    });
    expect(next.git(clone, "worktree", "list").split("\n"), "nothing was made").toHaveLength(1);
    const printed = await next.json(["resume", session, "--print"], here);
    const tree = `${clone}-${session.slice(0, 8)}`;
    expect(printed.json.sessions).toMatchObject([{ workspace: tree, held: true }]);
    const ran = await next.refloat(["resume", session, "--recreate", "--yes"], here);
    expect(ran.code, ran.stderr).toBe(0);
    expect(seenBy(ran)).toEqual([head, ...STATUS]);
    expect(ran.stderr).toContain(`it goes on on this machine, in ${tree}`);
    expect(ran.stderr).toContain("with 2 commits that no remote had");
    expect(next.git(clone, "rev-parse", "topic")).toBe(head);
    expect(next.git(tree, "symbolic-ref", "HEAD")).toBe("refs/heads/topic");
    expect(statusOf(next, tree)).toEqual(STATUS);
    expect(next.git(clone, "fsck", "--no-dangling")).toBe("");
    expect(statusOf(next, clone), "the clone itself is as it was").toEqual([]);
    const shown = (await next.json(["show", session], here)).json.session;
    expect(shown).toMatchObject({ workspace: tree, state: "finished", unsettled: true });
    expect(shown.attempt).toBeGreaterThan(before);
  }, 300_000);

  it("gets a branch of its own where its branch is checked out, or went on, and no tip moves but to a descendant (W2)", async () => {
    const agent = AGENT.replace("git checkout -qb topic; ", "");
    const { origin, session, head } = await died(agent);
    const next = startHost("next", url);
    const clone = join(next.disk, "app");
    next.git(next.disk, "clone", "-q", origin, clone);
    const main = next.git(clone, "rev-parse", "main");
    await broken(next, session, clone);
    const to = join(next.disk, "mine");
    const ran = await next.refloat(["resume", session, "--recreate", "--yes", "--to", to], { cwd: clone });
    expect(ran.code, ran.stderr).toBe(0);
    expect(ran.stderr).toContain("its branch was main; it is checked out at");
    expect(next.git(to, "symbolic-ref", "HEAD")).toBe(`refs/heads/main-${session.slice(0, 8)}`);
    expect([next.git(clone, "rev-parse", "main"), next.git(to, "rev-parse", "HEAD")]).toEqual([main, head]);
    expect(statusOf(next, to)).toEqual(STATUS);
  }, 300_000);

  it("goes on in a shallow clone that has what its commits stand on; one that lacks it says which commit, and how it is had (W8)", async () => {
    const { origin, session, head } = await died();
    const next = startHost("next", url);
    const [shallow, older] = [join(next.disk, "shallow"), join(next.disk, "older")];
    next.git(next.disk, "clone", "-q", "--depth", "1", `file://${origin}`, shallow);
    next.git(next.disk, "clone", "-q", origin, older);
    const base = next.git(older, "rev-parse", "main");
    // A clone from before: it has the beginning of the history, and not what the session began on.
    for (const ref of ["refs/remotes/origin/main", "refs/remotes/origin/HEAD"])
      next.git(older, "update-ref", "-d", ref);
    next.git(older, "reset", "-q", "--hard", "HEAD~1");
    next.git(older, "reflog", "expire", "--expire=now", "--all");
    next.git(older, "gc", "-q", "--prune=now");
    await broken(next, session, shallow);
    const lacking = await next.json(["resume", session, "--recreate", "--yes"], { cwd: older });
    expect(lacking.json).toMatchObject({ code: "E_TRAVEL_MISSING", message: expect.stringContaining(base) });
    expect(lacking.json.hint).toContain("git fetch --all");
    const ran = await next.refloat(["resume", session, "--recreate", "--yes"], { cwd: shallow });
    expect(ran.code, ran.stderr).toBe(0);
    expect(seenBy(ran)).toEqual([head, ...STATUS]);
  }, 300_000);

  it("goes on where there is no clone, in one made from an address; a folder that is something else is told apart (W8)", async () => {
    const { origin, session, head } = await died();
    const next = startHost("next", url);
    const other = testRepository(join(next.disk, "other"));
    other.write("x", "x");
    other.commit();
    await broken(next, session, next.disk);
    const wrong = await next.json(["resume", session, "--recreate", "--yes"], { cwd: other.root });
    expect(wrong.json).toMatchObject({
      code: "E_TRAVEL_OTHER",
      hint: expect.stringContaining("--from URL --to DIR"),
    });
    // A clone without a commit is a clone of nothing yet.
    const empty = join(next.disk, "empty");
    next.git(next.disk, "init", "-q", empty);
    const inEmpty = await next.json(["resume", session, "--recreate", "--yes"], { cwd: empty });
    expect(inEmpty.json.code).toBe("E_TRAVEL_OTHER");
    expect(next.git(empty, "status", "--porcelain", "--untracked-files=all")).toBe("");
    const to = join(next.disk, "app");
    const foreign = ["resume", session, "--recreate", "--yes", "--from", other.root, "--to", to];
    expect((await next.json(foreign, { cwd: next.disk })).json.code).toBe("E_TRAVEL_OTHER");
    expect(existsSync(to)).toBe(false);
    const words = ["resume", session, "--recreate", "--yes", "--from", origin, "--to", "app"];
    const ran = await next.refloat(words, { cwd: next.disk });
    expect(ran.code, ran.stderr).toBe(0);
    expect(seenBy(ran)).toEqual([head, ...STATUS]);
    expect(next.git(to, "symbolic-ref", "HEAD")).toBe("refs/heads/topic");
    expect(next.git(to, "remote", "get-url", "origin")).toBe(origin);
  }, 300_000);

  it("that lives on after all writes nothing any more: its captures are refused, and what its agent still holds there is not the session's (K1, W8)", async () => {
    // Cut off from everybody for a while: it waits for a word, edits, captures by hand, and ends.
    const agent = `if [ -e new.txt ]; then echo here > second.txt; exit 0; fi
      echo new > new.txt; "$0" "$1" capture > /dev/null; touch .git/ready; while [ ! -e .git/go ]; do sleep 0.1; done
      echo late > late.txt; "$0" "$1" capture > /dev/null 2>&1; "$0" "$1" op begin late > .git/said 2>&1; true`;
    const origin = testRepository(temporaryFolder());
    origin.write("a.txt", "one\n");
    origin.commit("base");
    const dead = startHost("slow", url);
    const work = join(dead.disk, "work");
    dead.git(dead.disk, "clone", "-q", origin.root, work);
    const child = dead.start(["run", "--", "sh", "-c", agent, process.execPath, BIN], { cwd: work });
    const ended = new Promise((resolve) => child.once("close", resolve));
    await until(join(work, ".git/ready"));
    const { sessions } = (await dead.json(["sessions"], { cwd: work })).json;
    const session: string = sessions[0].id;
    const next = startHost("next", url);
    const clone = join(next.disk, "work");
    next.git(next.disk, "clone", "-q", origin.root, clone);
    await broken(next, session, clone);
    const ran = await next.refloat(["resume", session, "--recreate", "--yes"], { cwd: clone });
    expect(ran.code, ran.stderr).toBe(0);
    const captures = async (): Promise<JsonObject[]> =>
      (await next.json(["captures"], { cwd: clone })).json.captures;
    const then = (await captures()).filter((one) => one.session === session);
    writeFileSync(join(work, ".git/go"), "");
    await ended;
    expect(readFileSync(join(work, ".git/said"), "utf8")).toContain("E_FENCED");
    expect((await captures()).filter((one) => one.session === session)).toEqual(then);
    const { json } = await next.json(["inspect", session], { cwd: clone });
    const paths = json.groups
      .flatMap((group: JsonObject) => group.changes.map((one: JsonObject) => one.path))
      .sort();
    expect(paths).toEqual(["new.txt", "second.txt"]);
    expect(statusOf(next, clone)).toEqual(["?? new.txt", "?? second.txt"]);
  }, 300_000);
});
